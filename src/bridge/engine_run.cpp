// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/engine_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "fusion-engine/probe/machine.hpp"
#include "fusion-engine/runtime/machine_state.hpp"
#include "fusion-engine/runtime/measure.hpp"
#include "src/bridge/bound.hpp"
#include "src/bridge/copy_executor.hpp"
#include "src/bridge/drift_run.hpp"
#include "src/bridge/memory_need.hpp"
#include "src/bridge/memory_rows.hpp"
#include "src/bridge/op_timing.hpp"
#include "src/bridge/run_rows.hpp"
#include "src/bridge/run_summary.hpp"
#include "src/bridge/variants.hpp"
#include "src/bridge/work_count.hpp"

namespace foretell::bridge {
namespace {

using runtime::cpu::CpuDevice;
using runtime::cpu::InputSet;
using runtime::cpu::Program;

void tell(const RunOptions& options, std::string_view stage) {
  if (options.on_stage) {
    options.on_stage(stage);
  }
}

// Everything one run holds on to. Members are destroyed from the last on: executors before what they use.
class EngineRun {
 public:
  EngineRun(const workloads::Workload& workload, const RunOptions& options, CpuDevice& device)
      : workload_(workload),
        graph_(workload.graph),
        options_(options),
        device_(device),
        factory_(device, options.cache) {}

  Result<reports::RunReport> run() {
    describe();
    if (options_.plan_only) {
      FORETELL_RETURN_IF_ERROR(plan());
      summarise_plan(report_);
      return std::move(report_);
    }
    FORETELL_RETURN_IF_ERROR(check_memory(graph_, own_memories(), probe::available_memory_bytes()));
    FORETELL_RETURN_IF_ERROR(read_constants());  // before plan(): what is generated depends on them
    FORETELL_RETURN_IF_ERROR(wants_compiled() ? plan() : count_lowered());
    stage("preparing inputs");
    inputs_.emplace(InputSet::random(graph_, device_, options_.seed));
    FORETELL_RETURN_IF_ERROR(make_executors());
    FORETELL_RETURN_IF_ERROR(measure_all());
    time_ops();
    if (options_.drift) {
      FORETELL_RETURN_IF_ERROR(measure_drifts());
    }
    summarise(report_, constants_, work_);
    return std::move(report_);
  }

 private:
  struct Running {
    const VariantInfo* info = nullptr;
    std::unique_ptr<runtime::Executor> executor;
  };

