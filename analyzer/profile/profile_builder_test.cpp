// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_builder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretell::profile {
namespace {

using testing::ElementsAre;

std::uint32_t thread_of(ProfileBuilder& builder, std::int64_t tid = 1) {
  return builder.thread({.number = 42}, {.number = tid});
}

// One X record.
void add_op(ProfileBuilder& builder, std::string_view name, std::int64_t start_ns, std::int64_t duration_ns,
            std::int64_t tid = 1) {
  const std::uint32_t thread = thread_of(builder, tid);
  HostOps& ops = builder.profile().host_ops;
  ops.append({.start_ns = start_ns,
              .duration_ns = duration_ns,
              .name = builder.profile().strings.intern(name),
              .thread = thread,
              .kind = HostOpKind::Operator});
}

void begin(ProfileBuilder& builder, std::int64_t time_ns, std::string_view name, std::int64_t tid = 1) {
  builder.begin_range(time_ns, builder.profile().strings.intern(name), thread_of(builder, tid),
                      HostOpKind::Other);
}
void end(ProfileBuilder& builder, std::int64_t time_ns, std::string_view name, std::int64_t tid = 1) {
  builder.end_range(time_ns, builder.profile().strings.intern(name), thread_of(builder, tid));
}

// "a[0,10](b[2,5]) c[10,20]": the nested ops as text.
std::string tree(const Profile& profile, std::uint32_t parent = kNoRow) {
  std::string text;
  const HostOps& ops = profile.host_ops;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.parent[row] == parent) {
      const std::string children = tree(profile, row);
      text += fmt::format("{}{}[{},{}]", text.empty() ? "" : " ", profile.text(ops.name[row]),
                          ops.start_ns[row], ops.start_ns[row] + ops.duration_ns[row]);
      text += children.empty() ? children : fmt::format("({})", children);
    }
  }
  return text;
}

TEST(ProfileBuilder, EqualLabelsAreOneThread) {
  ProfileBuilder builder;
  const StringId text = builder.profile().strings.intern("CPU functions");

  const std::uint32_t first = builder.thread({.number = 1}, {.number = 2});
  const std::uint32_t other = builder.thread({.text = text}, {.number = 2});

  EXPECT_NE(first, other);
  EXPECT_NE(builder.thread({.number = 2}, {.number = 1}), first);
  EXPECT_EQ(builder.thread({.number = 1}, {.number = 2}), first);
  EXPECT_EQ(builder.thread({.text = text}, {.number = 2}), other);
  EXPECT_EQ(builder.profile().threads.size(), 3U);
}

TEST(ProfileBuilder, LabelsThatHashAlikeAreStillTwoThreads) {
  ProfileBuilder builder;
  const StringId text = builder.profile().strings.intern("worker");
  const std::int64_t alike = std::int64_t{index_of(text)} << 32;

  const std::uint32_t numbered = builder.thread({.number = alike}, {.number = 0});
  const std::uint32_t named = builder.thread({.number = 0, .text = text}, {.number = 0});

  EXPECT_NE(numbered, named);
  EXPECT_EQ(builder.thread({.number = alike}, {.number = 0}), numbered);
}

TEST(ProfileBuilder, StreamsBelongToDevices) {
  ProfileBuilder builder;

  const std::uint32_t first = builder.stream(0, 7);
  const std::uint32_t second = builder.stream(1, 7);

  EXPECT_NE(first, second);
  EXPECT_EQ(builder.stream(0, 7), first);
  EXPECT_EQ(builder.stream(0, 7), first);
  builder.device(5);  // listed, without a stream
  const Profile profile = builder.finish();
  ASSERT_EQ(profile.devices.size(), 3U);
  EXPECT_EQ(profile.devices[profile.streams[second].device].id, 1);
}

TEST(ProfileBuilder, DeviceIsActiveByItsWorkNotByWaitsOrStreams) {
  ProfileBuilder builder;
  const auto add = [&](std::uint32_t stream, ActivityKind kind) {
    DeviceActivities& rows = builder.profile().activities;
    for (auto* column : {&rows.start_ns, &rows.duration_ns, &rows.correlation, &rows.external_id,
                         &rows.graph_id, &rows.graph_node_id, &rows.bytes}) {
      column->push_back(1);
    }
    rows.name.push_back(StringId::Empty);
    rows.stream.push_back(stream);
    rows.launch.push_back(kNoRow);
    rows.kind.push_back(kind);
    rows.timed.push_back(true);
  };
  add(builder.stream(0, 7), ActivityKind::Sync);
  add(builder.stream(1, 7), ActivityKind::Kernel);
  builder.stream(2, 7);

  const Profile profile = builder.finish();

  EXPECT_FALSE(profile.devices[0].active());
  EXPECT_TRUE(profile.devices[1].active());
  EXPECT_FALSE(profile.devices[2].active());
}

