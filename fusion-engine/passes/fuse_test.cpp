// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fusion-engine/ir/text.hpp"

namespace foretell::passes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ir::Graph parse(std::string_view text) {
  auto graph = ir::parse(text);
  EXPECT_TRUE(graph.has_value()) << graph.error().message;
  return graph ? *std::move(graph) : ir::Graph();
}

// "relu add", "matmul", "view": one text per step.
std::vector<std::string> steps(const ir::Graph& graph, const FusionPlan& plan) {
  std::vector<std::string> result;
  for (const PlanStep& step : plan.steps) {
    std::string text;
    switch (step.kind) {
      case PlanStep::Kind::View: text = "view"; break;
      case PlanStep::Kind::Op: text = fmt::format("op {}", ir::to_string(graph.node(step.node).op)); break;
      case PlanStep::Kind::Kernel:
        for (const ir::NodeId id : plan.groups[step.group].nodes) {
          text += fmt::format("{}{}", text.empty() ? "" : " ", ir::to_string(graph.node(id).op));
        }
        break;
    }
    result.push_back(text);
  }
  return result;
}

std::vector<std::string> sentences(const FusionPlan& plan) {
  std::vector<std::string> result;
  for (const Refusal& refusal : plan.refusals) {
    result.push_back(fmt::format("{}: {}", refusal.reason, refusal.sentence));
  }
  return result;
}

struct Case {
  std::string_view name;
  std::string_view text;
  std::vector<std::string> steps;
  std::vector<std::string> refusals;
};

