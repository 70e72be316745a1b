// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/drift_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "fusion-engine/interp/drift.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/passes/pass.hpp"
#include "src/base/check.hpp"
#include "src/bridge/work_count.hpp"

namespace foretell::bridge {
namespace {

double reference_work(const ir::Graph& graph) {
  const auto lowered = passes::run_pipeline(graph);
  return count_work(lowered ? lowered->graph : graph).element_ops;
}

std::int64_t largest_elements(const ir::Graph& graph) {
  std::int64_t largest = 1;
  for (const ir::Node& node : graph.nodes()) {
    largest = std::max(largest, ir::elements(node.type.shape));
  }
  return largest;
}

// The same contents as InputSet::random() gives.
std::vector<ir::HostTensor> random_inputs(const ir::Graph& graph, std::uint64_t seed) {
  std::vector<ir::HostTensor> inputs;
  for (const ir::NodeId input : graph.inputs()) {
    inputs.push_back(ir::random_tensor(graph.type(input), seed + inputs.size(),
                                       runtime::cpu::input_contents(graph, input)));
  }
  return inputs;
}

// Outputs of each of `steps` steps; states go on from one to the next.
Result<std::vector<std::vector<ir::HostTensor>>> run_steps(const ir::Graph& graph,
                                                           runtime::cpu::CpuDevice& device,
                                                           const DriftVariant& variant,
                                                           std::span<const ir::HostTensor> inputs,
                                                           std::size_t steps) {
  FORETELL_ASSIGN_OR_RETURN(runtime::cpu::InputSet set, runtime::cpu::InputSet::copy(graph, device, inputs));
  FORETELL_ASSIGN_OR_RETURN(const auto executor, variant.make(graph, set));
  std::vector<std::vector<ir::HostTensor>> outputs(steps);
  for (std::vector<ir::HostTensor>& of_step : outputs) {
    FORETELL_RETURN_IF_ERROR(executor->step());
    FORETELL_RETURN_IF_ERROR(executor->synchronize());
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      of_step.push_back(executor->output(i));
    }
  }
  return outputs;
}

// The same of the reference. What it leaves in a state is rounded to the state's dtype, as memory does.
Result<std::vector<std::vector<interp::Value>>> reference_steps(const ir::Graph& graph,
                                                                std::vector<ir::HostTensor> inputs,
                                                                std::size_t steps) {
  std::vector<std::vector<interp::Value>> values;
  for (std::size_t step = 0; step < steps; ++step) {
    FORETELL_ASSIGN_OR_RETURN(auto of_step, interp::evaluate(graph, inputs));
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      if (const auto& state = graph.outputs()[i].state_of) {
        const auto at = std::ranges::find(graph.inputs(), *state) - graph.inputs().begin();
        inputs[static_cast<std::size_t>(at)] = interp::to_tensor(of_step[i]);
      }
    }
    values.push_back(std::move(of_step));
  }
  return values;
}

interp::Drift drift_of_step(std::span<const ir::HostTensor> outputs,
                            std::span<const interp::Value> reference) {
  interp::Drift drift;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    interp::merge(drift, interp::compare(outputs[i], reference[i]));
  }
  return drift;
}

reports::DriftRow drift_row(const interp::Drift& drift, const std::string& measured_at) {
  reports::DriftRow row;
  row.measured_at = measured_at;
  row.elements = drift.elements;
  row.max_relative = drift.max_relative;
  row.mean_relative = drift.mean_relative;
  row.max_ulp = drift.max_ulp;
  row.ulp_edges.assign(interp::kUlpEdges.begin(), interp::kUlpEdges.end());
  row.ulp_histogram.assign(drift.ulp_histogram.begin(), drift.ulp_histogram.end());
  row.nonfinite_mismatches = drift.nonfinite_mismatches;
  return row;
}

