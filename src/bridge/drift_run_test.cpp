// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/drift_run.hpp"

#include <gmock/gmock.h>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/runtime/cpu/eager_executor.hpp"

namespace foretell::bridge {
namespace {

// Gives the reference's results, rounded, but those of tanh are too large by `error`.
class ReferenceExecutor final : public runtime::Executor {
 public:
  ReferenceExecutor(const ir::Graph& graph, const runtime::cpu::InputSet& inputs, double error)
      : graph_(graph), error_(error) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs_.push_back(inputs.to_host(i));
    }
  }

  std::string_view name() const override { return "reference"; }
  Result<void> step() override {
    FORETELL_ASSIGN_OR_RETURN(values_, interp::evaluate(graph_, inputs_));
    return {};
  }
  Result<void> synchronize() override { return {}; }
  ir::HostTensor output(std::size_t index) const override {
    const interp::Value& value = values_[index];
    const bool wrong = graph_.node(graph_.outputs()[index].node).op == ir::OpKind::Tanh;
    ir::HostTensor tensor = ir::make_tensor(value.type);
    for (std::size_t i = 0; i < value.reals.size(); ++i) {
      ir::set(tensor, static_cast<std::int64_t>(i), value.reals[i] * (wrong ? 1 + error_ : 1));
    }
    return tensor;
  }
  runtime::StepCounters counters() const override { return {}; }
  Result<std::vector<runtime::OpTime>> time_ops() override { return std::vector<runtime::OpTime>(); }

 private:
  const ir::Graph& graph_;
  double error_;
  std::vector<ir::HostTensor> inputs_;
  std::vector<interp::Value> values_;
};

DriftVariant off_by(double error, bool op_by_op = true) {
  return {"fake", op_by_op,
          [=](const ir::Graph& graph,
              runtime::cpu::InputSet& inputs) -> Result<std::unique_ptr<runtime::Executor>> {
            return std::make_unique<ReferenceExecutor>(graph, inputs, error);
          }};
}

workloads::Workload workload(std::string_view text) {
  auto graph = ir::parse(text);
  EXPECT_TRUE(graph) << graph.error().where << ": " << graph.error().message;
  return {.name = "test", .graph = std::move(*graph), .parameters = {}};
}

runtime::cpu::CpuDevice device() {
  runtime::cpu::DeviceOptions options;
  options.stream.pin = false;
  auto opened = runtime::cpu::open_cpu_device(options);
  EXPECT_TRUE(opened);
  return std::move(*opened);
}

DriftVariant eager_on(runtime::cpu::CpuDevice& cpu) {
  return {"eager", true,
          [&cpu](const ir::Graph& graph,
                 runtime::cpu::InputSet& inputs) -> Result<std::unique_ptr<runtime::Executor>> {
            return runtime::cpu::make_eager_executor(graph, cpu, inputs);
          }};
}

constexpr std::string_view kTwoOps =
    "graph two\nx = input(to=f32, shape=[64])\na = neg(x)\nb = tanh(x)\nreturn a=a, b=b\n";

TEST(MeasureDrift, NamesTheOpThatIsFarthestOff) {
  runtime::cpu::CpuDevice cpu = device();
  const DriftVariant variants[] = {off_by(0.01), off_by(0), off_by(0.01, false)};
  const auto rows = measure_drift({workload(kTwoOps), "size 1.00 MiB"}, cpu, variants, 7);

  ASSERT_TRUE(rows) << rows.error().message;
  const reports::DriftRow& wrong = *rows->at(0);
  EXPECT_EQ(wrong.elements, 128);
  EXPECT_EQ(wrong.measured_at, "size 1.00 MiB");
  EXPECT_NEAR(wrong.max_relative, 0.01, 1e-6);
  EXPECT_THAT(wrong.worst_op, testing::EndsWith("tanh"));
  EXPECT_NEAR(wrong.worst_op_relative, 0.01, 1e-6);
  const reports::DriftRow& right = *rows->at(1);
  EXPECT_LE(right.max_ulp, 0.5);
  EXPECT_EQ(right.ulp_histogram.size(), right.ulp_edges.size() + 1);
  // fused kernels give no result of a single op: what others would give says nothing of them
  EXPECT_EQ(rows->at(2)->worst_op, "");
  EXPECT_NEAR(rows->at(2)->max_relative, 0.01, 1e-6);
}

TEST(MeasureDrift, AVariantThatFailsLeavesTheOthers) {
  runtime::cpu::CpuDevice cpu = device();
  const DriftVariant broken{
      "broken", false,
      [](const ir::Graph&, runtime::cpu::InputSet&) -> Result<std::unique_ptr<runtime::Executor>> {
        return fail(ErrorCode::Environment, "", "gone");
      }};
  const DriftVariant variants[] = {broken, off_by(0)};
  const auto rows = measure_drift({workload(kTwoOps), ""}, cpu, variants, 7);

  ASSERT_TRUE(rows);
  EXPECT_FALSE(rows->at(0));
  EXPECT_TRUE(rows->at(1));
}

// Integers are drawn from 0 to 7 where they are no index: rows 3 to 7 are not there.
TEST(MeasureDrift, IndicesOfAShortAxisAreInRange) {
  runtime::cpu::CpuDevice cpu = device();
  const DriftVariant variants[] = {eager_on(cpu)};
  const auto rows = measure_drift({workload("graph pick\ntable = input(to=f32, shape=[3,4])\n"
                                            "i = input(to=i32, shape=[64])\n"
                                            "y = gather(table, i, axis=0)\nreturn y=y\n"),
                                   ""},
                                  cpu, variants, 7);

  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_TRUE(rows->at(0)) << rows->at(0).error().message;
  EXPECT_EQ(rows->at(0)->max_ulp, 0);
}

TEST(MeasureDrift, OfTheEagerExecutorIsWithinItsTolerance) {
  runtime::cpu::CpuDevice cpu = device();
  const DriftVariant variants[] = {eager_on(cpu)};
  const auto rows = measure_drift({workload(kTwoOps), ""}, cpu, variants, 7);

  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_LE(rows->front()->max_ulp,
            4.5);  // ir/op_rows.inc: 4 for tanh, and half of one for rounding the reference
  EXPECT_EQ(rows->front()->nonfinite_mismatches, 0);
}

TEST(DriftInstance, IsTheWorkloadWhereTheReferenceCanDoIt) {
  const auto small =
      workloads::load_workload("chain", std::vector<workloads::GivenParameter>{{"size", "64K"}});
  ASSERT_TRUE(small);
  const auto instance = drift_instance(*small, 16e6);

  ASSERT_TRUE(instance);
  EXPECT_EQ(instance->measured_at, "");
}

TEST(DriftInstance, ElseASmallerOneThatIsNamed) {
  const auto large =
      workloads::load_workload("chain", std::vector<workloads::GivenParameter>{{"size", "1G"}});
  ASSERT_TRUE(large);
  const auto instance = drift_instance(*large, 16e6 * 50);

  ASSERT_TRUE(instance);
  EXPECT_THAT(instance->measured_at, testing::MatchesRegex("size [0-9.]+ MiB"));
  EXPECT_LT(ir::elements(instance->workload.graph.type(instance->workload.graph.outputs()[0].node).shape),
            16e6);
}

TEST(DriftInstance, NothingStandsForALargeFile) {
  EXPECT_FALSE(drift_instance(
      workload("graph g\nx = input(to=f32, shape=[20000000])\ny = neg(x)\nreturn y=y\n"), 2e7));
}

}  // namespace
}  // namespace foretell::bridge
