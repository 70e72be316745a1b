// SPDX-License-Identifier: Apache-2.0
// The whole importer: both ways of reading agree, and windows are cut anywhere. Damaged files:
// kineto_damage_test.cpp.
#include "analyzer/ingest/kineto/kineto.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ingest/kineto/test_dump.hpp"
#include "analyzer/ingest/kineto/test_sample.hpp"
#include "analyzer/profile/stats.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::Stat;
using testing::HasSubstr;

TEST(Kineto, SampleIsReadAsDescribed) {
  const auto profile = load(kSample);

  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  EXPECT_EQ(profile->info.events, 21U);
  EXPECT_EQ(profile->info.rank, 3);
  EXPECT_EQ(profile->info.world_size, 8);
  EXPECT_EQ(profile->info.base_time_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(profile->info.record_shapes, true);
  EXPECT_EQ(profile->info.vendor, profile::Vendor::Nvidia);
  EXPECT_EQ(profile->info.resolution_ns, 1);
  EXPECT_EQ(profile->info.first_ns, 80'000);
  EXPECT_EQ(profile->info.last_ns, 210'000);
  EXPECT_EQ(profile->activities.size(), 7U);
  EXPECT_EQ(profile->host_ops.size(), 4U);
  EXPECT_EQ(profile->api_calls.size(), 1U);
  EXPECT_EQ(profile->memory_events.size(), 1U);
  EXPECT_EQ(profile->step_markers.size(), 1U);
  EXPECT_EQ(profile->device_annotations.size(), 1U);
  EXPECT_EQ(profile->overheads.size(), 1U);
  EXPECT_EQ(profile->communications.size(), 1U);
  EXPECT_EQ(profile->flows.size(), 2U);
  EXPECT_EQ(profile->streams.size(), 2U);
  EXPECT_EQ(profile->stats[Stat::BookkeepingRows], 2U);
  EXPECT_EQ(profile->devices.at(0).name, "NVIDIA A10");
  EXPECT_EQ(dump(*profile).find("/somewhere"), std::string::npos);  // the environment is not kept
}

TEST(Kineto, SniffsJsonAndNothingElse) {
  for (const std::string_view json : {"{", "[", " \n\t{\"a\"", "\xEF\xBB\xBF{", "\xEF\xBB\xBF [ "}) {
    EXPECT_TRUE(sniff(json)) << json;
  }
  for (const std::string_view other :
       {"", " ", "name,ts\n", "\x1f\x8b", "SQLite format 3", "\"text\"", "7"}) {
    EXPECT_FALSE(sniff(other)) << other;
  }
}

// Random valid traces: events of all kinds, keys in any order, white space anywhere it may stand.
std::string random_trace(unsigned seed, std::size_t bytes, bool as_array) {
  std::mt19937 random(seed);
  const auto pick = [&](auto... choices) {
    const std::array<std::string_view, sizeof...(choices)> all{choices...};
    return std::string(all[random() % all.size()]);
  };
  const auto number = [&](unsigned below) { return std::to_string(random() % below); };
  std::string text = as_array ? "[" : R"({"schemaVersion": 1, "traceEvents": [)";
  for (std::size_t i = 0; text.size() < bytes; ++i) {
    std::vector<std::string> fields{
        "\"ph\":" +
            pick("\"X\"", "\"X\"", "\"X\"", "\"X\"", "\"i\"", "\"s\"", "\"f\"", "\"M\"", "\"B\"", "\"E\""),
        "\"cat\":" + pick("\"cpu_op\"", "\"kernel\"", "\"gpu_memcpy\"", "\"cuda_runtime\"",
                          "\"python_function\"", "\"user_annotation\"", "\"overhead\"", "\"odd\"",
                          "\"Trace\"", "\"gpu_user_annotation\""),
        "\"name\":\"" +
            pick("aten::add", "cudaLaunchKernel", "[memory]", R"(a \"quoted\" name)", R"(back\\slash)",
                 "ProfilerStep#1", "{}[],:", "\xC3\xA4\xE2\x82\xAC", "") +
            number(50) + "\"",
        "\"pid\": " + pick("0", "1", "\"Spans\"", "\"\""),
        "\"tid\" : " + pick("7", "20", "\"stream 7\""),
        "\"ts\":" + number(1'000'000) + pick("", ".5", ".125", "e0"),
        "\"dur\": " + pick("\"", "") + "0"};
    fields.back() = "\"dur\": " + number(1'000) + pick("", ".25");
    if (random() % 4 != 0) {
      fields.push_back(
          "\"args\": {\"correlation\": " + number(100) + ", \"External id\": " + number(100) +
          ", \"device\": 0, \"stream\": " + number(3) + pick("", R"(, "grid": [1, 2, 3])") +
          pick("", R"(, "Input Dims": [[], [1]], "Bytes": -5)", R"(, "Comms Id": 18446744073709551617)") +
          pick("", R"(, "unknown": {"deep": [{}, "]}"], "x": null})") + "}");
    }
    if (random() % 8 == 0) {
      fields.push_back("\"id\": " + number(100));
    }
    std::ranges::shuffle(fields, random);
    text += i == 0 ? "" : ",";
    text += pick("", "\n  ", " \t", "\r\n");
    text += pick("{", "{ ", "{\n");
    for (std::size_t f = 0; f < fields.size(); ++f) {
      text += (f == 0 ? "" : pick(",", ", ", ",\n ")) + fields[f];
    }
    text += pick("}", " }", "\n}");
  }
  return text + (as_array ? "]" : "], \"distributedInfo\": {\"rank\": 1, \"world_size\": 2}}");
}

TEST(Kineto, FastAndLenientReadingAgreeOnValidTraces) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::string text = random_trace(seed, 20'000, seed % 2 == 0);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto fast = load(text, {.threads = 1});
    ASSERT_TRUE(fast.has_value()) << fast.error().where << ": " << fast.error().message;
    const std::string want = dump(*fast);

    ASSERT_EQ(outcome(text, {.threads = 2}), want);
    ASSERT_EQ(outcome(text, {.lenient = true}), want);
  }
}

TEST(Kineto, WindowsAreCutWithoutATrace) {
  for (unsigned seed = 100; seed < 103; ++seed) {
    const std::string text = random_trace(seed, 5'500'000, seed % 2 == 0);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto one = load(text, {.threads = 1});
    ASSERT_TRUE(one.has_value()) << one.error().where << ": " << one.error().message;
    const std::string want = dump(*one);
    EXPECT_EQ(one->info.text_bytes, text.size());

    EXPECT_TRUE(outcome(text, {.threads = 2}) == want);
    EXPECT_TRUE(outcome(text, {.lenient = true}) == want);
  }
}

// `count` kernels of 2 us, one to a line, about 130 bytes each.
std::string many_kernels(int count) {
  std::string text = "{\"traceEvents\": [\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        R"({{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": {}, "dur": 2, )"
        R"("args": {{"device": 0, "stream": 7, "correlation": {}}}}})",
        i * 5, i);
    text += i + 1 < count ? ",\n" : "\n]}";
  }
  return text;
}

TEST(Kineto, RepairableEventCostsNothingInAnyWindow) {
  constexpr int kCount = 30'000;
  std::string text = many_kernels(kCount);
  ASSERT_GT(text.size(), 3U << 20);
  for (const std::size_t at : {std::size_t{200'000}, text.size() / 2, text.size() - 200'000}) {
    text[text.find("gemm", at)] = '\x01';
  }
  for (const bool lenient : {false, true}) {
    const auto profile = load(text, {.lenient = lenient, .threads = 2});

    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_EQ(profile->activities.size(), static_cast<std::size_t>(kCount));
    EXPECT_EQ(profile->stats[Stat::StringsRepaired], 3U);
    EXPECT_EQ(profile->info.first_repair_where, fmt::format("byte {}", text.find('\x01')));
  }
}

TEST(Kineto, BrokenEventIsPlacedInAnyWindow) {
  constexpr int kCount = 30'000;
  const std::string whole = many_kernels(kCount);
  for (const std::size_t from :
       {std::size_t{0}, std::size_t{200'000}, whole.size() / 2, whole.size() - 200'000}) {
    std::string text = whole;
    const std::size_t at = text.find("\"tid\"", from);
    text.erase(at, 1);
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');

    const auto strict = load(text, {.threads = 2});
    const auto lenient = load(text, {.lenient = true});

    ASSERT_FALSE(strict.has_value());
    EXPECT_EQ(strict.error().where, fmt::format("memory: byte {}, line {}", at, line));
    EXPECT_THAT(strict.error().message, HasSubstr(fmt::format("event {}:", line - 2)));
    ASSERT_TRUE(lenient.has_value());
    EXPECT_EQ(lenient->stats[Stat::EventsDropped], 1U);
    EXPECT_EQ(lenient->activities.size(), static_cast<std::size_t>(kCount - 1));
  }
}

TEST(Kineto, EventLongerThanAWindowIsRead) {
  const std::string stack(3 << 20, 's');
  const std::string text = fmt::format(
      R"({{"traceEvents": [{{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1, "args": {{"Call stack": "{}"}}}},)"
      R"({{"ph": "X", "cat": "cpu_op", "name": "b", "ts": 2, "dur": 1}}]}})",
      stack);
  for (const bool lenient : {false, true}) {
    const auto profile = load(text, {.lenient = lenient});

    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    ASSERT_EQ(profile->host_ops.size(), 2U);
    EXPECT_TRUE(profile->text(profile->op_details.call_stack[0]) == stack);
  }
}

TEST(Kineto, StatedLimitsEndTheReading) {
  const std::string text = many_kernels(30'000);

  const auto long_text = load(text, {.max_text_bytes = 1 << 20});
  const auto long_event =
      load("[{\"ph\": \"X\", \"name\": \"" + std::string(5 << 20, 'n'), {.max_event_bytes = 2 << 20});
  const auto many_rows = load(text, {.max_table_bytes = 1 << 20});

  for (const auto* refused : {&long_text, &long_event, &many_rows}) {
    ASSERT_FALSE(refused->has_value());
    EXPECT_EQ(refused->error().code, ErrorCode::Limit);
  }
  EXPECT_THAT(long_text.error().message, HasSubstr("1.00 MiB"));
  EXPECT_THAT(long_event.error().message, HasSubstr("2.00 MiB"));
  EXPECT_THAT(many_rows.error().message, HasSubstr("1.00 MiB"));
}

}  // namespace
}  // namespace foretell::ingest::kineto
