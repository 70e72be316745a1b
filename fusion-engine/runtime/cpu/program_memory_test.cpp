// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/program_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/executor_test_support.hpp"
#include "fusion-engine/runtime/cpu/program.hpp"

namespace foretell::runtime::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Of an op program whose ops need no scratch memory.
class Planned {
 public:
  explicit Planned(const std::string& text)
      : program_(build_op_program(parse(text))),
        steps_(resolve_steps(program_)),
        memory_(program_memory(program_, steps_, std::vector<std::int64_t>(steps_.steps.size(), 0))) {}

  const passes::MemoryProblem& problem() const { return memory_.problem; }
  const passes::MemoryStep& step(std::size_t i) const { return memory_.problem.steps.at(i); }
  MemoryLayout layout() const { return plan_layout(memory_, steps_); }

 private:
  Program program_;
  ProgramSteps steps_;
  ProgramMemory memory_;
};

TEST(ProgramMemory, IsTheResultsAndWhoReadsThem) {
  const Planned planned(
      "x = input(to=f32, shape=[256])\na = neg(x)\nv = reshape(a, shape=[16,16])\nb = exp(v)\n"
      "m = matmul(b, v)\nreturn y=m");
  EXPECT_THAT(planned.problem().buffer_bytes, ElementsAre(1024, 1024, 1024));
  EXPECT_THAT(planned.problem().kept, ElementsAre(false, false, true));
  ASSERT_EQ(planned.problem().steps.size(), 4U) << "three ops, and the copies to states";
  EXPECT_THAT(planned.step(0).reads, IsEmpty()) << "an input is no buffer";
  EXPECT_THAT(planned.step(1).reads, ElementsAre(0U)) << "a view is its operand's buffer";
  EXPECT_THAT(planned.step(2).reads, ElementsAre(1U, 0U));
  EXPECT_THAT(planned.step(3).after, ElementsAre(0U, 1U, 2U));
}

std::vector<std::pair<std::size_t, std::size_t>> pairs(const passes::MemoryStep& step) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for (const auto& [read, write] : step.in_place) {
    result.emplace_back(read, write);
  }
  return result;
}

TEST(ProgramMemory, InPlaceIsWhatReadsTheElementThatItWrites) {
  const Planned planned(
      "x = input(to=f32, shape=[16,16])\na = neg(x)\nb = add(a, x)\nt = permute(b, permutation=[1,0])\n"
      "c = add(b, t)\nd = softmax(c, axis=1)\ne = lt(d, x)\nf = where(e, d, x)\nreturn y=f");
  EXPECT_THAT(pairs(planned.step(1)), ElementsAre(std::pair(0U, 1U)));
  EXPECT_THAT(pairs(planned.step(2)), IsEmpty()) << "reads other elements through a view";
  EXPECT_THAT(pairs(planned.step(3)), IsEmpty()) << "reads rows";
  EXPECT_THAT(pairs(planned.step(4)), IsEmpty()) << "the result's elements are smaller";
  EXPECT_THAT(pairs(planned.step(5)), ElementsAre(std::pair(3U, 5U))) << "not the condition";
}

TEST(ProgramMemory, AStateIsWrittenAfterAllThatReadItAndReadAfterwardsAnew) {
  const Planned planned(
      "s = input(to=f32, shape=[256])\nx = input(to=f32, shape=[256])\na = exp(s)\nb = neg(s)\n"
      "t = add(s, x)\nc = add(t, a)\nd = add(c, b)\nreturn s2=t updates s, y=d");
  EXPECT_THAT(planned.step(2).writes, IsEmpty()) << "the state's memory";
  EXPECT_THAT(planned.step(2).after, ElementsAre(0U, 1U));
  EXPECT_THAT(planned.step(3).after, ElementsAre(2U));
}

TEST(ProgramMemory, CopiesToStatesReadWhatTheyCopy) {
  // t can't be written to s, which is shown.
  const Planned planned(
      "s = input(to=f32, shape=[256])\nt = neg(s)\nu = exp(t)\nreturn s2=t updates s, old=s, u=u");
  EXPECT_THAT(planned.step(2).reads, ElementsAre(0U));
  EXPECT_THAT(planned.step(2).writes, ElementsAre(2U)) << "the old value, put aside";
}

TEST(PlanLayout, DrawsNoTwoOnEachOther) {
  const Planned planned("x = input(to=f32, shape=[256])\na = neg(x)\nb = exp(a)\nc = tanh(b)\nreturn y=c");
  const MemoryLayout layout = planned.layout();
  EXPECT_EQ(layout.plan.arena_bytes, 1024) << "all in place";
  EXPECT_EQ(layout.plan.given_peak_bytes, 2048);
  ASSERT_EQ(layout.blocks.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(layout.blocks[i].offset, 0);
    EXPECT_EQ(layout.blocks[i].first_step, i);
  }
  EXPECT_EQ(layout.blocks[0].last_step, 0U);
  EXPECT_EQ(layout.blocks[1].last_step, 1U);
  EXPECT_EQ(layout.blocks[2].last_step, 3U) << "an output, to the end";
  EXPECT_EQ(layout.blocks[2].kind, MemoryLayout::Kind::Output);
  EXPECT_THAT(layout.steps, ElementsAre("neg", "exp", "tanh", "state copies"));
}

}  // namespace
}  // namespace foretell::runtime::cpu
