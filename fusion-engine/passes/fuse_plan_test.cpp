// SPDX-License-Identifier: Apache-2.0
// Costs, limits and order of a plan; fuse_test.cpp has who goes with whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fusion-engine/passes/fuse_test_plan.hpp"
#include "fusion-engine/passes/iteration_space.hpp"

namespace foretell::passes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Walked twice: for the largest, and for what it is taken from. The sum of four is computed again, from all
// of them.
constexpr std::string_view kLongRow =
    "graph g\n"
    "a = input(to=f32, shape=[4,1048576])\n"
    "b = input(to=f32, shape=[4,1048576])\n"
    "c = input(to=f32, shape=[4,1048576])\n"
    "d = input(to=f32, shape=[4,1048576])\n"
    "e = add(a, b)\n"
    "f = add(e, c)\n"
    "g = add(f, d)\n"
    "m = amax(g, axes=[1], keep_dims=true)\n"
    "y = sub(g, m)\n"
    "return y=y\n";

// The mask of causal attention: both sources lie in the kernel, and neither's extents are the loops'.
TEST(FusePlan, SourcesOfRowsAndOfColumnsShareAKernel) {
  const ir::Graph graph = parse(
      "graph g\n"
      "x = input(to=f32, shape=[3,4])\n"
      "rows = iota(shape=[3,1], axis=0, to=i32)\n"
      "columns = iota(shape=[1,4], axis=1, to=i32)\n"
      "seen = le(columns, rows)\n"
      "none = constant(value=0, to=f32)\n"
      "y = where(seen, x, none)\n"
      "return y=y\n");
  const FusionPlan plan = fuse(graph);
  ASSERT_THAT(steps(graph, plan), ElementsAre("iota iota le where"));
  const auto space = find_space(graph, plan.groups.front().nodes);
  ASSERT_TRUE(space) << space.error().text;
  EXPECT_EQ(space->shape, plan.groups.front().space);
}

TEST(FuseCost, RowBeyondTheCacheIsReadOncePerWalk) {
  const ir::Graph graph = parse(kLongRow);
  const FusionPlan plan = fuse(graph, {.private_cache_bytes = 1 << 20});
  EXPECT_THAT(steps(graph, plan), ElementsAre("add add add amax", "sub"));
  // One tensor is 16 MiB; nine (2 x 4 read, 1 written) against seven (4 read, 1 written, 1 read, 1 written)
  // and the largest of each row, 16 bytes, written and read.
  EXPECT_THAT(
      sentences(plan),
      ElementsAre("traffic: add %6 and sub %8 stay apart: one kernel would move 150994944 bytes, two move "
                  "117440544",
                  "traffic: amax %7 and sub %8 stay apart: one kernel would move 150994944 bytes, two move "
                  "117440544"));
}

TEST(FuseCost, RowWithinTheCacheIsReadOnce) {
  const ir::Graph graph = parse(kLongRow);
  const FusionPlan plan = fuse(graph, {.private_cache_bytes = 64 << 20});
  EXPECT_THAT(steps(graph, plan), ElementsAre("add add add amax sub"));
  EXPECT_THAT(sentences(plan), IsEmpty());
}

TEST(FuseCost, BytesOfAChain) {
  const ir::Graph graph = parse(
      "graph g\n"
      "x = input(to=f32, shape=[1000])\n"
      "a = relu(x)\n"
      "b = exp(a)\n"
      "c = neg(b)\n"
      "return y=c\n");
  const FusionPlan plan = fuse(graph);
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].bytes_unfused, 6 * 4000);
  EXPECT_EQ(plan.groups[0].bytes_fused, 2 * 4000);
  EXPECT_EQ(plan.groups[0].flops, 1000 * (1 + ir::info(ir::OpKind::Exp).flops + 1));
}

TEST(FuseLimits, NoKernelHasMoreNodesThanAllowed) {
  std::string text = "graph g\nx = input(to=f32, shape=[64])\ny = relu(x)\n";
  text += "repeat 20 {\n  y = neg(y)\n}\nreturn y=y\n";
  const ir::Graph graph = parse(text);
  const FusionPlan plan = fuse(graph, {.max_nodes = 8});
  std::size_t nodes = 0;
  for (const FusionGroup& group : plan.groups) {
    EXPECT_LE(group.nodes.size(), 8U);
    nodes += group.nodes.size();
  }
  EXPECT_EQ(nodes, 21U);
  ASSERT_FALSE(plan.refusals.empty());
  EXPECT_EQ(plan.refusals[0].reason, "size");
}

TEST(FuseOptions, HorizontalMayBeSwitchedOff) {
  const ir::Graph graph = parse(
      "graph g\n"
      "x = input(to=f32, shape=[8])\n"
      "a = relu(x)\n"
      "b = neg(x)\n"
      "return a=a, b=b\n");
  EXPECT_EQ(fuse(graph, {.horizontal = true}).groups.size(), 1U);
  EXPECT_EQ(fuse(graph, {.horizontal = false}).groups.size(), 2U);
}

// Operands come before readers, and every node that is no input, constant or source is in one step.
TEST(FusePlan, OrderFollowsDataFlow) {
  const ir::Graph graph = parse(
      "graph g\n"
      "x = input(to=f32, shape=[16,16])\n"
      "a = relu(x)\n"
      "m = matmul(a, x)\n"
      "b = exp(x)\n"
      "k = matmul(b, m)\n"
      "c = add(b, k)\n"
      "d = sub(a, m)\n"
      "e = mul(c, d)\n"
      "return y=e\n");
  const FusionPlan plan = fuse(graph);
  std::set<ir::NodeId> known(graph.inputs().begin(), graph.inputs().end());
  for (const PlanStep& step : plan.steps) {
    std::vector<ir::NodeId> members{step.node};
    if (step.kind == PlanStep::Kind::Kernel) {
      members = plan.groups[step.group].nodes;
    }
    for (const ir::NodeId id : members) {
      for (const ir::NodeId operand : graph.node(id).operands) {
        EXPECT_TRUE(known.contains(operand)) << ir::index(operand) << " before " << ir::index(id);
      }
      EXPECT_TRUE(known.insert(id).second);
    }
  }
  EXPECT_EQ(known.size(), graph.size());
}

}  // namespace
}  // namespace foretell::passes
