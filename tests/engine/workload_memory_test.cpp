// SPDX-License-Identifier: Apache-2.0
// Planned memory of every workload at its default size: how near the arena comes to what is alive at once,
// and that no order is worse than the given one, which for ops is eager's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/workload_runner.hpp"

namespace foretell::tests {
namespace {

class PlannedMemory : public testing::TestWithParam<workloads::WorkloadInfo> {};

TEST_P(PlannedMemory, ArenaIsNearWhatIsAliveAndThatNotAboveTheGivenOrders) {
  WorkloadRunner runner{std::string(GetParam().name)};
  for (const std::string_view variant : {"planned", "full"}) {
    if (variant == "full" && !codegen::find_compiler()) {
      // Generated code needs the system's compiler, which a machine may lack; the build's own may be
      // elsewhere.
      GTEST_SKIP() << "no C++ compiler on this machine";
    }
    const WorkloadRunner::Running running = runner.start(variant);
    const runtime::MemoryLayout* const layout = running.executor->memory();
    ASSERT_NE(layout, nullptr);
    const passes::MemoryPlan& plan = layout->plan;
    RecordProperty(std::string(variant), fmt::format("arena {} live {} given {}", plan.arena_bytes,
                                                     plan.max_live_bytes, plan.given_peak_bytes));
    EXPECT_LE(static_cast<double>(plan.arena_bytes), 1.05 * static_cast<double>(plan.max_live_bytes))
        << variant;
    EXPECT_LE(plan.max_live_bytes, plan.given_peak_bytes) << variant;
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, PlannedMemory,
                         testing::ValuesIn(workloads::all_workloads().begin(),
                                           workloads::all_workloads().end()),
                         workload_name);

}  // namespace
}  // namespace foretell::tests
