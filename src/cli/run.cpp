// SPDX-License-Identifier: Apache-2.0
// foretell run --workload NAME|FILE
#include "src/cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/probe/probe_file.hpp"
#include "fusion-engine/workloads/all.hpp"
#include "src/base/text.hpp"
#include "src/bridge/dump_stages.hpp"
#include "src/bridge/engine_run.hpp"
#include "src/bridge/variants.hpp"
#include "src/cli/output.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/run_main.hpp"
#include "src/cli/validators.hpp"

namespace foretell::cli {
namespace {

constexpr double kLongestBudgetSeconds = 3600;

struct RunCommand {
  std::string workload;
  std::vector<std::pair<std::string, std::string>>
      parameters;  // every option of a workload; empty: not given
  std::vector<std::string> variants{"eager", "fused"};
  std::string allocator = "caching";
  int threads = 0;
  bool sync = false;
  std::uint64_t seed = 0;
  double budget_s = 3;
  bool no_drift = false;
  bool refresh = false;
  std::vector<std::string> dump;
  std::vector<std::string> explain;
  std::vector<std::string> program;  // behind "--"
  OutputOptions output;
};

// The options of all workloads, each once; `help` says which workloads take it, and as what.
struct WorkloadOption {
  std::string_view name;
  std::string help;
};

std::vector<WorkloadOption> workload_options() {
  struct Meaning {
    std::string_view option;
    std::string workloads, text;
  };
  std::vector<Meaning> meanings;
  for (const workloads::WorkloadInfo& workload : workloads::all_workloads()) {
    for (const workloads::ParameterInfo& parameter : workload.parameters) {
      const std::string text = fmt::format("{} ({})", parameter.title, parameter.default_text);
      const auto at = std::ranges::find_if(meanings, [&](const Meaning& meaning) {
        return meaning.option == parameter.name && meaning.text == text;
      });
      if (at == meanings.end()) {
        meanings.push_back({parameter.name, std::string(workload.name), text});
      } else {
        at->workloads += fmt::format(", {}", workload.name);
      }
    }
  }
  std::vector<WorkloadOption> options;
  for (const Meaning& meaning : meanings) {
    const std::string help = fmt::format("{}: {}", meaning.workloads, meaning.text);
    const auto at = std::ranges::find(options, meaning.option, &WorkloadOption::name);
    if (at == options.end()) {
      options.push_back({meaning.option, help});
    } else {
      at->help += "; " + help;
    }
  }
  return options;
}

Result<void> check_command(const RunCommand& command) {
  constexpr std::string_view kHint =
      "as: foretell run --workload chain; 'foretell run --help' lists what there is";
  if (!command.program.empty()) {
    return fail(ErrorCode::Usage, "run", "expected --workload NAME|FILE, found a command to collect from",
                "record a trace with the framework's profiler and give it to 'foretell analyze'");
  }
  if (command.workload.empty()) {
    return fail(ErrorCode::Usage, "run", "expected --workload NAME|FILE", std::string(kHint));
  }
  for (const std::string& id : command.explain) {
    if (id != "fusion") {
      return fail(ErrorCode::Usage, "--explain", fmt::format("expected 'fusion', found '{}'", printable(id)));
    }
  }
  FORETELL_RETURN_IF_ERROR(bridge::check_variants(command.variants));
  return check_output(command.output);
}

Result<void> print_stages(const workloads::Workload& workload, const RunCommand& command,
                          const runtime::cpu::DeviceOptions& options) {
  FORETELL_ASSIGN_OR_RETURN(const runtime::cpu::CpuDevice device, runtime::cpu::open_cpu_device(options));
  FORETELL_ASSIGN_OR_RETURN(const std::string text,
                            bridge::dump_stages(workload.graph, device, command.dump));
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return fail(ErrorCode::Environment, "stdout", fmt::format("can't write: {}", std::strerror(errno)));
  }
  return {};
}

Result<void> run(const RunCommand& command) {
  FORETELL_RETURN_IF_ERROR(check_command(command));
  std::vector<workloads::GivenParameter> given;
  std::ranges::copy_if(command.parameters, std::back_inserter(given),
                       [](const auto& parameter) { return !parameter.second.empty(); });
  FORETELL_ASSIGN_OR_RETURN(const workloads::Workload workload,
                            workloads::load_workload(command.workload, given));
  bridge::RunOptions options;
  options.variants = command.variants;
  options.device = {.stream = {.threads = command.threads, .one_lane = command.sync, .pin = true},
                    .allocator = command.allocator};
  if (!command.dump.empty()) {
    return print_stages(workload, command, options.device);
  }
  options.probe.file = probe::probe_file_path();
  options.probe.refresh = command.refresh;
  options.probe.sync = command.sync;
  options.probe.now_s = std::time(nullptr);
  options.seed = command.seed;
  options.budget_ns = static_cast<std::int64_t>(command.budget_s * 1e9);
  options.drift = !command.no_drift;
  options.plan_only = !command.explain.empty();
  reports::RunModel model;
  {
    Progress progress(command.workload);
    options.on_stage = [&](std::string_view text) { progress.stage(text); };
    FORETELL_ASSIGN_OR_RETURN(reports::RunReport report, bridge::run_workload(workload, options));
    model.runs.push_back(std::move(report));
  }
  return write_output(model, command.output, {.color = false, .explain = command.explain});
}

Exit run_command(const RunCommand& command) {
  const auto done = run(command);
  if (done) {
    return Exit::Done;
  }
  print_error(done.error());
  return exit_of(done.error().code);
}

std::string workload_names() {
  std::vector<std::string_view> names;
  for (const workloads::WorkloadInfo& workload : workloads::all_workloads()) {
    names.push_back(workload.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::function<Exit()> declare_run(CLI::App& app) {
  const auto command = std::make_shared<RunCommand>();  // owners: the parser's bindings and the action
  app.add_option("--workload", command->workload,
                 fmt::format("{}, or a file with a graph (docs/engine.md)", workload_names()))
      ->type_name("NAME|FILE");
  const std::vector<WorkloadOption> options = workload_options();
  for (const WorkloadOption& option : options) {
    command->parameters.emplace_back(std::string(option.name), std::string());
  }
  for (std::size_t i = 0; i < options.size();
       ++i) {  // the vector has its size: its elements stay where they are
    app.add_option("--" + std::string(options[i].name), command->parameters[i].second, options[i].help)
        ->type_name("VALUE");
  }
  app.add_option("--variants", command->variants, "variants to measure: eager, fused (default: both)")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--allocator", command->allocator, "memory of results: caching, system (default: caching)")
      ->type_name("NAME");
  app.add_option("--threads", command->threads, "workers, 1 to 1024 (default: one core fewer than there are)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  app.add_flag("--sync", command->sync, "without a queue: the calling thread does the work itself");
  app.add_option("--seed", command->seed, "of the inputs' contents (default: 0)")
      ->type_name("N")
      ->check(whole_number(0, INT64_MAX));
  app.add_option("--time-budget", command->budget_s, "seconds to measure for (default: 3)")
      ->type_name("S")
      ->check(positive_number(kLongestBudgetSeconds));
  app.add_flag("--no-drift", command->no_drift, "don't compare results with the reference");
  app.add_flag("--refresh", command->refresh, "probe the machine now, even if its constants are kept");
  app.add_option("--dump", command->dump,
                 fmt::format("print stages instead of running: {}", fmt::join(bridge::all_stages(), ", ")))
      ->type_name("STAGE,...")
      ->delimiter(',');
  app.add_option("--explain", command->explain, "print what was fused, and each refusal: fusion")
      ->type_name("fusion")
      ->expected(1)
      ->take_all();
  app.add_option("command", command->program)->type_name("")->group("");  // for its refusal; not in the help
  declare_output(app, command->output);
  return [command] { return run_command(*command); };
}

}  // namespace foretell::cli