  bool wants(const VariantInfo& info) const {
    return std::ranges::find(options_.variants, info.name) != options_.variants.end();
  }
  bool wants_compiled() const {
    return std::ranges::any_of(all_variants(),
                               [&](const VariantInfo& info) { return info.compiled() && wants(info); });
  }
  std::size_t own_memories() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        all_variants(), [&](const VariantInfo& info) { return info.has_own_memory() && wants(info); }));
  }
  void stage(std::string_view text) const { tell(options_, text); }
  reports::VariantRow& row(std::string_view name) {
    return *std::ranges::find(report_.variants, name, &reports::VariantRow::name);
  }

  void describe() {
    report_.workload = workload_.name;
    report_.parameters = parameter_rows(workload_.parameters);
    report_.parameters.push_back(
        {"seed", "seed", fmt::format("{}", options_.seed), static_cast<std::int64_t>(options_.seed)});
    report_.parameters.push_back(
        {"allocator", "allocator", options_.device.allocator, std::string(options_.device.allocator)});
    report_.machine = machine_row(probe::read_machine(device_), device_);
    report_.binds = "unknown";
    report_.blockers = blocker_rows(graph_);
    if (options_.plan_only) {
      report_.measuring.verdict = reports::MeasuringVerdict::Partial;
      report_.measuring.reasons.emplace_back("nothing was measured: the fusion plan was asked for");
    }
  }

  Result<void> plan() {
    stage("planning");
    FORETELL_ASSIGN_OR_RETURN(const Program* program, factory_.fused_program(graph_));
    report_.groups = group_rows(*program);
    report_.refusals = refusal_rows(*program);
    work_ = count_work(program->graph);
    return {};
  }

  Result<void> count_lowered() {
    FORETELL_ASSIGN_OR_RETURN(const auto lowered, passes::run_pipeline(graph_));
    work_ = count_work(lowered.graph);
    return {};
  }

  Result<void> read_constants() {
    FORETELL_ASSIGN_OR_RETURN(const ProbeSession session, options_.session
                                                              ? Result<ProbeSession>(*options_.session)
                                                              : read_session(device_, options_));
    report_.constants = constant_rows(session.result);
    constants_ = bound_constants(session.result);
    if (const auto cut = probe::find_constant(session.result, "replay_fixed_ns")) {
      for (reports::RunBlockerRow& blocker : report_.blockers) {
        blocker.cost_ns = std::llround(cut->expected);
      }
    }
    apply_constants(session.result, device_);
    if (!session.note.empty()) {
      report_.notes.push_back(session.note);
    }
    return {};
  }

  // With one step already run: what can't be run fails here. Errors: none is left, the first one's.
  Result<void> make_executors() {
    std::optional<Error> first;
    for (const VariantInfo& info : all_variants()) {
      if (!wants(info)) {
        continue;
      }
      report_.variants.emplace_back().name = info.name;
      auto executor = make_executor(info);
      if (executor) {
        running_.push_back({&info, std::move(*executor)});
        continue;
      }
      report_.variants.back().error = error_text(executor.error());
      if (!first) {
        first = std::move(executor).error();
      }
    }
    if (running_.empty()) {
      return std::unexpected(std::move(*first));
    }
    return {};
  }

  Result<std::unique_ptr<runtime::Executor>> make_executor(const VariantInfo& info) {
    if (info.compiled()) {
      stage("compiling");
      FORETELL_ASSIGN_OR_RETURN(const codegen::Compiler* compiler, factory_.compiler());
      report_.machine.compiler = compiler->version;
    }
    FORETELL_ASSIGN_OR_RETURN(auto executor, factory_.make(info.name, graph_, *inputs_));
    if (info.compiled()) {
      FORETELL_ASSIGN_OR_RETURN(const Program* program, factory_.fused_program(graph_));
      report_.variants.back().compile = compile_row(program->report);
    }
    FORETELL_RETURN_IF_ERROR(executor->step());
    FORETELL_RETURN_IF_ERROR(executor->synchronize());
    return executor;
  }

  // The copies take turns with the variants: same minutes, same neighbours.
  Result<void> measure_all() {
    std::vector<runtime::Variant> variants;
    for (const Running& each : running_) {
      variants.push_back({std::string(each.info->name), each.executor.get()});
    }
    std::vector<std::unique_ptr<runtime::Executor>> copies;
    std::optional<CopyBuffers> buffers;
    if (const std::int64_t bytes = copy_block_bytes(graph_); bytes > 0) {
      buffers.emplace(device_, bytes);
      for (const probe::CopyKind kind : probe::kCopyKinds) {
        copies.push_back(make_copy_executor(kind, device_, *buffers));
        variants.push_back({std::string(probe::to_string(kind)), copies.back().get()});
      }
    }
    stage("measuring");
    const auto machine = runtime::this_machine(*device_.stream);
    runtime::MeasureOptions measuring;
    measuring.budget_ns = options_.budget_ns;
    measuring.warm_up_budget_ns = std::min(measuring.warm_up_budget_ns, options_.budget_ns);
    FORETELL_ASSIGN_OR_RETURN(const runtime::Measurement measured,
                              runtime::measure(variants, *machine, measuring));
    report_.measuring = measuring_row(measured);
    if (!measured.machine_busy && !measured.converged) {
      report_.notes.emplace_back(
          "the time budget ended before every median was known to 1 %; a larger --time-budget narrows the "
          "intervals");
    }
    read_times(measured, buffers ? 2.0 * static_cast<double>(buffers->size_bytes()) : 0);
    return {};
  }

  void read_times(const runtime::Measurement& measured, double copy_bytes) {
    for (std::size_t i = running_.size(); i < measured.variants.size(); ++i) {
      if (measured.variants[i].step_ns.median > 0) {
        report_.constants.push_back(copy_row(measured.variants[i], copy_bytes));
        constants_.session_gbps =
            std::max(constants_.session_gbps, report_.constants.back().constant.expected);
      }
    }
    constants_.session_touched_bytes = copy_bytes;
    const auto eager = std::ranges::find(measured.variants, "eager", &runtime::VariantTimes::name);
    for (std::size_t i = 0; i < running_.size(); ++i) {
      reports::VariantRow& variant = row(running_[i].info->name);
      variant.counters = counter_row(running_[i].executor->counters());
      if (const runtime::MemoryLayout* const layout = running_[i].executor->memory()) {
        variant.memory = memory_row(*layout);
        if (options_.memory_pictures) {
          variant.memory_picture = memory_picture(*layout, report_.workload + ", " + variant.name);
        }
      }
      variant.measured =
          measured_row(measured.variants[i], eager == measured.variants.end() ? nullptr : &*eager,
                       options_.device.stream.one_lane);
      if (!variant.measured) {
        continue;
      }
      variant.achieved_gbps =
          static_cast<double>(variant.counters.bytes()) / static_cast<double>(variant.measured->median_ns);
      if (constants_.session_gbps > 0) {
        variant.share_of_copy = *variant.achieved_gbps / constants_.session_gbps;
      }
      variant.bound = explain_bound(variant_work(variant, work_), constants_);
      const reports::VariantRow& reference = report_.variants.front();
      if (variant.compile && reference.name == "eager" && reference.measured) {
        variant.compile->break_even_steps =
            break_even_steps(*variant.compile, *reference.measured, *variant.measured);
      }
    }
  }

  void time_ops() {
    for (const Running& each : running_) {
      if (auto times = median_op_times(*each.executor)) {
        std::ranges::move(op_rows(each.info->name, *times), std::back_inserter(report_.ops));
      } else {
        report_.notes.push_back(
            fmt::format("ops of {} were not timed: {}", each.info->name, times.error().message));
      }
    }
  }

  Result<void> measure_drifts() {
    const auto instance = drift_instance(workload_, work_.element_ops);
    if (!instance) {
      report_.notes.emplace_back(
          "drift was not measured: the reference interpreter would take too long at this size, and nothing "
          "smaller can stand for this workload");
      return {};
    }
    stage("measuring drift");
    std::vector<DriftVariant> variants;
    for (const Running& each : running_) {
      variants.push_back({std::string(each.info->name), each.info->op_by_op(),
                          [&](const ir::Graph& graph, InputSet& inputs) {
                            return factory_.make(each.info->name, graph, inputs);
                          }});
    }
    FORETELL_ASSIGN_OR_RETURN(auto rows, measure_drift(*instance, device_, variants, options_.seed));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i]) {
        row(variants[i].name).drift = std::move(*rows[i]);
      } else {
        report_.notes.push_back(
            fmt::format("drift of {} was not measured: {}", variants[i].name, rows[i].error().message));
      }
    }
    return {};
  }

  const workloads::Workload& workload_;
  const ir::Graph& graph_;
  const RunOptions& options_;
  CpuDevice& device_;
  reports::RunReport report_;
  WorkCount work_;
  BoundConstants constants_;
  VariantFactory factory_;
  std::optional<InputSet> inputs_;
  std::vector<Running> running_;
};

}  // namespace

Result<ProbeSession> read_session(CpuDevice& device, const RunOptions& options) {
  ProbeOptions probing = options.probe;
  probing.on_probe = [&](std::size_t i) {
    tell(options, fmt::format("probing: {}", probe::all_probes()[i].title));
  };
  return open_probe_session(device, probing);
}

Result<reports::RunReport> run_workload(const workloads::Workload& workload, const RunOptions& options) {
  FORETELL_RETURN_IF_ERROR(check_variants(options.variants));
  FORETELL_ASSIGN_OR_RETURN(CpuDevice device, runtime::cpu::open_cpu_device(options.device));
  return EngineRun(workload, options, device).run();
}

}  // namespace foretell::bridge
