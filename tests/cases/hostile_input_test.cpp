// SPDX-License-Identifier: Apache-2.0
// Inputs nobody should trust: nothing is lost without a word, nothing that must stay private is shown, and no
// small file costs more than its size.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cases/trace_text.hpp"

namespace foretell::cases {
namespace {

using profile::Stat;
using testing::HasSubstr;
using testing::Not;
using timeline::Verdict;

constexpr const char* kKernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,"args":{"device":0,"stream":7,"correlation":1}})";
constexpr const char* kLaunch =
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":2,"args":{"correlation":1}})";

std::string object(const std::string& events, const std::string& before = "", const std::string& after = "") {
  return fmt::format("{{{}\"traceEvents\":[{}]{}}}", before, events, after);
}
std::string pair() { return fmt::format("{},{}", kLaunch, kKernel); }

ingest::ReadOptions lenient() { return {.lenient = true, .progress = {}}; }

TEST(HostileInput, BrokenMetadataIsNeverShown) {
  const std::string bad = object(pair(), R"("metadata":{"env":{"TOKEN":"SECRETVALUE" SECRETWORD "A":1}},)");
  const Error error = refusal(bad);
  EXPECT_THAT(error.message + error.where + error.hint, Not(HasSubstr("SECRET")));
  EXPECT_THAT(error.where, HasSubstr("byte"));
}

TEST(HostileInput, MetadataIsNeverShown) {
  const Analysis analysis =
      analyze(object(pair(), R"("metadata":{"env":{"TOKEN":"SECRETVALUE"}},"host_name":"SECRETHOST",)"));
  EXPECT_THAT(analysis.report(), Not(HasSubstr("SECRET")));
  EXPECT_THAT(analysis.said(), Not(HasSubstr("SECRET")));
}

TEST(HostileInput, SecondDocumentIsALoss) {
  const Analysis analysis = analyze(object(pair()) + "\n" + object(pair()));
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("another document"));
}

TEST(HostileInput, MissingDurationIsALoss) {
  const Analysis analysis = analyze(object(
      pair() +
      R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"args":{"device":0,"stream":7}})"));
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
  EXPECT_TRUE(analysis.says("1 complete event without a duration"));
}

TEST(HostileInput, UnreadableTimeIsCountedOnce) {
  const Analysis analysis =
      analyze(object(pair() + R"(,{"ph":"X","cat":"cpu_op","name":"a","ts":"soon","dur":1})"));
  EXPECT_EQ(analysis.count(Stat::BadTimestamp), 1U);
  EXPECT_EQ(analysis.count(Stat::MissingTimestamp), 0U);
  EXPECT_TRUE(analysis.says("1 event without a readable time stamp"));
}

TEST(HostileInput, NothingTimedIsUnusable) {
  for (const char* text : {R"({"traceEvents":[]})", "[", "[[1],[2]]", R"([{"ph":"X","name":"a"}])"}) {
    EXPECT_EQ(analyze(text).verdict(), Verdict::Unusable) << text;
    EXPECT_EQ(analyze(text).timeline.steps.kind, timeline::StepKind::Whole) << text;
  }
}

TEST(HostileInput, BeginAndEndOfDeviceRowsAreALoss) {
  const Analysis analysis = analyze(object(
      pair() +
      R"(,{"ph":"B","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30},{"ph":"E","cat":"kernel","pid":0,"tid":7,"ts":40})"));
  EXPECT_EQ(analysis.count(Stat::UnreadRanges), 2U);
  EXPECT_EQ(analysis.verdict(), Verdict::Partial);
}

TEST(HostileInput, RecordsThatWereNotUnderstoodAreNamed) {
  const Analysis analysis = analyze(object(
      std::string(kLaunch) + R"(,{"ph":"X","cat":"gpu_kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5})"));
  EXPECT_EQ(analysis.verdict(), Verdict::Unusable);
  EXPECT_TRUE(analysis.says("1 record was not understood"));
}

