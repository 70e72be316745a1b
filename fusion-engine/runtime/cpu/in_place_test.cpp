// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/in_place.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/fuse.hpp"

namespace foretell::runtime::cpu {
namespace {

struct Case {
  std::string_view name;
  std::string_view text;
  std::vector<bool> want;
};

class StatesInPlace : public testing::TestWithParam<Case> {};
TEST_P(StatesInPlace, AreThoseThatNothingMisses) {
  const auto graph = ir::parse(GetParam().text);
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  const passes::FusionPlan plan = passes::fuse(*graph);
  // One stage each: what pointwise kernels have.
  const std::vector<codegen::KernelSource> kernels(plan.groups.size(),
                                                   {.stages = {{.symbol = "k", .units = 1}}});
  EXPECT_EQ(InPlace(*graph, plan, kernels).states(), GetParam().want);
}

constexpr std::string_view kHead =
    "graph g\ns = input(to=f32, shape=[4,8])\nx = input(to=f32, shape=[4,8])\n";
std::string with_head(std::string_view rest) { return std::string(kHead) + std::string(rest); }

const std::string kUpdate = with_head("t = add(s, x)\nreturn s2=t updates s\n");
const std::string kUnread = with_head("t = relu(x)\nreturn s2=t updates s\n");
const std::string kPlain = with_head("t = add(s, x)\nreturn y=t\n");
const std::string kShown = with_head("t = add(s, x)\nreturn s2=t updates s, old=s\n");
const std::string kShownThroughAView =
    with_head("t = add(s, x)\nv = permute(s, permutation=[1,0])\nreturn s2=t updates s, old=v\n");
const std::string kReadLater =
    with_head("t = add(s, x)\nm = matmul(t, s, transpose_b=true)\nreturn s2=t updates s, y=m\n");
const std::string kReadBefore = with_head(
    "m = matmul(x, s, transpose_b=true)\nr = sum(m, axes=[1], keep_dims=true)\nt = mul(x, r)\nreturn s2=t "
    "updates s\n");
const std::string kByAnOp =
    with_head("m = matmul(x, x, transpose_b=true)\nn = matmul(m, x)\nreturn s2=n updates s\n");
const std::string kBothWays = with_head("return s2=x updates s, x2=s updates x\n");
const std::string kAdam = with_head(
    "w = input(to=f32, shape=[4,8])\nh = constant(value=0.5, to=f32)\n"
    "m = fma(s, h, x)\nstep = mul(m, h)\nw2 = sub(w, step)\nreturn m2=m updates s, p=w2 updates w\n");
// The kernel stores a before it loads s for b.
const std::string kReadAfterStore = with_head("a = add(x, x)\nb = mul(s, x)\nreturn s2=a updates s, y=b\n");
const std::string kCrossed =
    with_head("a = mul(x, x)\nb = add(s, s)\nreturn s2=a updates s, x2=b updates x\n");
const std::string kTwice =
    with_head("u = input(to=f32, shape=[4,8])\nt = add(s, x)\nreturn a=t updates s, b=t updates u\n");
const std::string kReduced =
    with_head("r = sum(s, axes=[1], keep_dims=true)\nt = sub(s, r)\nreturn s2=t updates s\n");
const std::string kThroughAView =
    "graph g\ns = input(to=f32, shape=[8,8])\nv = permute(s, permutation=[1,0])\n"
    "t = add(s, v)\nreturn s2=t updates s\n";
const std::string kAppended = with_head(
    "at = input(to=i64, shape=[1])\nrow = input(to=f32, shape=[1,8])\nt = index_copy(s, at, row, axis=0)\n"
    "return s2=t updates s\n");
const std::string kMovedWithin =
    with_head("at = input(to=i64, shape=[4])\nt = index_copy(s, at, s, axis=0)\nreturn s2=t updates s\n");

INSTANTIATE_TEST_SUITE_P(
    All, StatesInPlace,
    testing::Values(Case{"update", kUpdate, {true}},                  //
                    Case{"not_read", kUnread, {true}},                //
                    Case{"no_state", kPlain, {false}},                //
                    Case{"old_value_shown", kShown, {false, false}},  //
                    Case{"old_value_shown_through_a_view", kShownThroughAView, {false, false}},
                    Case{"read_later", kReadLater, {false, false}}, Case{"read_before", kReadBefore, {true}},
                    Case{"computed_by_an_op", kByAnOp, {true}}, Case{"swapped", kBothWays, {false, false}},
                    Case{"two_of_one_kernel", kAdam, {true, true}},
                    Case{"read_after_store", kReadAfterStore, {false, false}},
                    Case{"crossed", kCrossed, {false, false}},
                    Case{"one_value_for_two_states", kTwice, {true, false}},
                    Case{"appended", kAppended, {true}}, Case{"rows_moved_within", kMovedWithin, {false}},
                    Case{"reduced", kReduced, {false}}, Case{"read_through_a_view", kThroughAView, {false}}),
    [](const auto& row) { return std::string(row.param.name); });

// A value that several units of a larger space compute, each from the old state.
TEST(StatesInPlace, AreNotThoseSmallerThanTheSpace) {
  const auto graph = ir::parse(
      "graph g\ns = input(to=f32, shape=[8])\nx = input(to=f32, shape=[4,8])\nt = relu(s)\ny = add(t, x)\n"
      "return s2=t updates s, y=y\n");
  ASSERT_TRUE(graph.has_value());
  const ir::NodeId s = graph->inputs()[0];
  const ir::NodeId x = graph->inputs()[1];
  const ir::NodeId t = graph->outputs()[0].node;
  const ir::NodeId y = graph->outputs()[1].node;
  passes::FusionPlan plan;
  plan.groups = {
      {.nodes = {t, y},
       .inputs = {{.value = s, .buffer = s, .strides = {1}}, {.value = x, .buffer = x, .strides = {8, 1}}},
       .outputs = {t, y},
       .space = {4, 8}}};
  plan.steps = {{.kind = passes::PlanStep::Kind::Kernel, .node = y}};
  const std::vector<codegen::KernelSource> kernels(1, {.stages = {{.symbol = "k", .units = 1}}});
  EXPECT_EQ(InPlace(*graph, plan, kernels).states(), (std::vector<bool>{false, false}));
  plan.groups[0].space = {8};  // that it is the extent which matters
  EXPECT_EQ(InPlace(*graph, plan, kernels).states(), (std::vector<bool>{true, false}));
}

TEST(StatesInPlace, AreNotThoseOfAKernelWithStages) {
  const auto graph = ir::parse(kUpdate);
  ASSERT_TRUE(graph.has_value());
  const passes::FusionPlan plan = passes::fuse(*graph);
  const std::vector<codegen::KernelSource> kernels(1, {.stages = {{"a", 1}, {"b", 1}}});
  EXPECT_EQ(InPlace(*graph, plan, kernels).states(), std::vector<bool>{false});
}

}  // namespace
}  // namespace foretell::runtime::cpu