const Case kCases[] = {
    {"chain_is_one_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(a)\n"
     "c = add(b, x)\n"
     "return y=c\n",
     {"relu exp add"},
     {}},
    {"value_needed_outside_is_written_too",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(a)\n"
     "return a=a, b=b\n",
     {"relu exp"},
     {}},
    {"several_consumers",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(a)\n"
     "c = tanh(a)\n"
     "d = add(b, c)\n"
     "return y=d\n",
     {"relu exp tanh add"},
     {}},
    {"readers_of_one_input",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = sum(x, axes=[1])\n"
     "return a=a, b=b\n",
     {"relu sum"},
     {}},
    {"library_op_is_refused",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "w = input(to=f32, shape=[16,16])\n"
     "a = neg(x)\n"
     "m = matmul(a, w)\n"
     "b = relu(m)\n"
     "return y=b\n",
     {"neg", "op matmul", "relu"},
     {"library-op: matmul %3 runs in a library; it reads the result of neg %2 from memory",
      "library-op: matmul %3 runs in a library; relu %4 reads its result from memory"}},
    {"no_cycle_through_an_op_outside",
     // relu and add may not be one kernel: matmul needs relu first, and add needs matmul.
     "graph g\n"
     "x = input(to=f32, shape=[16,16])\n"
     "a = relu(x)\n"
     "m = matmul(a, a)\n"
     "b = add(a, m)\n"
     "return y=b\n",
     {"relu", "op matmul", "add"},
     {"library-op: matmul %2 runs in a library; it reads the result of relu %1 from memory",
      "cycle: relu %1 and add %3 stay apart: a value of one reaches the other through an op outside both",
      "library-op: matmul %2 runs in a library; add %3 reads its result from memory"}},
    {"layer_norm_is_one_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "w = input(to=f32, shape=[16])\n"
     "e = constant(value=1e-5, to=f32)\n"
     "m = mean(x, axes=[1], keep_dims=true)\n"
     "v = var(x, axes=[1], keep_dims=true)\n"
     "d = sub(x, m)\n"
     "f = add(v, e)\n"
     "r = rsqrt(f)\n"
     "n = mul(d, r)\n"
     "y = mul(n, w)\n"
     "return y=y\n",
     {"mean var sub add rsqrt mul mul"},
     {}},
    {"axes_dropped_by_a_reduction_line_up",
     "graph g\n"
     "x = input(to=f32, shape=[8,8])\n"
     "z = input(to=f32, shape=[8])\n"
     "a = exp(z)\n"
     "s = sum(x, axes=[1])\n"
     "y = add(s, a)\n"
     "return y=y\n",
     {"exp sum add"},
     {}},
    {"dropped_axis_against_a_row_is_refused",
     // s[8] lies along axis 0 of x, and is then added along axis 1.
     "graph g\n"
     "x = input(to=f32, shape=[8,8])\n"
     "s = sum(x, axes=[1])\n"
     "y = add(x, s)\n"
     "return y=y\n",
     {"sum", "add"},
     {"shape: sum %1 and add %2 stay apart: add %2 reads the result of sum %1 along other axes"}},
    {"different_reductions_stay_apart",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = sum(x, axes=[1], keep_dims=true)\n"
     "b = div(x, a)\n"
     "c = sum(b, axes=[0])\n"
     "return y=c\n",
     {"sum div", "sum"},
     {"reduction-shape: div %2 and sum %3 stay apart: sum %1 reduces [8,16] over [1] and sum %3 reduces "
      "[8,16] over [0]"}},
    {"axes_that_are_not_adjacent_run_by_themselves",
     "graph g\n"
     "x = input(to=f32, shape=[4,5,6])\n"
     "a = relu(x)\n"
     "b = sum(a, axes=[0,2])\n"
     "return y=b\n",
     {"relu", "op sum"},
     {"reduction-axes: sum %2 reduces axes that aren't adjacent; it reads the result of relu %1 from "
      "memory"}},
    {"views_are_readings_of_memory",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "p = permute(a, permutation=[1,0])\n"
     "b = exp(p)\n"
     "return y=b\n",
     {"relu", "view", "exp"},
     {"view-between: exp %3 reads relu %1 through permute %2, which stays a reading of memory"}},
    {"reshape_that_strides_cannot_express_is_a_copy",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "p = permute(x, permutation=[1,0])\n"
     "r = reshape(p, shape=[128])\n"
     "b = exp(r)\n"
     "return y=b\n",
     {"view", "op reshape", "exp"},
     {}},
    {"sources_are_computed_where_they_are_read",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "w = input(to=f32, shape=[16,16])\n"
     "u = random_uniform(shape=[8,16], to=f32, seed=1, counter=2)\n"
     "a = mul(x, u)\n"
     "m = matmul(a, w)\n"
     "b = mul(m, u)\n"
     "return y=b\n",
     {"random_uniform mul", "op matmul", "random_uniform mul"},
     {"library-op: matmul %4 runs in a library; it reads the result of mul %3 from memory",
      "library-op: matmul %4 runs in a library; mul %5 reads its result from memory"}},
    {"source_of_an_op_without_kernel_is_in_memory",
     "graph g\n"
     "i = iota(shape=[8,3,2], axis=0, to=i64)\n"
     "y = amax(i, axes=[0,2])\n"
     "return y=y\n",
     {"iota", "op amax"},
     {}},
    {"costly_op_is_not_repeated_along_axes_it_lacks",
     "graph g\n"
     "x = input(to=f32, shape=[64,16])\n"
     "z = input(to=f32, shape=[16])\n"
     "a = tanh(z)\n"
     "y = add(x, a)\n"
     "return y=y\n",
     {"tanh", "add"},
     {"recompute: tanh %2 and add %3 stay apart: tanh %2 would be computed again along the axes it lacks"}},
    {"one_number_is_computed_in_the_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[64,16])\n"
     "z = input(to=f32, shape=[])\n"
     "a = tanh(z)\n"
     "y = mul(x, a)\n"
     "return y=y\n",
     {"tanh mul"},
     {}},
    {"small_value_needed_by_itself_has_its_own_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[64,16])\n"
     "z = input(to=f32, shape=[16])\n"
     "a = neg(z)\n"
     "y = mul(x, a)\n"
     "return a=a, y=y\n",
     {"neg", "mul"},
     {"broadcast: neg %2 and mul %3 stay apart: neg %2 is also needed by itself, and these loops would write "
      "each element repeatedly"}},
    {"independent_kernels_of_one_space_share_a_launch",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "z = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(z)\n"
     "return a=a, b=b\n",
     {"relu exp"},
     {}},
    {"large_independent_kernels_stay_apart",
     "graph g\n"
     "x = input(to=f32, shape=[1024,1024])\n"
     "z = input(to=f32, shape=[1024,1024])\n"
     "a = relu(x)\n"
     "b = exp(z)\n"
     "return a=a, b=b\n",
     {"relu", "exp"},
     {}},
};

class Fuse : public testing::TestWithParam<Case> {};

TEST_P(Fuse, GroupsAndReasons) {
  const Case& row = GetParam();
  const ir::Graph graph = parse(row.text);
  const FusionPlan plan = fuse(graph);
  EXPECT_EQ(steps(graph, plan), row.steps);
  EXPECT_EQ(sentences(plan), row.refusals);
}

INSTANTIATE_TEST_SUITE_P(Cases, Fuse, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

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
