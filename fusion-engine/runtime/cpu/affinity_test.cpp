// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/affinity.hpp"

#include <gtest/gtest.h>

namespace foretell::runtime::cpu {
namespace {

TEST(StreamPlacement, GoesByTheAllowedProcessors) {
  struct Row {
    std::vector<int> allowed;
    int workers;
    Placement want;
  };
  const Row rows[] = {
      {{0, 1}, 1, {0, {1}, false}},       {{0, 1}, 2, {0, {1, 1}, true}},       {{5}, 2, {5, {5, 5}, true}},
      {{2, 3, 7}, 2, {2, {3, 7}, false}}, {{2, 3, 7}, 3, {2, {3, 7, 3}, true}},
  };
  for (const Row& row : rows) {
    const Placement got = place_threads(row.allowed, row.workers);
    EXPECT_EQ(got.host_cpu, row.want.host_cpu);
    EXPECT_EQ(got.worker_cpus, row.want.worker_cpus);
    EXPECT_EQ(got.shared, row.want.shared);
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
