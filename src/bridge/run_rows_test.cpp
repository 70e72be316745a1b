// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/run_rows.hpp"

#include <gmock/gmock.h>

#include "fusion-engine/ir/text.hpp"

namespace foretell::bridge {
namespace {

using testing::HasSubstr;

runtime::VariantTimes times(std::string name, std::vector<double> samples) {
  runtime::VariantTimes made;
  made.name = std::move(name);
  made.stable = true;
  made.step_ns = runtime::median_interval(samples).value_or(runtime::MedianInterval{});
  made.accepted = samples.size();
  made.samples.assign(samples.begin(), samples.end());
  return made;
}

TEST(ErrorText, HasPlaceMessageAndHintWhereThereAreAny) {
  EXPECT_EQ(error_text({ErrorCode::Environment, "a/b", "can't be locked", "name another"}),
            "a/b: can't be locked; hint: name another");
  EXPECT_EQ(error_text({ErrorCode::Environment, "", "no compiler", ""}), "no compiler");
}

TEST(MeasuredRow, HasTheSpeedUpOverEager) {
  const auto eager = times("eager", {300, 300, 300, 300, 300, 300, 300});
  const auto fused = times("fused", {100, 100, 100, 100, 100, 100, 100});
  const auto row = measured_row(fused, &eager, false);

  ASSERT_TRUE(row);
  EXPECT_EQ(row->median_ns, 100);
  EXPECT_EQ(row->samples, 7);
  EXPECT_EQ(row->speedup, 3.0);
  ASSERT_TRUE(row->speedup_ci);
  EXPECT_EQ(row->speedup_ci->low, 3.0);
  EXPECT_EQ(measured_row(eager, &eager, false)->speedup, 1.0);
  EXPECT_FALSE(measured_row(fused, nullptr, false)->speedup);
}

TEST(MeasuredRow, InOneLaneTheHostHasNoTimeOfItsOwn) {
  auto eager = times("eager", {300, 300, 300, 300, 300, 300, 300});
  eager.host_ns = 290;

  EXPECT_EQ(measured_row(eager, nullptr, false)->host_ns, 290);
  EXPECT_FALSE(measured_row(eager, nullptr, true)->host_ns);
}

TEST(BreakEvenSteps, AreWholeAndOnlyWhereCompilingIsKnownAndPays) {
  reports::MeasuredRow eager;
  eager.median_ns = 300;
  reports::MeasuredRow fused;
  fused.median_ns = 100;
  reports::CompileRow compile;
  compile.total_ns = 1'001;
  EXPECT_EQ(break_even_steps(compile, eager, fused), 6);
  EXPECT_EQ(break_even_steps(compile, fused, eager), std::nullopt);

  compile.from_cache = true;  // loading took that, compiling more
  EXPECT_EQ(break_even_steps(compile, eager, fused), std::nullopt);
}

TEST(MeasuredRow, WithoutRoundsInCommonThereIsNoInterval) {
  auto eager = times("eager", {300, 300, 300, 300, 300, 300, 300});
  const auto fused = times("fused", {100, 100, 100, 100, 100, 100, 100});
  eager.samples[0] = eager.samples[1] = std::nullopt;
  const auto row = measured_row(fused, &eager, false);

  ASSERT_TRUE(row);
  EXPECT_EQ(row->speedup, 3.0);
  EXPECT_FALSE(row->speedup_ci);
}

TEST(MeasuredRow, NothingWhereTheMachineWasBusy) {
  EXPECT_FALSE(measured_row(times("eager", {}), nullptr, false));
}

TEST(OpRows, OpsOfOneNameAreOneRowAndTheDearestIsFirst) {
  const runtime::OpTime ops[] = {{ir::NodeId{1}, "add", 10, 1, 100},
                                 {ir::NodeId{2}, "mul", 50, 1, 100},
                                 {ir::NodeId{3}, "add", 20, 2, 300}};
  const auto rows = op_rows("eager", ops);

  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "mul");
  EXPECT_EQ(rows[1].name, "add");
  EXPECT_EQ(rows[1].calls, 2);
  EXPECT_EQ(rows[1].device_ns, 30);
  EXPECT_EQ(rows[1].host_ns, 3);
  EXPECT_EQ(rows[1].bytes, 400);
  EXPECT_EQ(rows[1].variant, "eager");
}

TEST(BlockerRows, AreWhatTheHostReadsAndAnOutputNeeds) {
  const auto graph = ir::parse(
      "graph g\nx = input(to=f32, shape=[4])\na = host_read(x)\nb = neg(a)\nd = host_read(b)\nreturn y=b\n");
  ASSERT_TRUE(graph) << graph.error().message;
  const std::vector<reports::RunBlockerRow> rows = blocker_rows(*graph);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].op, "host_read");
  EXPECT_EQ(rows[0].where, "g: %1");
  EXPECT_FALSE(rows[0].cost_ns);
  EXPECT_NE(rows[0].remedy, "");
}

