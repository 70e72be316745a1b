// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/engine_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "fusion-engine/probe/machine.hpp"
#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/fused_executor.hpp"
#include "fusion-engine/runtime/machine_state.hpp"
#include "fusion-engine/runtime/measure.hpp"
#include "src/bridge/bound.hpp"
#include "src/bridge/copy_executor.hpp"
#include "src/bridge/drift_run.hpp"
#include "src/bridge/memory_need.hpp"
#include "src/bridge/run_rows.hpp"
#include "src/bridge/run_summary.hpp"
#include "src/bridge/variants.hpp"
#include "src/bridge/work_count.hpp"

namespace foretell::bridge {
namespace {

using runtime::cpu::CpuDevice;
using runtime::cpu::FusedProgram;
using runtime::cpu::InputSet;

// Below it a copy is over before a worker is awake: no reference for anything.
constexpr std::int64_t kLeastCopyBytes = 64 << 10;

// Everything one run holds on to. Members are destroyed from the last on: executors before what they use.
class EngineRun {
 public:
  EngineRun(const workloads::Workload& workload, const RunOptions& options, CpuDevice& device)
      : workload_(workload), graph_(workload.graph), options_(options), device_(device) {}

  Result<reports::RunReport> run() {
    FORETELL_RETURN_IF_ERROR(check_memory(graph_, probe::available_memory_bytes()));
    describe();
    if (wants("fused")) {
      FORETELL_RETURN_IF_ERROR(plan());
    }
    if (options_.plan_only) {
      return std::move(report_);
    }
    if (wants("fused")) {
      FORETELL_ASSIGN_OR_RETURN(compiler_, codegen::find_compiler());
      report_.machine.compiler = compiler_->version;
    }
    FORETELL_RETURN_IF_ERROR(read_constants());
    stage("preparing inputs");
    inputs_.emplace(InputSet::random(graph_, device_, options_.seed));
    FORETELL_RETURN_IF_ERROR(make_executors());
    FORETELL_RETURN_IF_ERROR(measure_all());
    FORETELL_RETURN_IF_ERROR(time_ops());
    if (options_.drift) {
      FORETELL_RETURN_IF_ERROR(measure_drifts());
    }
    conclude();
    return std::move(report_);
  }

 private:
  struct Running {
    std::string name;
    std::unique_ptr<runtime::Executor> executor;
  };

  bool wants(std::string_view variant) const {
    return std::ranges::find(options_.variants, variant) != options_.variants.end();
  }
  void stage(std::string_view text) const {
    if (options_.on_stage) {
      options_.on_stage(text);
    }
  }
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
    report_.machine = machine_row(probe::read_machine(device_, options_.device.stream.one_lane), device_);
    report_.binds = "unknown";
    if (options_.plan_only) {
      report_.measuring.verdict = reports::MeasuringVerdict::Partial;
      report_.measuring.reasons.emplace_back("nothing was measured: the fusion plan was asked for");
    }
  }

  Result<void> plan() {
    stage("planning");
    FORETELL_ASSIGN_OR_RETURN(program_, runtime::cpu::build_fused_program(graph_, device_));
    report_.groups = group_rows(*program_);
    report_.refusals = refusal_rows(*program_);
    work_ = count_work(program_->graph);
    return {};
  }

  Result<void> read_constants() {
    ProbeOptions probing = options_.probe;
    probing.on_probe = [&](std::size_t i) {
      stage(fmt::format("probing: {}", probe::all_probes()[i].title));
    };
    FORETELL_ASSIGN_OR_RETURN(const ProbeSession session, open_probe_session(device_, probing));
    report_.constants = constant_rows(session.result);
    constants_ = bound_constants(session.result);
    if (!session.note.empty()) {
      report_.notes.push_back(session.note);
    }
    if (!program_) {
      FORETELL_ASSIGN_OR_RETURN(const auto lowered, passes::run_pipeline(graph_));
      work_ = count_work(lowered.graph);
    }
    return {};
  }

  Result<void> make_executors() {
    for (const std::string_view name : all_variants()) {
      if (!wants(name)) {
        continue;
      }
      report_.variants.emplace_back().name = name;
      if (name == "eager") {
        running_.push_back({"eager", runtime::cpu::make_eager_executor(graph_, device_, *inputs_)});
        continue;
      }
      stage("compiling");
      FORETELL_ASSIGN_OR_RETURN(auto executor, runtime::cpu::make_fused_executor(
                                                   *program_, *compiler_, options_.cache, device_, *inputs_));
      report_.variants.back().compile = compile_row(program_->report);
      running_.push_back({"fused", std::move(executor)});
    }
    return {};
  }

