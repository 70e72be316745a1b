// SPDX-License-Identifier: Apache-2.0
// The whole importer: both ways of reading agree, windows are cut anywhere, and no damage to a file brings it
// down.
#include "analyzer/ingest/kineto/kineto.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "analyzer/profile/stats.hpp"
#include "src/base/byte_source.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::kNoId;
using profile::kNoRow;
using profile::Profile;
using profile::RecordId;
using profile::Stat;
using testing::HasSubstr;

Result<Profile> load(std::string_view text, const ReadOptions& options = {}) {
  const auto source = open_memory(text);
  return read(*source, "", options);
}

// Every fact and every row of a profile as text, strings resolved: equal text, equal profile.
class Dump {
 public:
  explicit Dump(const Profile& profile) : p_(profile) {
    info();
    tables();
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  template <class... Values>
  void line(std::string_view table, const Values&... values) {
    out_ += table;
    ((out_ += fmt::format(" {}", values)), ...);
    out_ += '\n';
  }
  [[nodiscard]] std::string_view text(StringId id) const { return p_.text(id); }
  [[nodiscard]] std::string id(RecordId id) const {
    return id >= kNoId ? fmt::format("{}", id)
                       : fmt::format("'{}'", text(StringId{static_cast<std::uint32_t>(
                                                 id - profile::text_record_id(StringId::Empty))}));
  }
  static std::string maybe(const std::optional<std::int64_t>& value) {
    return value ? fmt::format("{}", *value) : "-";
  }
  [[nodiscard]] std::string thread(std::uint32_t row) const {
    const profile::Thread& thread = p_.threads.at(row);
    return fmt::format("{}{}/{}{}", thread.pid.number, text(thread.pid.text), thread.tid.number,
                       text(thread.tid.text));
  }
  [[nodiscard]] std::string stream(std::uint32_t row) const {
    const profile::Stream& stream = p_.streams.at(row);
    return fmt::format("{}:{}", p_.devices.at(stream.device).id, stream.id);
  }

  void info() {
    const profile::TraceInfo& info = p_.info;
    line("info", info.events, maybe(info.base_time_ns), maybe(info.rank), maybe(info.world_size),
         info.resolution_ns, maybe(info.first_ns), maybe(info.last_ns), info.legacy_profiler,
         static_cast<int>(info.vendor), info.unsupported_accelerator, info.end_note, info.counter_ranges,
         info.first_repair_where);
    for (const profile::StatInfo& row : profile::all_stats()) {
      line(row.id, p_.stats[row.stat]);
    }
    for (const profile::Device& device : p_.devices) {
      line("device", device.id, device.name, maybe(device.sm_count), device.listed, device.work_records);
    }
  }

  void tables() {
    const auto& ops = p_.host_ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      line("op", ops.start_ns[i], ops.duration_ns[i], id(ops.external_id[i]), text(ops.name[i]),
           thread(ops.thread[i]), ops.parent[i], static_cast<int>(ops.kind[i]),
           static_cast<bool>(ops.from_begin_end[i]));
      if (const std::uint32_t detail = ops.detail[i]; detail != kNoRow) {
        const auto& d = p_.op_details;
        line("  detail", text(d.input_dims[detail]), text(d.input_types[detail]),
             text(d.concrete_inputs[detail]), text(d.call_stack[detail]), id(d.sequence_number[detail]),
             id(d.forward_thread[detail]));
      }
    }
    const auto& calls = p_.api_calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      line("call", calls.start_ns[i], calls.duration_ns[i], id(calls.correlation[i]),
           id(calls.external_id[i]), text(calls.name[i]), thread(calls.thread[i]),
           static_cast<int>(calls.kind[i]));
    }
    const auto& rows = p_.activities;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      line("activity", rows.start_ns[i], rows.duration_ns[i], id(rows.correlation[i]),
           id(rows.external_id[i]), id(rows.graph_id[i]), id(rows.graph_node_id[i]), rows.bytes[i],
           text(rows.name[i]), stream(rows.stream[i]), static_cast<int>(rows.kind[i]),
           static_cast<bool>(rows.timed[i]));
      if (const std::uint32_t launch = rows.launch[i]; launch != kNoRow) {
        const auto& l = p_.kernel_launches;
        line("  launch", l.grid_x[launch], l.grid_y[launch], l.grid_z[launch], l.block_x[launch],
             l.block_y[launch], l.block_z[launch], l.registers_per_thread[launch],
             l.shared_memory_bytes[launch], l.occupancy_ratio[launch]);
      }
    }
    const auto& memory = p_.memory_events;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      line("memory", memory.time_ns[i], memory.bytes[i], memory.total_allocated_bytes[i],
           memory.total_reserved_bytes[i], memory.address[i], memory.device_id[i], thread(memory.thread[i]));
    }
    for (std::size_t i = 0; i < p_.step_markers.size(); ++i) {
      line("step", p_.step_markers.start_ns[i], p_.step_markers.duration_ns[i],
           text(p_.step_markers.name[i]));
    }
    for (std::size_t i = 0; i < p_.device_annotations.size(); ++i) {
      line("annotation", p_.device_annotations.start_ns[i], text(p_.device_annotations.name[i]),
           stream(p_.device_annotations.stream[i]));
    }
    for (std::size_t i = 0; i < p_.compile_events.size(); ++i) {
      line("compile", p_.compile_events.start_ns[i], text(p_.compile_events.name[i]));
    }
    for (std::size_t i = 0; i < p_.overheads.size(); ++i) {
      line("overhead", p_.overheads.start_ns[i], p_.overheads.duration_ns[i], text(p_.overheads.name[i]));
    }
    for (std::size_t i = 0; i < p_.communications.size(); ++i) {
      const auto& c = p_.communications;
      line("communication", text(c.collective[i]), text(c.communicator_id[i]), text(c.dtype[i]),
           text(c.group_name[i]), c.in_elements[i], c.out_elements[i], c.group_size[i], c.on_device[i]);
    }
    for (std::size_t i = 0; i < p_.flows.size(); ++i) {
      line("flow", id(p_.flows.id[i]), static_cast<bool>(p_.flows.is_start[i]));
    }
  }

  const Profile& p_;
  std::string out_;
};