struct X {
  std::string_view name;
  std::int64_t start_ns, duration_ns;
};
struct Half {
  std::int64_t time_ns;
  std::string_view name;
  bool is_end;
};
struct Case {
  std::string_view name;
  std::vector<X> ops;
  std::vector<Half> halves;
  std::string_view want;
  std::uint64_t clipped = 0, unmatched_begin = 0, unmatched_end = 0;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Nesting : public testing::TestWithParam<Case> {};

TEST_P(Nesting, IsByTimeWhateverTheOrder) {
  const Case& given = GetParam();
  for (const bool reversed : {false, true}) {
    ProfileBuilder builder;
    const auto add = [&](const auto& rows, const auto& one) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        one(rows[reversed ? rows.size() - 1 - i : i]);
      }
    };
    add(given.ops, [&](const X& op) { add_op(builder, op.name, op.start_ns, op.duration_ns); });
    add(given.halves, [&](const Half& half) {
      half.is_end ? end(builder, half.time_ns, half.name) : begin(builder, half.time_ns, half.name);
    });

    const Profile profile = builder.finish();

    EXPECT_EQ(tree(profile), given.want);
    EXPECT_EQ(profile.stats[Stat::ClippedChildren], given.clipped);
    EXPECT_EQ(profile.stats[Stat::UnmatchedBegin], given.unmatched_begin);
    EXPECT_EQ(profile.stats[Stat::UnmatchedEnd], given.unmatched_end);
  }
}

