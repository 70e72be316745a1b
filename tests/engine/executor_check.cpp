// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/executor_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fusion-engine/interp/drift.hpp"
#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/fused_kernels.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/cpu/program_executor.hpp"

namespace foretell::tests {

namespace {

namespace cpu = runtime::cpu;

Result<std::vector<ir::HostTensor>> step(runtime::Executor& executor, const ir::Graph& graph,
                                         const cpu::InputSet& inputs) {
  FORETELL_RETURN_IF_ERROR(executor.step());
  FORETELL_RETURN_IF_ERROR(executor.synchronize());
  std::vector<ir::HostTensor> results;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    results.push_back(executor.output(i));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    results.push_back(inputs.to_host(i));
  }
  return results;
}

std::size_t position_of(const ir::Graph& graph, ir::NodeId input) {
  const auto at = std::ranges::find(graph.inputs(), input);
  return static_cast<std::size_t>(at - graph.inputs().begin());
}

bool has_state(const ir::Graph& graph) {
  return std::ranges::any_of(graph.outputs(),
                             [](const ir::Output& output) { return output.state_of.has_value(); });
}

// Where the worst element is, with both values.
std::string describe(const ir::HostTensor& actual, const interp::Value& reference) {
  for (std::int64_t i = 0; i < ir::elements(actual.type.shape); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = ir::get(actual, i);
    const double r = interp::number(reference, at);
    const double bound = reference.bounds[at];
    const bool same = x == r || (std::isnan(x) && std::isnan(r));
    if (!same && !(std::fabs(x - r) <= bound)) {
      return fmt::format("element {}: {} instead of {} +- {}", i, x, r, bound);
    }
  }
  return "no single element";
}

// nullptr: the eager executor.
const cpu::ExecutionForm* form_of(Variant variant) {
  switch (variant) {
    case Variant::Eager: return nullptr;
    case Variant::Replay: return &cpu::kReplay;
    case Variant::Planned: return &cpu::kPlanned;
    case Variant::Fused: return &cpu::kFused;
    case Variant::Full: return &cpu::kFull;
  }
  return nullptr;
}

}  // namespace

std::string_view to_string(Variant variant) {
  const cpu::ExecutionForm* const form = form_of(variant);
  return form == nullptr ? "eager" : form->name;
}

Engine::Engine(const cpu::StreamOptions& stream) : compiler_(codegen::find_compiler()) {
  auto device = cpu::open_cpu_device({.stream = stream, .allocator = "caching"});
  FORETELL_CHECK(device.has_value());
  device_ = *std::move(device);
}

Result<Engine::Results> Engine::run(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                    Variant variant, Results* second) {
  FORETELL_ASSIGN_OR_RETURN(cpu::InputSet set, cpu::InputSet::copy(graph, device_, inputs));
  cpu::Program program;  // outlives the executor
  std::unique_ptr<runtime::Executor> executor;
  const cpu::ExecutionForm* const form = form_of(variant);
  if (form == nullptr) {
    executor = cpu::make_eager_executor(graph, device_, set);
  } else {
    std::shared_ptr<const codegen::KernelLibrary> library;
    if (form->fused) {
      FORETELL_ASSIGN_OR_RETURN(const codegen::Compiler compiler, compiler_);
      FORETELL_ASSIGN_OR_RETURN(program, cpu::build_fused_program(graph, device_));
      cpu::Program* const programs[]{&program};
      FORETELL_ASSIGN_OR_RETURN(
          library, cpu::load_fused_kernels(programs, compiler, {.directory = directory_.path()}, device_));
    } else {
      program = cpu::build_op_program(graph);
    }
    FORETELL_ASSIGN_OR_RETURN(executor,
                              cpu::make_program_executor(program, *form, std::move(library), device_, set));
  }
  FORETELL_ASSIGN_OR_RETURN(Results first, step(*executor, graph, set));
  FORETELL_ASSIGN_OR_RETURN(Results next, step(*executor, graph, set));
  set.restore_state();
  FORETELL_ASSIGN_OR_RETURN(const Results third, step(*executor, graph, set));
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!has_state(graph) && first[i].bytes != next[i].bytes) {
      return fail(ErrorCode::Limit, "", fmt::format("result {} differs at the second step", i));
    }
    if (first[i].bytes != third[i].bytes) {
      return fail(ErrorCode::Limit, "", fmt::format("result {} differs after restoring the state", i));
    }
  }
  if (second != nullptr) {
    *second = std::move(next);
  }
  return first;
}

std::string faults_of(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                      std::span<const ir::HostTensor> results, std::span<const interp::Value> reference) {
  std::string text;
  std::vector<bool> updated(inputs.size(), false);
  const auto after = results.subspan(graph.outputs().size());
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Output& output = graph.outputs()[i];
    if (results[i].type != reference[i].type) {
      text += fmt::format("{}: type {}\n", output.name, to_string(results[i].type));
      continue;
    }
    const interp::Drift drift = interp::compare(results[i], reference[i]);
    if (drift.nonfinite_mismatches > 0 || !(drift.max_of_bound <= 1)) {
      text +=
          fmt::format("{} = %{}: {} of the bound, {} non-finite; {}\n", output.name, ir::index(output.node),
                      drift.max_of_bound, drift.nonfinite_mismatches, describe(results[i], reference[i]));
    }
    if (output.state_of.has_value()) {
      const std::size_t input = position_of(graph, *output.state_of);
      updated[input] = true;
      if (after[input].bytes != results[i].bytes) {
        text += fmt::format("{}: the state it updates holds something else\n", output.name);
      }
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!updated[i] && after[i].bytes != inputs[i].bytes) {
      text += fmt::format("input {} was overwritten\n", i);
    }
  }
  return text;
}

std::string faults_of_second(const ir::Graph& graph, const Engine::Results& first,
                             const Engine::Results& second) {
  const auto left = std::span(first).subspan(graph.outputs().size());
  const auto reference = interp::evaluate(graph, left, {.bounds = true});
  if (!reference.has_value()) {
    return "reference of the second step: " + reference.error().message + "\n";
  }
  const std::string text = faults_of(graph, left, second, *reference);
  return text.empty() ? text : "second step: " + text;
}

std::string Engine::faults(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, Variant variant) {
  const auto reference = interp::evaluate(graph, inputs, {.bounds = true});
  if (!reference.has_value()) {
    return "reference: " + reference.error().message + "\n";
  }
  Results second;
  const auto results = run(graph, inputs, variant, &second);
  if (!results.has_value()) {
    return fmt::format("{}: {}\n", results.error().where, results.error().message);
  }
  std::string text = faults_of(graph, inputs, *results, *reference);
  if (text.empty() && has_state(graph)) {
    text = faults_of_second(graph, *results, second);
  }
  return text;
}

}  // namespace foretell::tests
