// SPDX-License-Identifier: Apache-2.0
// Training steps train: on the same samples again and again the loss falls, by either optimizer, in either
// form.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/workloads/workload.hpp"

namespace foretell::tests {
namespace {

using runtime::cpu::InputSet;

struct Case {
  std::string workload;
  std::vector<workloads::GivenParameter> given;
};
std::ostream& operator<<(std::ostream& out, const Case& row) {
  out << row.workload;
  for (const auto& [name, value] : row.given) {
    out << ' ' << name << '=' << value;
  }
  return out;
}

// Of samples of classes that are random, so that only remembering them helps.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* optimizer : {"sgd", "adam"}) {
    for (const char* updates : {"single", "foreach"}) {
      const workloads::GivenParameter how[] = {{"optimizer", optimizer}, {"updates", updates}};
      all.push_back({"mlp-train",
                     {{"batch", "16"}, {"hidden", "32"}, {"layers", "2"}, {"classes", "8"}, how[0], how[1]}});
      all.push_back({"transformer-train",
                     {{"batch", "2"},
                      {"sequence", "8"},
                      {"hidden", "16"},
                      {"layers", "1"},
                      {"heads", "2"},
                      {"vocabulary", "16"},
                      how[0],
                      how[1]}});
    }
  }
  return all;
}

class Training : public testing::TestWithParam<Case> {};

TEST_P(Training, LowersTheLoss) {
  const auto workload = workloads::load_workload(GetParam().workload, GetParam().given);
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  auto device = runtime::cpu::open_cpu_device({.stream = {.threads = 1}});
  ASSERT_TRUE(device.has_value());
  InputSet inputs = InputSet::random(workload->graph, *device, 1);
  const auto executor = runtime::cpu::make_eager_executor(workload->graph, *device, inputs);

  const auto loss_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(executor->step().has_value());
    }
    EXPECT_TRUE(executor->synchronize().has_value());
    return ir::get(executor->output(0), 0);
  };
  const double first = loss_after(1);
  const double last = loss_after(199);

  // one more than guessing among 8 or 16 classes takes, and much less than that in the end
  EXPECT_LT(first, std::log(16.0) + 1);
  EXPECT_LT(last, first / 2);
}

INSTANTIATE_TEST_SUITE_P(Every, Training, testing::ValuesIn(cases()));

}  // namespace
}  // namespace foretell::tests