// Inputs and constants are no results; views are, but exact.
bool is_result(const ir::Node& node) {
  return node.op != ir::OpKind::Input && node.op != ir::OpKind::Constant;
}
bool may_drift(const ir::Node& node) {
  return is_result(node) && ir::category(node.op) != ir::Category::View;
}

// The same graph with every op's result as an output; `watched` are those nodes in order.
struct Watched {
  ir::Graph graph;
  std::vector<ir::NodeId> nodes;
};
Result<std::optional<Watched>> watch(const ir::Graph& graph) {
  Watched watched{ir::Graph(graph.name()), {}};
  const std::vector<bool> live = ir::live_nodes(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    const ir::NodeId id{static_cast<std::uint32_t>(i)};
    // ids stay the same: nodes are added in the same order, and equal ones do not occur
    FORETELL_ASSIGN_OR_RETURN(const ir::NodeId added,
                              watched.graph.add(node.op, node.operands, node.attributes));
    FORETELL_CHECK(added == id);
    if (live[i] && is_result(node)) {
      watched.nodes.push_back(id);
    }
  }
  if (watched.nodes.empty() || watched.nodes.size() > kMaxWorstOpNodes) {
    return std::nullopt;
  }
  for (const ir::NodeId node : watched.nodes) {
    FORETELL_RETURN_IF_ERROR(watched.graph.output(fmt::format("n{}", ir::index(node)), node));
  }
  return watched;
}

// `node` alone: its operands are inputs (equal ones once, as in the graph), or constants.
Result<interp::Drift> drift_of_op(const ir::Graph& graph, ir::NodeId id,
                                  const std::vector<const ir::HostTensor*>& values,
                                  const ir::HostTensor& actual) {
  const ir::Node& node = graph.node(id);
  ir::Graph single("op");
  std::vector<ir::NodeId> operands;
  std::vector<ir::HostTensor> inputs;
  std::vector<std::pair<ir::NodeId, ir::NodeId>> known;
  for (const ir::NodeId operand : node.operands) {
    const auto at = std::ranges::find(known, operand, &std::pair<ir::NodeId, ir::NodeId>::first);
    if (at != known.end()) {
      operands.push_back(at->second);
      continue;
    }
    FORETELL_ASSIGN_OR_RETURN(const ir::NodeId input,
                              single.input(fmt::format("x{}", inputs.size()), graph.type(operand)));
    inputs.push_back(*values[ir::index(operand)]);
    known.emplace_back(operand, input);
    operands.push_back(input);
  }
  FORETELL_ASSIGN_OR_RETURN(const ir::NodeId made, single.add(node.op, operands, node.attributes));
  FORETELL_RETURN_IF_ERROR(single.output("y", made));
  FORETELL_ASSIGN_OR_RETURN(const auto reference, interp::evaluate(single, inputs));
  return interp::compare(actual, reference.front());
}

// The op whose result is farthest from the reference over the operands it was really given.
Result<void> find_worst_op(const ir::Graph& graph, const Watched& watched, runtime::cpu::CpuDevice& device,
                           const DriftVariant& variant, std::span<const ir::HostTensor> inputs,
                           reports::DriftRow& row) {
  FORETELL_ASSIGN_OR_RETURN(const auto steps, run_steps(watched.graph, device, variant, inputs, 1));
  const std::vector<ir::HostTensor>& results = steps.front();
  std::vector<const ir::HostTensor*> values(graph.size(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[ir::index(graph.inputs()[i])] = &inputs[i];
  }
  std::vector<ir::HostTensor> constants;
  constants.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.nodes()[i].op == ir::OpKind::Constant) {
      constants.push_back(ir::make_tensor(graph.nodes()[i].type));
      ir::set(constants.back(), 0, graph.nodes()[i].attributes.real(ir::AttrKey::Value));
      values[i] = &constants.back();
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    values[ir::index(watched.nodes[i])] = &results[i];
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ir::Node& node = graph.node(watched.nodes[i]);
    if (!may_drift(node)) {
      continue;
    }
    FORETELL_ASSIGN_OR_RETURN(const interp::Drift drift,
                              drift_of_op(graph, watched.nodes[i], values, results[i]));
    if (row.worst_op.empty() || drift.max_relative > row.worst_op_relative) {
      row.worst_op = fmt::format("%{} {}", ir::index(watched.nodes[i]), ir::to_string(node.op));
      row.worst_op_relative = drift.max_relative;
    }
  }
  return {};
}

