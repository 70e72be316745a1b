// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/probe/copy.hpp"
#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/cpu/eager_executor.hpp"

namespace foretell::probe {
namespace {

constexpr std::int64_t kExtent = 1024;  // 2 GFLOP: starting the threads is no part of it
constexpr SampleLimits kLimits{.budget_ns = 150'000'000, .least = 3, .most = 50};

Result<ir::Graph> product(ir::DType dtype) {
  ir::Graph graph("gemm");
  FORETELL_ASSIGN_OR_RETURN(const ir::NodeId a, graph.input("a", {dtype, {kExtent, kExtent}}));
  FORETELL_ASSIGN_OR_RETURN(const ir::NodeId b, graph.input("b", {dtype, {kExtent, kExtent}}));
  FORETELL_ASSIGN_OR_RETURN(const ir::NodeId y, graph.add(ir::OpKind::Matmul, {a, b}));
  FORETELL_RETURN_IF_ERROR(graph.output("y", y));
  return graph;
}

// Nanoseconds from enqueueing a step until the host knows that it is done.
Result<double> step_ns(runtime::Executor& executor) {
  const std::int64_t begin = runtime::now_ns();
  FORETELL_RETURN_IF_ERROR(executor.step());
  FORETELL_RETURN_IF_ERROR(executor.synchronize());
  return static_cast<double>(runtime::now_ns() - begin);
}

// nullopt: the library lacks the type, products go through f32.
Result<std::optional<ProbedConstant>> probe_gemm(runtime::cpu::CpuDevice& device, Sampler& sampler,
                                                 ir::DType dtype) {
  FORETELL_ASSIGN_OR_RETURN(const ir::Graph graph, product(dtype));
  runtime::cpu::InputSet inputs = runtime::cpu::InputSet::random(graph, device, 0);
  const auto executor = runtime::cpu::make_eager_executor(graph, device, inputs);
  FORETELL_RETURN_IF_ERROR(step_ns(*executor));
  if (executor->counters().bytes_converted > 0) {
    return std::nullopt;
  }
  const auto gflops = [&]() -> Result<double> {
    FORETELL_ASSIGN_OR_RETURN(const double ns, step_ns(*executor));
    return 2.0 * kExtent * kExtent * kExtent / ns;
  };
  FORETELL_ASSIGN_OR_RETURN(
      auto constant, sampler.constant(fmt::format("gemm_{}_gflops", ir::to_string(dtype)), "GFLOP/s", gflops,
                                      fmt::format("eager matmul of {0} x {0} x {0}", kExtent), kLimits));
  return constant;
}

// As many ops in a row as the ring takes easily, so that the device is never without work.
constexpr int kCalls = 128;

// x = op(x, weight), or op(x) of a unary one, kCalls times.
Result<ir::Graph> repeated(ir::OpKind op, const ir::Shape& shape, std::optional<ir::Shape> weight) {
  ir::Graph graph("repeated");
  FORETELL_ASSIGN_OR_RETURN(ir::NodeId x, graph.input("x", {ir::DType::F32, shape}));
  std::vector<ir::NodeId> operands{x};
  if (weight) {
    FORETELL_ASSIGN_OR_RETURN(const ir::NodeId second, graph.input("weight", {ir::DType::F32, *weight}));
    operands.push_back(second);
  }
  for (int i = 0; i < kCalls; ++i) {
    FORETELL_ASSIGN_OR_RETURN(operands.front(), graph.add(op, operands));
  }
  FORETELL_RETURN_IF_ERROR(graph.output("y", operands.front()));
  return graph;
}

// Device time of one op, in nanoseconds.
Result<std::vector<double>> op_times(runtime::cpu::CpuDevice& device, Sampler& sampler,
                                     const ir::Graph& graph) {
  runtime::cpu::InputSet inputs = runtime::cpu::InputSet::random(graph, device, 0);
  const auto executor = runtime::cpu::make_eager_executor(graph, device, inputs);
  return sampler.take([&]() -> Result<double> {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    device.stream->record_time(&begin);
    const auto enqueued = executor->step();
    device.stream->record_time(&end);
    const auto done = executor->synchronize();  // before `begin` and `end` go, whatever became of the step
    FORETELL_RETURN_IF_ERROR(enqueued);
    FORETELL_RETURN_IF_ERROR(done);
    return static_cast<double>(end - begin) / kCalls;
  });
}

Result<ProbedConstant> probe_matmul_call(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  FORETELL_ASSIGN_OR_RETURN(const ir::Graph graph, repeated(ir::OpKind::Matmul, {1, 16}, ir::Shape{16, 16}));
  FORETELL_ASSIGN_OR_RETURN(std::vector<double> times, op_times(device, sampler, graph));
  return constant_of("matmul_call_ns", "ns", std::move(times),
                     "device time of an eager product of 1 x 16 by 16 x 16");
}

Result<ProbedConstant> probe_vector_routine(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  // of a worker: source and target in its first-level cache, and long enough that a launch is no part of it
  const std::int64_t elements = 4096 * device.stream->team_size();
  FORETELL_ASSIGN_OR_RETURN(const ir::Graph graph, repeated(ir::OpKind::Erf, {elements}, std::nullopt));
  FORETELL_ASSIGN_OR_RETURN(std::vector<double> rates, op_times(device, sampler, graph));
  for (double& each : rates) {
    each = static_cast<double>(elements * ir::info(ir::OpKind::Erf).flops) / each;
  }
  return constant_of(
      "vector_f32_gflops", "GFLOP/s", std::move(rates),
      fmt::format("eager erf of {} elements, {} operations each", elements, ir::info(ir::OpKind::Erf).flops));
}

double multiply_add_gflops(runtime::cpu::Stream& stream) {
  constexpr double kFlops = 2e6;  // per worker: some tens of microseconds
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double spent = 0;
  double* const total = &spent;
  stream.record_time(&begin);
  stream.launch([total](const runtime::cpu::Lane& lane) {
    const double flops = spend_flops(kFlops);
    lane.barrier();
    if (lane.rank == 0) {
      *total = flops * lane.size;
    }
  });
  stream.record_time(&end);
  stream.synchronize();
  return spent / static_cast<double>(end - begin);
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_arithmetic(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  std::vector<ProbedConstant> constants;
  FORETELL_ASSIGN_OR_RETURN(auto call, probe_matmul_call(device, sampler));
  FORETELL_ASSIGN_OR_RETURN(auto routine, probe_vector_routine(device, sampler));
  constants.push_back(std::move(call));
  constants.push_back(std::move(routine));
  for (const ir::DType dtype : {ir::DType::F32, ir::DType::BF16}) {
    FORETELL_ASSIGN_OR_RETURN(auto gemm, probe_gemm(device, sampler, dtype));
    if (gemm) {
      constants.push_back(std::move(*gemm));
    }
  }
  FORETELL_ASSIGN_OR_RETURN(
      auto peak, sampler.constant(
                     "fma_f32_gflops", "GFLOP/s", [&] { return multiply_add_gflops(*device.stream); },
                     "multiply-adds in the widest vectors, from registers; 2 operations each"));
  constants.push_back(std::move(peak));
  return constants;
}

}  // namespace foretell::probe
