// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/cpu/eager_executor.hpp"

namespace foretell::probe {
namespace {

constexpr int kOps = 256;               // fewer than the ring takes: the host never waits
constexpr std::int64_t kElements = 16;  // one vector: the device has next to nothing to do

Result<ir::Graph> small_chain() {
  ir::Graph graph("dispatch");
  FORETELL_ASSIGN_OR_RETURN(ir::NodeId x, graph.input("x", {ir::DType::F32, {kElements}}));
  const ir::NodeId half = graph.constant(0.5, ir::DType::F32);
  for (int i = 0; i < kOps; ++i) {
    FORETELL_ASSIGN_OR_RETURN(x, graph.add(i % 2 == 0 ? ir::OpKind::Add : ir::OpKind::Mul, {x, half}));
  }
  FORETELL_RETURN_IF_ERROR(graph.output("y", x));
  return graph;
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_dispatch(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  FORETELL_ASSIGN_OR_RETURN(const ir::Graph graph, small_chain());
  runtime::cpu::InputSet inputs = runtime::cpu::InputSet::random(graph, device, 0);
  const auto executor = runtime::cpu::make_eager_executor(graph, device, inputs);
  const auto host_ns = [&]() -> Result<double> {
    const std::int64_t begin = runtime::now_ns();
    FORETELL_RETURN_IF_ERROR(executor->step());
    const std::int64_t end = runtime::now_ns();
    FORETELL_RETURN_IF_ERROR(executor->synchronize());
    return static_cast<double>(end - begin) / kOps;
  };
  FORETELL_ASSIGN_OR_RETURN(
      auto dispatch, sampler.constant("dispatch_ns", "ns", host_ns,
                                      "host time of an eager op on 16 elements: check, allocate, launch"));
  return std::vector{std::move(dispatch)};
}

}  // namespace foretell::probe
