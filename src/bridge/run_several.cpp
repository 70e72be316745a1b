// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/run_several.hpp"

#include <utility>

#include "src/bridge/run_rows.hpp"

namespace foretell::bridge {
namespace {

Result<reports::RunReport> run_one(const std::string& name, const RunOptions& options) {
  FORETELL_ASSIGN_OR_RETURN(const workloads::Workload workload, workloads::load_workload(name, {}));
  return run_workload(workload, options);
}

}  // namespace

Result<SeveralRuns> run_several(std::span<const std::string> names, const RunOptions& options,
                                const std::function<void(std::size_t)>& on_workload) {
  RunOptions each = options;
  if (!options.plan_only && !options.session) {
    // closed again: its workers would share cores with those of each run
    FORETELL_ASSIGN_OR_RETURN(runtime::cpu::CpuDevice device, runtime::cpu::open_cpu_device(options.device));
    FORETELL_ASSIGN_OR_RETURN(each.session, read_session(device, options));
  }
  SeveralRuns runs;
  bool any = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (on_workload) {
      on_workload(i);
    }
    auto report = run_one(names[i], each);
    any = any || report.has_value();
    if (report) {
      runs.model.runs.push_back(std::move(*report));
      continue;
    }
    reports::RunReport& failed = runs.model.runs.emplace_back();
    failed.workload = names[i];
    failed.error = error_text(report.error());
    if (!runs.failure) {
      runs.failure = std::move(report).error();
    }
  }
  if (any) {
    runs.failure.reset();
  }
  return runs;
}

}  // namespace foretell::bridge