std::string dump(const Profile& profile) { return Dump(profile).take(); }

// The outcome of reading as text, whichever it is.
std::string outcome(std::string_view text, const ReadOptions& options) {
  const auto loaded = load(text, options);
  return loaded ? dump(*loaded)
                : fmt::format("error {} | {} | {}", loaded.error().where, loaded.error().message,
                              loaded.error().hint);
}

// One of every kind of record, every generation of spelling.
constexpr std::string_view kSample = R"j({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA A10", "numSms": 72, "computeMajor": 8, "computeMinor": 6, "warpSize": 32}],
  "environment": {"HOME": "/somewhere", "list": [1, {"a": "\"b\\"}]},
  "record_shapes": 1, "cupti_version": 18,
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 42, "tid": 1, "ts": 100.250, "dur": 50.5,
   "args": {"External id": 7, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"], "Sequence number": 3}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 1, "ts": 110.5, "dur": 5, "args": {"External id": 7, "correlation": 11}},
  {"ph": "s", "id": 11, "pid": 42, "tid": 1, "ts": 110.5, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void gemm<float, 4>(float*)", "pid": 0, "tid": 7, "ts": 120, "dur": 12.345,
   "args": {"External id": 7, "device": 0, "stream": 7, "correlation": 11, "grid": [77, 1, 1], "block": [128, 1, 1], "registers per thread": 32}},
  {"ph": "f", "id": 11, "pid": 0, "tid": 7, "ts": 120, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 140, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 12, "bytes": 616}},
  {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 143, "dur": 1, "args": {"device": 0, "stream": 7, "bytes": 64}},
  {"ph": "X", "cat": "cuda_sync", "name": "Stream Sync", "pid": 0, "tid": 7, "ts": 145, "dur": 9, "args": {"device": 0, "stream": 7}},
  {"ph": "X", "cat": "python_function", "name": "module.py(3): \"forward\" \u00e4", "pid": 42, "tid": 1, "ts": 90, "dur": 100, "args": {}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 42, "tid": 1, "ts": 80, "dur": 130, "args": {"External id": 6}},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#3", "pid": 0, "tid": 7, "ts": 120, "dur": 25, "args": {}},
  {"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 85, "dur": 3, "args": {}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 125, "dur": 30,
   "args": {"device": 0, "stream": 20, "correlation": 13, "Collective name": "allreduce", "Comms Id": 18446744073709551617, "dtype": "bf16", "In msg nelems": 100}},
  {"ph": "X", "cat": "Kernel", "name": "old", "pid": 0, "tid": "stream 7", "ts": 160, "dur": 4, "args": {"external id": 7, "correlation": 14}},
  {"ph": "X", "cat": "kernel", "name": "untimed", "pid": 0, "tid": 7, "ts": 0, "dur": 0, "args": {"device": 0, "stream": 7}},
  {"ph": "i", "name": "[memory]", "pid": 42, "tid": 1, "ts": 101, "s": "t", "args": {"Device Type": 1, "Device Id": 0, "Bytes": 512, "Addr": 140, "Total Allocated": 512, "Total Reserved": 2048}},
  {"ph": "B", "name": "range", "pid": 42, "tid": 2, "ts": 100}, {"ph": "E", "name": "range", "pid": 42, "tid": 2, "ts": "150.125"},
  {"ph": "X", "cat": "Trace", "pid": "Spans", "tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)", "ts": 80, "dur": 200},
  {"ph": "M", "name": "process_name", "pid": 42, "tid": 0, "args": {"name": "python"}},
  {"ph": "i", "name": "Record Window End", "pid": "", "tid": "", "ts": 300, "s": "g"}
  ],
  "distributedInfo": {"rank": 3, "world_size": 8},
  "baseTimeNanoseconds": 1700000000000000000
}
)j";