TEST(MeasuringRow, CountsRoundsAndWhatWasLeftOut) {
  runtime::Measurement measurement;
  measurement.variants = {times("eager", {1, 2, 3}), times("fused", {1, 2, 3})};
  measurement.variants[1].rejected = 1;
  const auto row = measuring_row(measurement);

  EXPECT_EQ(row.verdict, reports::MeasuringVerdict::Complete);
  EXPECT_EQ(row.rounds, 3);
  EXPECT_EQ(row.rejected, 1);
  EXPECT_TRUE(row.reasons.empty());
}

TEST(MeasuringRow, AVariantThatDidNotSettleMakesItPartial) {
  runtime::Measurement measurement;
  measurement.variants = {times("eager", {1, 2, 3})};
  measurement.variants[0].stable = false;
  const auto row = measuring_row(measurement);

  EXPECT_EQ(row.verdict, reports::MeasuringVerdict::Partial);
  EXPECT_THAT(row.reasons.front(), HasSubstr("eager did not settle"));
}

TEST(MeasuringRow, ABusyMachineComesFirst) {
  runtime::Measurement measurement;
  measurement.variants = {times("eager", {1, 2, 3})};
  measurement.variants[0].stable = false;
  measurement.variants[0].rejected = 2;
  measurement.machine_busy = true;
  measurement.attempts = 3;
  const auto row = measuring_row(measurement);

  EXPECT_EQ(row.verdict, reports::MeasuringVerdict::Unusable);
  EXPECT_THAT(row.reasons.front(), HasSubstr("machine busy, 2 of 3 samples were disturbed"));
  EXPECT_THAT(row.reasons.front(), HasSubstr("3 attempts"));
}

TEST(CopyRow, IsBytesOverTime) {
  const auto row = copy_row(times("memcpy", {10, 10, 10, 10, 10, 10, 10}), 200);

  EXPECT_EQ(row.constant.name, "copy_memcpy_gbps");
  EXPECT_EQ(row.constant.expected, 20);
  EXPECT_EQ(row.constant.provenance, Provenance::Measured);
  EXPECT_EQ(row.samples, 7);
}

TEST(ParameterRows, KeysCarryTheUnit) {
  const workloads::Parameter parameters[] = {
      {"ops", workloads::ParameterKind::Count, {3}, ir::DType::F32},
      {"size", workloads::ParameterKind::Bytes, {1 << 20}, ir::DType::F32},
      {"size", workloads::ParameterKind::Extents, {2, 3, 5}, ir::DType::F32},
      {"dtype", workloads::ParameterKind::Type, {}, ir::DType::BF16},
  };
  const auto rows = parameter_rows(parameters);

  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].key, "ops");
  EXPECT_EQ(rows[1].key, "size_bytes");
  EXPECT_EQ(std::get<std::int64_t>(rows[1].value), 1 << 20);
  EXPECT_EQ(rows[2].key, "size");
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(rows[2].value), (std::vector<std::int64_t>{2, 3, 5}));
  EXPECT_EQ(std::get<std::string>(rows[3].value), "bf16");
}

}  // namespace
}  // namespace foretell::bridge