// One of which the reference has about as much to do as it is asked for at most; `work`: of all of it.
std::optional<DriftInstance> smaller_instance(const workloads::Workload& workload, double work) {
  // a power of two, so that the size can be told in a few digits
  const double elements = static_cast<double>(largest_elements(workload.graph)) * kMaxReferenceWork / work;
  auto small = workloads::shrunk(
      workload,
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max(1.0, elements)))));
  // a product of two large weights stays large however few rows it has
  if (!small ||
      reference_work(small->graph) > 2 * kMaxReferenceWork * reference_work(workload.graph) / work) {
    return std::nullopt;
  }
  std::string measured_at;
  for (std::size_t i = 0; i < small->parameters.size(); ++i) {
    if (small->parameters[i] != workload.parameters[i]) {
      measured_at += fmt::format("{}{} {}", measured_at.empty() ? "" : ", ", small->parameters[i].name,
                                 workloads::to_string(small->parameters[i]));
    }
  }
  return DriftInstance{std::move(*small), std::move(measured_at)};
}

}  // namespace

std::optional<DriftInstance> drift_instance(const workloads::Workload& workload, double work) {
  const bool has_state = std::ranges::any_of(
      workload.graph.outputs(), [](const ir::Output& output) { return output.state_of.has_value(); });
  if (has_state && work * kDriftSteps <= kMaxReferenceWork) {
    return DriftInstance{workload, "", kDriftSteps};
  }
  if (has_state) {
    if (auto small = smaller_instance(workload, work * kDriftSteps)) {
      small->steps = kDriftSteps;
      return small;
    }
  }
  return work <= kMaxReferenceWork ? DriftInstance{workload, ""} : smaller_instance(workload, work);
}

Result<std::vector<Result<reports::DriftRow>>> measure_drift(const DriftInstance& instance,
                                                             runtime::cpu::CpuDevice& device,
                                                             std::span<const DriftVariant> variants,
                                                             std::uint64_t seed) {
  const ir::Graph& graph = instance.workload.graph;
  const std::vector<ir::HostTensor> inputs = random_inputs(graph, seed);
  FORETELL_ASSIGN_OR_RETURN(const auto reference, reference_steps(graph, inputs, instance.steps));
  FORETELL_ASSIGN_OR_RETURN(const auto watched, watch(graph));
  const auto row_of = [&](const DriftVariant& variant) -> Result<reports::DriftRow> {
    FORETELL_ASSIGN_OR_RETURN(const auto outputs, run_steps(graph, device, variant, inputs, instance.steps));
    reports::DriftRow row =
        drift_row(drift_of_step(outputs.front(), reference.front()), instance.measured_at);
    for (std::size_t step = 1; instance.steps > 1 && step <= instance.steps; step *= 2) {
      const interp::Drift drift = drift_of_step(outputs[step - 1], reference[step - 1]);
      row.over_steps.push_back({.step = static_cast<std::int64_t>(step),
                                .max_relative = drift.max_relative,
                                .mean_relative = drift.mean_relative});
    }
    if (watched && variant.op_by_op) {
      FORETELL_RETURN_IF_ERROR(find_worst_op(graph, *watched, device, variant, inputs, row));
    }
    return row;
  };
  std::vector<Result<reports::DriftRow>> rows;
  std::ranges::transform(variants, std::back_inserter(rows), row_of);
  return rows;
}

}  // namespace foretell::bridge
