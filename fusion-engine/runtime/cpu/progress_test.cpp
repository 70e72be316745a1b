// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/progress.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace foretell::runtime::cpu {
namespace {

TEST(Progress, WaitsUntilTheCountIsReached) {
  for (const std::int64_t spin_ns : {std::int64_t{0}, kSpinNs}) {
    Progress progress;
    std::uint64_t written = 0;
    const std::jthread writer([&] {
      for (std::uint64_t value = 1; value <= 3; ++value) {
        written = value;
        progress.advance(value);
      }
    });
    progress.wait(3, spin_ns);
    EXPECT_EQ(written, 3);
    progress.wait(2, spin_ns);  // long reached
  }
}

TEST(ProgressDeathTest, NeverGoesBackwards) {
  Progress progress;
  progress.advance(2);
  EXPECT_DEATH(progress.advance(1), "before < value");
  EXPECT_DEATH(progress.advance(2), "before < value");
}

}  // namespace
}  // namespace foretell::runtime::cpu