// The sample's events alone: a root array.
std::string sample_array() {
  const std::size_t begin = kSample.find('[', kSample.find("traceEvents"));
  const std::size_t end = kSample.find("\n  ],");
  return std::string(kSample.substr(begin, end + 4 - begin));
}

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

// What must hold of any text, read either way: an outcome, and an error that has a place.
void expect_sound(std::string_view text) {
  for (const bool lenient : {false, true}) {
    const auto loaded = load(text, {.lenient = lenient, .threads = 1});
    if (!loaded) {
      ASSERT_FALSE(loaded.error().where.empty());
      ASSERT_FALSE(loaded.error().message.empty());
    } else {
      ASSERT_LE(loaded->info.events, text.size());
    }
  }
}

TEST(Kineto, EveryCutOfTheSampleIsAnOutcome) {
  for (std::size_t size = 0; size < kSample.size(); ++size) {
    SCOPED_TRACE(fmt::format("cut at {}", size));
    ASSERT_NO_FATAL_FAILURE(expect_sound(kSample.substr(0, size)));
  }
}

TEST(Kineto, EveryCutOfAnArrayKeepsTheEventsBeforeIt) {
  const std::string whole = sample_array();
  for (const bool lenient : {false, true}) {
    std::uint64_t before = 0;
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const auto loaded = load(std::string_view(whole).substr(0, size), {.lenient = lenient, .threads = 1});

      ASSERT_TRUE(loaded.has_value()) << "cut at " << size << ": " << loaded.error().message;
      ASSERT_GE(loaded->info.events, before) << "cut at " << size;
      before = loaded->info.events;
    }
    EXPECT_EQ(before, 21U);
  }
}

TEST(Kineto, EveryMutationOfTheSampleIsAnOutcome) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  constexpr std::string_view kNasty(
      "{}[]\",:\\\n\0\x01\xFF"
      "0-eE.unN",
      20);
  for (int round = 0; round < 4'000; ++round) {
    std::string text(kSample);
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text.erase(at, 1 + random() % 4); break;
        case 1: text.insert(at, 1, kNasty[random() % kNasty.size()]); break;
        case 2: text[at] = static_cast<char>(random() % 256); break;
        default: text[at] = kNasty[random() % kNasty.size()]; break;
      }
    }
    SCOPED_TRACE(fmt::format("seed {}, round {}:\n{}", kSeed, round, text));
    ASSERT_NO_FATAL_FAILURE(expect_sound(text));
  }
}

}  // namespace
}  // namespace foretell::ingest::kineto