TEST(HostileInput, WaitOnAnotherDeviceDoesNotMakeItActive) {
  const Analysis analysis = analyze(object(
      R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":3,"tid":-1,"ts":1,"dur":5,"args":{"device":3,"stream":-1}},)" +
      pair()));
  EXPECT_EQ(analysis.facts().active_devices, 1U);
  for (const profile::Device& device : analysis.profile.devices) {
    EXPECT_EQ(device.active(), device.id == 0) << device.id;
  }
}

TEST(HostileInput, TextRowLabelsNameTheDevice) {
  const Analysis analysis = analyze(
      object(R"({"ph":"X","cat":"kernel","name":"k","pid":"GPU 0","tid":"stream 7","ts":0,"dur":10},)"
             R"({"ph":"X","cat":"kernel","name":"k","pid":"GPU 1","tid":"stream 7","ts":0,"dur":10})"));
  EXPECT_EQ(analysis.facts().kernel_busy_ns, 20'000);
}

TEST(HostileInput, IdsThatRepeatBetweenProcessesAreNoStreamCapture) {
  std::string other = pair();
  const Analysis analysis = analyze(object(pair() + "," + other));
  EXPECT_FALSE(analysis.says("stream capture"));
  EXPECT_TRUE(analysis.says("repeat between processes"));
}

struct LenientCase {
  const char* name;
  std::string events;
  std::uint64_t kept;
  std::uint64_t dropped;
};

class LenientReading : public testing::TestWithParam<LenientCase> {};

// Whatever is broken: the events around it stay, what follows the array is read, and the count is right.
TEST_P(LenientReading, CostsTheBrokenEventsAlone) {
  const Analysis analysis =
      analyze(object(GetParam().events, "", R"(,"distributedInfo":{"rank":3,"world_size":8})"), lenient());
  EXPECT_EQ(analysis.profile.info.events, GetParam().kept);
  EXPECT_EQ(analysis.count(Stat::EventsDropped), GetParam().dropped);
  EXPECT_EQ(analysis.count(Stat::FileEndsEarly), 0U);
  EXPECT_EQ(analysis.profile.info.rank, 3);
}

INSTANTIATE_TEST_SUITE_P(
    HostileInput, LenientReading,
    testing::Values(LenientCase{"First", R"({"ph":"X" "x"},)" + pair(), 2, 1},
                    LenientCase{"Middle", fmt::format(R"({},{{"ph":"X",tid":0}},{})", kLaunch, kKernel), 2,
                                1},
                    LenientCase{"Last", pair() + R"(,{"ph":"X","args":{"grid":[1,1],"x" 1}})", 2, 1},
                    LenientCase{"Doubled", R"({"ph" 1},{"ph" 2},)" + pair(), 2, 2},
                    LenientCase{"MissingComma", fmt::format("{} {}", kLaunch, kKernel), 2, 0},
                    LenientCase{"NestedObjectsWithAPhaseAreNoEvents",
                                R"({"ph":"X" "x", "args":{"a":[0,{"b":{"ph":"i"}}]}},)" + pair(), 2, 2}),
    [](const auto& row) { return row.param.name; });

TEST(HostileInput, LookingForTheNextEventStaysCheap) {
  // one broken event that holds many brackets, commas and objects: each could be the array's end or the next
  // event
  for (const char* part : {R"("x":[],)", R"({},)", R"({"a":[0,)", R"([0,{"b":{}}],)"}) {
    std::string broken = R"({"ph":"X" "x",)";
    while (broken.size() < 1'000'000) {
      broken += part;
    }
    const Analysis analysis = analyze(object(pair() + "," + broken), lenient());
    EXPECT_EQ(analysis.profile.info.events, 2U) << part;
    EXPECT_GE(analysis.count(Stat::EventsDropped), 1U) << part;
  }
}

TEST(HostileInput, ManyStepsCostNoMoreThanTheirNumber) {
  // bounded work per step: with a look at all later steps for each of them this takes minutes
  std::string events = pair();
  for (int i = 0; i < 60'000; ++i) {
    events += fmt::format(
        R"(,{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":9}})",
        i, 100 + 10 * i);
  }
  EXPECT_EQ(analyze(object(events)).timeline.steps.all.size(), 60'000U);
}

}  // namespace
}  // namespace foretell::cases
