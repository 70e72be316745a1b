// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/bound.hpp"

#include <gmock/gmock.h>

namespace foretell::bridge {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;

// A copy runs at 100, 50, 25 and 10 bytes a nanosecond; an op costs the host 500 ns.
BoundConstants machine() {
  return {.dispatch_ns = 500,
          .drain_ns = 100,
          .library_call_ns = 2000,
          .vector_gflops = 100,
          .gemm_gflops = {{ir::DType::F32, 80}, {ir::DType::BF16, 400}},
          .levels = {{"L1", 32 * kKiB, 16 * kKiB, 100},
                     {"L2", 2 * kMiB, 1 * kMiB, 50},
                     {"last-level cache", 32 * kMiB, 16 * kMiB, 25},
                     {"DRAM", 0, 256 * kMiB, 10}}};
}

struct Case {
  std::string_view name;
  VariantWork work;
  std::string_view binds, level, sentence;
};

// A chain of three ops over B bytes: 6 B in 3 launches.
VariantWork chain(double bytes, double measured_ns) {
  return {.measured_ns = measured_ns,
          .host_ns = {},
          .dispatches = 3,
          .launches = 3,
          .bytes = 6 * bytes,
          .flops = 3 * bytes / 4,
          .matmul_flops = {}};
}

TEST(ExplainBound, NamesTheLargestOfThreeTimes) {
  const Case rows[] = {
      {"tensors in DRAM", chain(256 * kMiB, 165e6), "traffic", "DRAM",
       "memory traffic binds, in DRAM: 1.50 GiB at a copy's 10 GB/s are 161 ms of the step's 165 ms"},
      {"tensors in L2", chain(512 * kKiB, 70e3), "traffic", "L2",
       "memory traffic binds, in L2: 3.00 MiB at a copy's 50 GB/s are 62.9 us of the step's 70.0 us"},
      {"tensors of a few elements", chain(64, 1'600), "launch", "L1",
       "what 3 dispatches cost the host binds: 1.50 us of the step's 1.60 us"},
      {"much arithmetic",
       {.measured_ns = 11e6,
        .host_ns = {},
        .dispatches = 1,
        .launches = 1,
        .bytes = 16 * kMiB,
        .flops = 1e9,
        .matmul_flops = {}},
       "compute",
       "last-level cache",
       "arithmetic binds: 1 GFLOP at the machine's rate are 10.0 ms of the step's 11.0 ms"},
      {"a matrix product",
       {.measured_ns = 26e6,
        .host_ns = {},
        .dispatches = 1,
        .launches = 1,
        .bytes = 12 * kMiB,
        .flops = 0,
        .matmul_flops = {{ir::DType::F32, 2e9}}},
       "compute",
       "last-level cache",
       "arithmetic binds: 2 GFLOP at the machine's rate are 25.0 ms of the step's 26.0 ms"},
      {"a matrix product of another type",
       {.measured_ns = 6e6,
        .host_ns = {},
        .dispatches = 1,
        .launches = 1,
        .bytes = 12 * kMiB,
        .flops = 0,
        .matmul_flops = {{ir::DType::BF16, 2e9}}},
       "compute",
       "last-level cache",
       "arithmetic binds: 2 GFLOP at the machine's rate are 5.00 ms of the step's 6.00 ms"},
      {"far slower than anything explains", chain(512 * kKiB, 700e3), "unknown", "L2",
       "nothing that was probed accounts for half of the step's 700 us: most would be traffic with 62.9 us"},
  };
  for (const Case& row : rows) {
    SCOPED_TRACE(row.name);
    const reports::BoundRow bound = explain_bound(row.work, machine());
    EXPECT_EQ(bound.binds, row.binds);
    EXPECT_EQ(bound.level, row.level);
    EXPECT_EQ(bound.sentence, row.sentence);
    EXPECT_EQ(bound.terms.size(), 3U);
  }
}

TEST(ExplainBound, ATermAboveTheMeasuredTimeIsAFaultOfTheModel) {
  const reports::BoundRow bound = explain_bound(chain(512 * kKiB, 50e3), machine());

  EXPECT_EQ(bound.binds, "unknown");
  EXPECT_EQ(bound.sentence,
            "the constants do not fit this run: traffic alone would take 62.9 us, and the step took 50.0 us");
  EXPECT_EQ(explain_bound(chain(512 * kKiB, 53e3), machine()).binds, "traffic");  // 1.19 times it
}

TEST(ExplainBound, ProductsOfATypeThatWasNotProbedLeaveArithmeticOut) {
  VariantWork work{.measured_ns = 60e3,
                   .host_ns = {},
                   .dispatches = 1,
                   .launches = 1,
                   .bytes = 2 * kMiB,
                   .flops = 1e9,
                   .matmul_flops = {{ir::DType::F32, 1e9}, {ir::DType::F64, 2e9}}};
  const reports::BoundRow bound = explain_bound(work, machine());

  EXPECT_EQ(bound.terms.size(), 2U);
  EXPECT_EQ(bound.binds, "traffic");
  EXPECT_THAT(bound.sentence,
              testing::EndsWith("; arithmetic is left out, no rate of f64 products was probed"));
}

// The host's time is the whole step there: were it taken for the cost of dispatching, that would always bind.
TEST(ExplainBound, InOneLaneDispatchesCostWhatTheyDoWithoutTheirWork) {
  BoundConstants constants = machine();
  constants.one_lane = true;
  const reports::BoundRow large = explain_bound(chain(256 * kMiB, 165e6), constants);
  EXPECT_EQ(large.binds, "traffic");

  VariantWork small = chain(64, 1'600);
  small.library_calls = 0;
  const reports::BoundRow bound = explain_bound(small, constants);
  EXPECT_EQ(bound.binds, "launch");
  EXPECT_EQ(bound.terms.front().time_ns, 3 * (500 - 100) + 3 * 100);  // no part twice
  EXPECT_EQ(bound.sentence, "what 3 dispatches cost before any work binds: 1.50 us of the step's 1.60 us");
}

TEST(ExplainBound, AMeasuredHostTimeOutweighsThatOfDispatches) {
  VariantWork work = chain(64, 9'000);
  work.host_ns = 8'000;
  const reports::BoundRow bound = explain_bound(work, machine());

  EXPECT_EQ(bound.binds, "launch");
  EXPECT_EQ(bound.terms.front().time_ns, 8'000);
}

TEST(ExplainBound, SmallProductsCostTheDeviceWhatTheLibraryDoesBeforeAnyWork) {
  VariantWork work = chain(64, 20'000);
  work.library_calls = 8;
  const reports::BoundRow bound = explain_bound(work, machine());

  EXPECT_EQ(bound.binds, "launch");
  EXPECT_EQ(bound.sentence,
            "what 3 dispatches cost the device before any work binds: 16.3 us of the step's 20.0 us");
}

TEST(CopyGbpsAt, IsTheSessionsWhereThatTouchedAboutAsMuch) {
  BoundConstants constants = machine();
  constants.session_touched_bytes = 4 * kMiB;
  constants.session_gbps = 30;
  EXPECT_EQ(copy_gbps_at(constants, 4 * kMiB), 30);
  EXPECT_EQ(copy_gbps_at(constants, 8 * kMiB), 30);
  EXPECT_EQ(copy_gbps_at(constants, 2 * kMiB), 30);
  EXPECT_NE(copy_gbps_at(constants, 8.1 * kMiB), 30);
  EXPECT_NE(copy_gbps_at(constants, 1.9 * kMiB), 30);
}

TEST(ExplainBound, WithoutAProbeNothingIsKnown) {
  const reports::BoundRow bound = explain_bound(chain(64, 1'600), {});

  EXPECT_EQ(bound.binds, "unknown");
  EXPECT_EQ(bound.level, "");
}

TEST(CopyGbpsAt, IsTheProbesAndBetweenThemInTheLogarithm) {
  EXPECT_EQ(copy_gbps_at(machine(), 100), 100);
  EXPECT_EQ(copy_gbps_at(machine(), 16 * kKiB), 100);
  EXPECT_EQ(copy_gbps_at(machine(), 1 * kMiB), 50);
  EXPECT_DOUBLE_EQ(copy_gbps_at(machine(), 4 * kMiB), 37.5);
  EXPECT_EQ(copy_gbps_at(machine(), 1024 * kMiB), 10);
  EXPECT_EQ(copy_gbps_at({}, 100), 0);
}

std::string ceiling(const VariantWork& eager, const VariantWork& fused) {
  return explain_ceiling(eager, explain_bound(eager, machine()), fused, explain_bound(fused, machine()),
                         machine());
}

VariantWork fused_chain(double bytes, double measured_ns) {
  return {.measured_ns = measured_ns,
          .host_ns = {},
          .dispatches = 1,
          .launches = 1,
          .bytes = 2 * bytes,
          .flops = 3 * bytes / 4,
          .matmul_flops = {}};
}

TEST(ExplainCeiling, WithoutARateItIsBytesOnly) {
  const VariantWork eager = chain(1024, 1'600);
  const VariantWork fused = fused_chain(1024, 600);
  EXPECT_EQ(explain_ceiling(eager, explain_bound(eager, {}), fused, explain_bound(fused, {}), {}),
            "Fused moves 2.00 KiB instead of 6.00 KiB, 3x fewer.");
}

TEST(ExplainCeiling, InDramItIsBytesBeforeOverBytesAfter) {
  EXPECT_EQ(
      ceiling(chain(256 * kMiB, 165e6), fused_chain(256 * kMiB, 55e6)),
      "Fused moves 512 MiB instead of 1.50 GiB, 3x fewer. At a copy's rate in DRAM the bytes allow 3x, 3x "
      "was measured.");
}

TEST(ExplainCeiling, InACacheItSaysWhichAndHowFastThatIs) {
  EXPECT_EQ(ceiling(chain(512 * kKiB, 70e3), fused_chain(512 * kKiB, 28e3)),
            "Fused moves 1.00 MiB instead of 3.00 MiB, 3x fewer. An op touches 1.00 MiB and finds in L2 what "
            "the one before it wrote; a copy of that size is 5x as fast as in DRAM. At those rates the "
            "bytes allow 3x, 2.5x was measured.");
}

TEST(ExplainCeiling, WhereTheHostBindsDispatchesAreTheGain) {
  EXPECT_THAT(ceiling(chain(64, 1'600), fused_chain(64, 700)),
              HasSubstr("what dispatches cost binds, and 3 become 1"));
}

TEST(ExplainCeiling, SaysWhereArithmeticBindsTheFusedKernel) {
  VariantWork fused = fused_chain(256 * kMiB, 90e6);
  fused.flops = 8e9;
  EXPECT_THAT(ceiling(chain(256 * kMiB, 165e6), fused), HasSubstr("arithmetic binds fused"));
}

TEST(ExplainCeiling, NothingToSave) {
  const VariantWork gemm{.measured_ns = 26e6,
                         .host_ns = {},
                         .dispatches = 1,
                         .launches = 1,
                         .bytes = 12 * kMiB,
                         .flops = 0,
                         .matmul_flops = {{ir::DType::F32, 2e9}}};
  EXPECT_THAT(ceiling(gemm, gemm), StartsWith("Fusion has nothing to save here"));
}

TEST(BoundConstants, AreThoseOfTheProbe) {
  probe::ProbeResult probed;
  probed.machine.team = 2;
  probed.machine.caches = {32 << 10, 1 << 20, 16 << 20};
  const auto add = [&](std::string name, double value) {
    probed.constants.push_back({{std::move(name), "", value, value, value, Provenance::Probed, ""}, 1});
  };
  add("dispatch_ns", 300);
  add("gemm_bf16_gflops", 700);
  add("l2_copy_bytes", 1 << 20);
  add("l2_memcpy_gbps", 20);
  add("l2_streaming_gbps", 8);
  add("dram_copy_bytes", 1 << 28);
  add("dram_plain_gbps", 9);
  const BoundConstants constants = bound_constants(probed);

  EXPECT_EQ(constants.dispatch_ns, 300);
  EXPECT_EQ(constants.gemm_gflops, (FlopsByType{{ir::DType::BF16, 700}}));
  EXPECT_FALSE(constants.one_lane);
  ASSERT_EQ(constants.levels.size(), 2U);
  EXPECT_EQ(constants.levels[0].name, "L2");
  EXPECT_EQ(constants.levels[0].capacity_bytes, 2 << 20);
  EXPECT_EQ(constants.levels[0].gbps, 20);
  EXPECT_EQ(constants.levels[1].capacity_bytes, 0);
}

}  // namespace
}  // namespace foretell::bridge
