// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/eliminate_dead_code.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"

namespace foretell::passes {
namespace {

TEST(EliminateDeadCode, KeepsWhatOutputsNeedAndAllInputs) {
  const ir::Graph graph = ir::parse(R"(graph g
unread = input(to=f32, shape=[2])
dead = exp(unread)
x = input(to=f32, shape=[2])
deader = neg(dead)
y = tanh(x)
late = input(to=f32, shape=[2])
return y=y updates late, x=x
)")
                              .value();
  const ir::Graph after = eliminate_dead_code(graph);
  EXPECT_EQ(ir::print(after), R"(graph g
unread: f32[2] = input(to=f32, shape=[2])
x: f32[2] = input(to=f32, shape=[2])
%2: f32[2] = tanh(x)
late: f32[2] = input(to=f32, shape=[2])
return y=%2 updates late, x=x
)");
  EXPECT_TRUE(eliminate_dead_code(after) == after);
}

TEST(EliminateDeadCode, WithoutOutputsOnlyInputsStay) {
  const ir::Graph graph = ir::parse("graph g\nx = input(to=f32, shape=[2])\ny = exp(x)\n").value();
  EXPECT_EQ(eliminate_dead_code(graph).size(), 1U);
}

}  // namespace
}  // namespace foretell::passes