  // The copies take turns with the variants: same minutes, same neighbours.
  Result<void> measure_all() {
    std::vector<runtime::Variant> variants;
    for (const Running& each : running_) {
      variants.push_back({each.name, each.executor.get()});
    }
    std::vector<std::unique_ptr<runtime::Executor>> copies;
    std::optional<CopyBuffers> buffers;
    if (const std::int64_t bytes = largest_tensor_bytes(graph_); bytes >= kLeastCopyBytes) {
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
    const auto eager = std::ranges::find(measured.variants, "eager", &runtime::VariantTimes::name);
    double best_copy = 0;
    for (std::size_t i = running_.size(); i < measured.variants.size(); ++i) {
      if (measured.variants[i].step_ns.median > 0) {
        report_.constants.push_back(copy_row(measured.variants[i], copy_bytes));
        best_copy = std::max(best_copy, report_.constants.back().constant.expected);
      }
    }
    constants_.session_touched_bytes = copy_bytes;
    constants_.session_gbps = best_copy;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      reports::VariantRow& variant = row(running_[i].name);
      variant.counters = counter_row(running_[i].executor->counters());
      variant.measured =
          measured_row(measured.variants[i], eager == measured.variants.end() ? nullptr : &*eager);
      if (!variant.measured) {
        continue;
      }
      variant.achieved_gbps =
          static_cast<double>(variant.counters.bytes()) / static_cast<double>(variant.measured->median_ns);
      if (best_copy > 0) {
        variant.share_of_copy = *variant.achieved_gbps / best_copy;
      }
      variant.bound = explain_bound(variant_work(variant, work_), constants_);
    }
    const reports::VariantRow* const reference =
        report_.variants.empty() ? nullptr : &report_.variants.front();
    for (reports::VariantRow& variant : report_.variants) {
      if (!variant.compile || !variant.measured || !reference->measured || reference->name != "eager") {
        continue;
      }
      const std::int64_t saved_ns = reference->measured->median_ns - variant.measured->median_ns;
      if (saved_ns > 0) {
        variant.compile->break_even_steps = (variant.compile->total_ns + saved_ns - 1) / saved_ns;
      }
    }
  }

  // As many steps as fit a fifth of a second, at most kOpSteps, behind one that warms up.
  Result<void> time_ops() {
    constexpr std::size_t kOpSteps = 9;
    constexpr std::int64_t kBudgetNs = 200'000'000;
    for (const Running& each : running_) {
      std::vector<std::vector<runtime::OpTime>> steps;
      const std::int64_t end = probe::now_ns() + kBudgetNs;
      FORETELL_RETURN_IF_ERROR(each.executor->time_ops());
      do {
        FORETELL_ASSIGN_OR_RETURN(auto times, each.executor->time_ops());
        steps.push_back(std::move(times));
      } while (steps.size() < kOpSteps && probe::now_ns() < end);
      std::ranges::move(op_rows(each.name, median_times(steps)), std::back_inserter(report_.ops));
    }
    return {};
  }

  Result<void> measure_drifts() {
    const auto instance = drift_instance(workload_);
    if (!instance) {
      report_.notes.emplace_back(
          "drift was not measured: the reference interpreter would take too long at this size, and nothing "
          "smaller can "
          "stand for this workload");
      return {};
    }
    stage("measuring drift");
    VariantFactory factory(compiler_, options_.cache);
    std::vector<DriftVariant> variants;
    for (const Running& each : running_) {
      variants.push_back({each.name, [&](const ir::Graph& graph, CpuDevice& device, InputSet& inputs) {
                            return factory.make(each.name, graph, device, inputs);
                          }});
    }
    FORETELL_ASSIGN_OR_RETURN(const auto rows, measure_drift(*instance, device_, variants, options_.seed));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      row(variants[i].name).drift = rows[i];
    }
    return {};
  }

  void conclude() { summarise(report_, constants_, work_); }

  const workloads::Workload& workload_;
  const ir::Graph& graph_;
  const RunOptions& options_;
  CpuDevice& device_;
  reports::RunReport report_;
  WorkCount work_;
  BoundConstants constants_;
  std::optional<codegen::Compiler> compiler_;
  std::optional<FusedProgram> program_;
  std::optional<InputSet> inputs_;
  std::vector<Running> running_;
};

}  // namespace

Result<reports::RunReport> run_workload(const workloads::Workload& workload, const RunOptions& options) {
  FORETELL_RETURN_IF_ERROR(check_variants(options.variants));
  FORETELL_ASSIGN_OR_RETURN(CpuDevice device, runtime::cpu::open_cpu_device(options.device));
  return EngineRun(workload, options, device).run();
}

}  // namespace foretell::bridge
