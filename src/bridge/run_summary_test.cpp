// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/run_summary.hpp"

#include <gmock/gmock.h>

namespace foretell::bridge {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

reports::VariantRow variant(std::string name, std::int64_t median_ns, std::int64_t bytes) {
  reports::VariantRow row;
  row.name = std::move(name);
  row.measured = reports::MeasuredRow{};
  row.measured->median_ns = median_ns;
  row.counters.dispatches = row.counters.launches = 1;
  row.counters.bytes_read = bytes;
  return row;
}

// Eager takes 30 ms; fused `fused_ns`, with a speed-up between `low` and `high`.
reports::RunReport measured(std::int64_t fused_ns, double low, double high) {
  reports::RunReport run;
  run.measuring.rounds = 40;
  run.variants = {variant("eager", 30'000'000, 300), variant("fused", fused_ns, 100)};
  run.variants[1].measured->speedup = 30e6 / static_cast<double>(fused_ns);
  run.variants[1].measured->speedup_ci = reports::Interval{low, high};
  for (reports::VariantRow& row : run.variants) {
    row.bound = reports::BoundRow{};
    row.bound->binds = "traffic";
    row.bound->level = "DRAM";
    row.bound->sentence = "memory traffic binds";
  }
  return run;
}

const BoundConstants kConstants{
    .dispatch_ns = 1, .drain_ns = 1, .vector_gflops = 1, .gemm_gflops = {}, .levels = {{"DRAM", 0, 1, 10}}};

TEST(Summarise, SaysHowMuchFasterAndWhy) {
  reports::RunReport run = measured(10'000'000, 2.9, 3.1);
  summarise(run, kConstants, {});

  EXPECT_EQ(run.binds, "traffic");
  EXPECT_EQ(run.step_ns, 30'000'000);
  EXPECT_EQ(run.ceiling, 3.0);
  EXPECT_EQ(run.sentences[0],
            "Fused is 3.00x as fast as eager (2.90 to 3.10 with 95 % confidence): 10.0 ms a step instead of "
            "30.0 ms.");
  EXPECT_THAT(run.sentences[1], HasSubstr("3x fewer"));
  EXPECT_EQ(run.sentences[2], "It rests on 40 interleaved rounds.");
}

TEST(Summarise, AnIntervalAroundOneIsNoGain) {
  reports::RunReport run = measured(30'100'000, 0.98, 1.01);
  summarise(run, kConstants, {});

  EXPECT_THAT(run.sentences[0],
              StartsWith("Fused and eager take the same time within the error (0.98x to 1.01x)"));
}

TEST(Summarise, ABusyMachineGivesNoVerdict) {
  reports::RunReport run = measured(10'000'000, 2.9, 3.1);
  for (reports::VariantRow& row : run.variants) {
    row.measured.reset();
    row.bound.reset();
  }
  run.measuring.verdict = reports::MeasuringVerdict::Unusable;
  run.measuring.reasons = {"machine busy, 9 of 20 samples were disturbed"};
  summarise(run, kConstants, {});

  EXPECT_EQ(run.binds, "unknown");
  EXPECT_EQ(run.sentences[0], "No verdict: machine busy, 9 of 20 samples were disturbed.");
  EXPECT_EQ(
      run.sentences[1],
      "What binds is not known: there are no times. Run it again when nothing else runs on this machine.");
  EXPECT_EQ(run.sentences[2], "It rests on counts alone.");
  EXPECT_EQ(run.ceiling, 3.0);  // counted, not timed

  run.variants[0].drift = reports::DriftRow{};
  run.variants[0].drift->max_ulp = 0.5;
  summarise(run, kConstants, {});
  EXPECT_EQ(run.sentences[2], "It rests on counts alone; results are within 0.5 ulp of the reference.");
}

TEST(SummarisePlan, SaysThatNothingWasMeasured) {
  reports::RunReport run;
  run.groups.resize(2);
  run.refusals.resize(1);
  summarise_plan(run);

  EXPECT_EQ(run.sentences[0], "Nothing was measured: the fusion plan was asked for.");
  EXPECT_EQ(run.sentences[1], "What binds is not known; a run without --explain measures it.");
  EXPECT_EQ(run.sentences[2], "It rests on the plan: 2 fused kernels, 1 refusal.");
}

TEST(Summarise, OneVariantAlone) {
  reports::RunReport run = measured(10'000'000, 2.9, 3.1);
  run.variants.pop_back();
  summarise(run, kConstants, {});

  EXPECT_EQ(run.sentences[0], "eager takes 30.0 ms a step.");
  EXPECT_EQ(run.sentences[1], "In eager memory traffic binds.");
}

TEST(Summarise, TheFastestVariantIsTheVerdict) {
  reports::RunReport run = measured(10'000'000, 2.9, 3.1);
  run.variants.push_back(run.variants[1]);
  run.variants[2].name = "full";
  run.variants[2].measured->median_ns = 8'000'000;
  run.variants[2].measured->speedup = 3.75;
  summarise(run, kConstants, {});

  EXPECT_THAT(run.sentences[0], StartsWith("Full is 3.75x as fast as eager"));
}

TEST(Summarise, AVariantThatCouldNotBeRunIsNamed) {
  reports::RunReport run = measured(10'000'000, 2.9, 3.1);
  run.variants[1] = {};
  run.variants[1].name = "fused";
  run.variants[1].error = "no compiler";
  summarise(run, kConstants, {});

  EXPECT_EQ(run.sentences[0], "eager takes 30.0 ms a step; fused could not be run: no compiler.");
  EXPECT_FALSE(run.ceiling);
}

TEST(Summarise, NamesTheLargestDriftAndWhereItWasMeasured) {
  reports::RunReport run = measured(10'000'000, 2.9, 3.1);
  run.measuring.rejected = 3;
  run.variants[0].drift = reports::DriftRow{};
  run.variants[0].drift->max_ulp = 0.5;
  run.variants[1].drift = reports::DriftRow{};
  run.variants[1].drift->max_ulp = 1.5;
  run.variants[1].drift->measured_at = "size 1.00 MiB";
  summarise(run, kConstants, {});

  EXPECT_EQ(run.sentences[2],
            "It rests on 40 interleaved rounds, 3 samples disturbed and left out; results are within 1.5 ulp "
            "of the "
            "reference (at size 1.00 MiB).");
}

}  // namespace
}  // namespace foretell::bridge