INSTANTIATE_TEST_SUITE_P(
    ProfileBuilder, Nesting,
    testing::Values(
        Case{"Nothing", {}, {}, ""},
        Case{"ParentFirstInTime", {{"a", 0, 10}, {"b", 2, 3}, {"c", 10, 5}}, {}, "a[0,10](b[2,5]) c[10,15]"},
        Case{"LongerFirstAtEqualStart", {{"in", 0, 5}, {"out", 0, 10}}, {}, "out[0,10](in[0,5])"},
        Case{"NameAtEqualStartAndLength", {{"b", 0, 5}, {"a", 0, 5}}, {}, "a[0,5](b[0,5])"},
        Case{"ThreeDeep",
             {{"a", 0, 10}, {"b", 1, 8}, {"c", 2, 2}, {"d", 5, 2}},
             {},
             "a[0,10](b[1,9](c[2,4] d[5,7]))"},
        Case{"ChildOverruns", {{"parent", 0, 75}, {"child", 8, 78}}, {}, "parent[0,75](child[8,86])", 1},
        Case{"EmptyRange", {{"a", 0, 10}, {"b", 4, 0}}, {}, "a[0,10](b[4,4])"},
        Case{"NegativeDurationHoldsNothing", {{"a", 5, -3}, {"b", 6, 1}}, {}, "a[5,2] b[6,7]"},
        Case{"Pair", {}, {{0, "a", false}, {10, "a", true}}, "a[0,10]"},
        Case{"NestedPairs",
             {},
             {{0, "a", false}, {2, "b", false}, {5, "b", true}, {10, "a", true}},
             "a[0,10](b[2,5])"},
        Case{"NestedPairsEndTogether",
             {},
             {{0, "a", false}, {2, "b", false}, {9, "a", true}, {9, "b", true}},
             "a[0,9](b[2,9])"},
        Case{"UnnamedEnds",
             {},
             {{0, "a", false}, {2, "b", false}, {5, "", true}, {10, "", true}},
             "a[0,10](b[2,5])"},
        Case{"EndClosesBeforeBeginOpens",
             {},
             {{0, "a", false}, {10, "a", true}, {10, "a", false}, {15, "a", true}},
             "a[0,10] a[10,15]"},
        Case{"EmptyPair", {}, {{4, "a", false}, {4, "a", true}}, "a[4,4]"},
        Case{"EmptyPairInsideAnother",
             {},
             {{0, "a", false}, {4, "b", false}, {4, "b", true}, {9, "a", true}},
             "a[0,9](b[4,4])"},
        Case{"BeginWithoutEnd", {{"x", 0, 1}}, {{0, "a", false}}, "x[0,1]", 0, 1, 0},
        Case{"EndWithoutBegin", {{"x", 0, 1}}, {{5, "a", true}}, "x[0,1]", 0, 0, 1},
        Case{"EndOfAnotherName", {}, {{0, "a", false}, {3, "b", true}, {5, "a", true}}, "a[0,5]", 0, 0, 1},
        Case{"RecordBeforePairAtEqualTimes",
             {{"x", 0, 10}},
             {{0, "b", false}, {10, "b", true}},
             "x[0,10](b[0,10])"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(ProfileBuilder, PairsStayOnTheirThread) {
  ProfileBuilder builder;
  begin(builder, 0, "a", 1);
  begin(builder, 1, "a", 2);
  end(builder, 5, "a", 2);
  end(builder, 9, "a", 1);

  const Profile profile = builder.finish();

  EXPECT_EQ(tree(profile), "a[0,9] a[1,5]");
  EXPECT_EQ(profile.stats[Stat::UnmatchedBegin] + profile.stats[Stat::UnmatchedEnd], 0U);
}

TEST(ProfileBuilder, OpsOfAnotherThreadAreNoChildren) {
  ProfileBuilder builder;
  add_op(builder, "a", 0, 10, 1);
  add_op(builder, "b", 2, 3, 2);
  add_op(builder, "c", 4, 3, 1);

  EXPECT_EQ(tree(builder.finish()), "a[0,10](c[4,7]) b[2,5]");
}

TEST(ProfileBuilder, ApiCallsAreSortedByThreadThenStart) {
  ProfileBuilder builder;
  const auto add = [&](std::int64_t start_ns, RecordId correlation, std::int64_t tid) {
    const std::uint32_t thread = thread_of(builder, tid);
    ApiCalls& calls = builder.profile().api_calls;
    calls.append({.start_ns = start_ns,
                  .duration_ns = 1,
                  .correlation = correlation,
                  .name = StringId::Empty,
                  .thread = thread,
                  .kind = ApiKind::KernelLaunch});
  };
  add(30, 3, 1);
  add(5, 4, 2);
  add(10, 1, 1);
  add(10, 2, 1);  // equal start: in file order

  const Profile profile = builder.finish();

  EXPECT_THAT(
      (std::vector<RecordId>{profile.api_calls.correlation.begin(), profile.api_calls.correlation.end()}),
      ElementsAre(1, 2, 3, 4));
}

TEST(ProfileBuilder, ActivitiesAreSortedByStreamThenStart) {
  ProfileBuilder builder;
  const auto add = [&](std::int64_t start_ns, RecordId correlation, std::int64_t stream, bool timed) {
    DeviceActivities& rows = builder.profile().activities;
    rows.append({.start_ns = start_ns,
                 .duration_ns = 1,
                 .correlation = correlation,
                 .name = StringId::Empty,
                 .stream = builder.stream(0, stream),
                 .kind = ActivityKind::Kernel,
                 .timed = timed});
  };
  add(20, 3, 7, true);
  add(0, 2, 7, true);
  add(0, 1, 7, false);  // untimed ones first
  add(1, 4, 9, true);

  const Profile profile = builder.finish();

  EXPECT_THAT(
      (std::vector<RecordId>{profile.activities.correlation.begin(), profile.activities.correlation.end()}),
      ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(profile.activities.timed[0]);
}

TEST(ProfileBuilder, FlowsWithOneEndAreCountedPerId) {
  ProfileBuilder builder;
  Flows& flows = builder.profile().flows;
  for (const auto& [id, is_start] : std::vector<std::pair<RecordId, bool>>{
           {1, true}, {1, false}, {2, true}, {3, false}, {3, false}, {4, true}, {4, true}, {4, false}}) {
    flows.id.push_back(id);
    flows.is_start.push_back(is_start);
  }

  EXPECT_EQ(builder.finish().stats[Stat::DanglingFlows], 2U);  // 2 and 3
}

TEST(ProfileBuilder, CoverIsTheHull) {
  ProfileBuilder builder;
  EXPECT_EQ(builder.profile().info.first_ns, std::nullopt);
  builder.cover(10, 20);
  builder.cover(-5, 0);
  builder.cover(12, 15);

  const Profile profile = builder.finish();

  EXPECT_EQ(profile.info.first_ns, -5);
  EXPECT_EQ(profile.info.last_ns, 20);
}

TEST(ProfileBuilder, AllocatedBytesFollowTheTables) {
  ProfileBuilder builder;
  const std::size_t before = builder.allocated_bytes();
  for (int i = 0; i < 10'000; ++i) {
    add_op(builder, "op", i, 1);
  }

  EXPECT_GE(builder.allocated_bytes() - before, 10'000 * 30U);
}

}  // namespace
}  // namespace foretell::profile
