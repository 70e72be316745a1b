// SPDX-License-Identifier: Apache-2.0
// The check itself: it has to see what it is there for.
#include "tests/engine/executor_check.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/ir/text.hpp"
#include "tests/engine/random_graph.hpp"

namespace foretell::tests {
namespace {

class ExecutorCheck : public testing::Test {
 protected:
  ExecutorCheck() {
    const auto values = interp::evaluate(graph_, inputs_, {.bounds = true});
    reference_ = values.value();
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      results_.push_back(ir::make_tensor(reference_[i].type));
      for (std::size_t j = 0; j < reference_[i].reals.size(); ++j) {
        ir::set(results_[i], static_cast<std::int64_t>(j), reference_[i].reals[j]);
      }
    }
    results_.push_back(results_[1]);  // x is updated, w stays
    results_.push_back(inputs_[1]);
  }

  std::string faults() const { return faults_of(graph_, inputs_, results_, reference_); }

  const ir::Graph graph_ = ir::parse(
                               "graph g\n"
                               "x = input(to=f32, shape=[33])\n"
                               "w = input(to=f32, shape=[33])\n"
                               "a = mul(x, w)\n"
                               "b = exp(a)\n"
                               "return y=a, z=b updates x\n")
                               .value();
  const std::vector<ir::HostTensor> inputs_ = inputs_for(graph_, 1);
  std::vector<interp::Value> reference_;
  std::vector<ir::HostTensor> results_;
};

TEST_F(ExecutorCheck, AcceptsTheRoundedReference) { EXPECT_EQ(faults(), ""); }

TEST_F(ExecutorCheck, SeesAnErrorOfTwoUlp) {
  const double x = ir::get(results_[0], 32);
  ir::set(results_[0], 32, x * (1 + 0x1p-22));
  EXPECT_NE(faults().find("y = %2"), std::string::npos) << faults();
}

TEST_F(ExecutorCheck, SeesAStateThatWasNotUpdated) {
  results_[2] = inputs_[0];
  EXPECT_EQ(faults(), "z: the state it updates holds something else\n");
}

TEST_F(ExecutorCheck, SeesAnInputThatWasOverwritten) {
  ir::set(results_[3], 0, 5);
  EXPECT_EQ(faults(), "input 1 was overwritten\n");
}

}  // namespace
}  // namespace foretell::tests
