// SPDX-License-Identifier: Apache-2.0
// foretell run --workload NAME|FILE
#include "src/cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fusion-engine/workloads/all.hpp"
#include "src/base/directories.hpp"
#include "src/base/names.hpp"
#include "src/base/text.hpp"
#include "src/bridge/dump_stages.hpp"
#include "src/bridge/engine_run.hpp"
#include "src/bridge/probe_session.hpp"
#include "src/bridge/variants.hpp"
#include "src/cli/device_options.hpp"
#include "src/cli/output.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/run_main.hpp"
#include "src/cli/validators.hpp"

namespace foretell::cli {
namespace {

constexpr double kLongestBudgetSeconds = 3600;
constexpr std::array<std::string_view, 1> kExplanations{"fusion"};
constexpr std::array<std::string_view, 2> kAllocators{"caching", "system"};

struct RunCommand {
  std::string workload;
  std::vector<workloads::GivenParameter> parameters;  // those of workloads, as given
  std::vector<std::string> variants{"eager", "fused"};
  std::string allocator = "caching";
  runtime::cpu::StreamOptions stream;
  std::uint64_t seed = 0;
  double budget_s = 3;
  bool no_drift = false;
  bool refresh = false;
  std::vector<std::string> dump;
  std::vector<std::string> explain;
  std::vector<std::string> stray;  // behind "--", or by mistake
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

// A command behind "--" is one to collect from, which this version can't; a workload's name is a mistake.
Result<void> check_stray(const RunCommand& command) {
  if (command.stray.empty()) {
    return {};
  }
  const std::string& first = command.stray.front();
  std::error_code unknown;
  const bool is_workload =
      std::ranges::find(workloads::all_workloads(), first, &workloads::WorkloadInfo::name) !=
          workloads::all_workloads().end() ||
      first.ends_with(".graph") || std::filesystem::is_regular_file(first, unknown);
  return fail(
      ErrorCode::Usage, "run", fmt::format("expected --workload NAME|FILE, found '{}'", printable(first)),
      is_workload ? fmt::format("as: foretell run --workload {}", printable(first))
                  : "to look into a program, record a trace with the framework's profiler and give it to "
                    "'foretell analyze'");
}

Result<void> check_command(const RunCommand& command) {
  FORETELL_RETURN_IF_ERROR(check_stray(command));
  if (command.workload.empty()) {
    return fail(ErrorCode::Usage, "run", "expected --workload NAME|FILE",
                "as: foretell run --workload chain; 'foretell run --help' lists what there is");
  }
  for (const auto& [name, value] : command.parameters) {
    if (value.empty()) {
      return fail(ErrorCode::Usage, "--" + name, "expected a value, found an empty one");
    }
  }
  for (const std::string& id : command.explain) {
    FORETELL_RETURN_IF_ERROR(check_name("--explain", "explanation", id, kExplanations));
  }
  FORETELL_RETURN_IF_ERROR(check_name("--allocator", "allocator", command.allocator, kAllocators));
  FORETELL_RETURN_IF_ERROR(bridge::check_variants(command.variants));
  FORETELL_RETURN_IF_ERROR(bridge::check_stages(command.dump));
  FORETELL_RETURN_IF_ERROR(check_output(command.output));
  return check_not_input(command.output, {command.workload});
}

Result<void> print_stages(const workloads::Workload& workload, const RunCommand& command,
                          const bridge::RunOptions& options) {
  FORETELL_ASSIGN_OR_RETURN(runtime::cpu::CpuDevice device, runtime::cpu::open_cpu_device(options.device));
  // the source that a run generates with these constants
  if (const auto kept = bridge::read_kept_constants(device, options.probe)) {
    bridge::apply_constants(*kept, device);
  }
  FORETELL_ASSIGN_OR_RETURN(const std::string text,
                            bridge::dump_stages(workload.graph, device, command.dump));
  return write_stdout(text);
}

bridge::RunOptions run_options(const RunCommand& command) {
  bridge::RunOptions options;
  options.variants = command.variants;
  options.device = {.stream = command.stream, .allocator = command.allocator};
  options.probe.directory = cache_directory().value_or(std::filesystem::path());
  options.probe.refresh = command.refresh;
  options.probe.now_s = std::time(nullptr);
  options.seed = command.seed;
  options.budget_ns = static_cast<std::int64_t>(command.budget_s * 1e9);
  options.drift = !command.no_drift;
  options.plan_only = !command.explain.empty();
  return options;
}

Result<void> run(const RunCommand& command) {
  FORETELL_RETURN_IF_ERROR(check_command(command));
  FORETELL_ASSIGN_OR_RETURN(const workloads::Workload workload,
                            workloads::load_workload(command.workload, command.parameters));
  bridge::RunOptions options = run_options(command);
  if (!command.dump.empty()) {
    return print_stages(workload, command, options);
  }
  reports::RunModel model;
  {
    Progress progress(command.workload);
    options.on_stage = [&](std::string_view text) { progress.stage(text); };
    FORETELL_ASSIGN_OR_RETURN(reports::RunReport report, bridge::run_workload(workload, options));
    model.runs.push_back(std::move(report));
  }
  for (const reports::VariantRow& variant : model.runs.front().variants) {
    if (!variant.error.empty()) {
      print_note(fmt::format("{} could not be run: {}", variant.name, variant.error));
    }
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
  for (const WorkloadOption& option : workload_options()) {
    const std::string name(option.name);
    app.add_option_function<std::string>(
           "--" + name,
           [command, name](const std::string& value) { command->parameters.emplace_back(name, value); },
           option.help)
        ->type_name("VALUE");
  }
  app.add_option("--variants", command->variants, "variants to measure: eager, fused (default: both)")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--allocator", command->allocator, "memory of results: caching, system (default: caching)")
      ->type_name("NAME");
  declare_device(app, command->stream);
  app.add_option("--seed", command->seed, "of the inputs' contents (default: 0)")
      ->type_name("N")
      ->check(whole_number(0, INT64_MAX));
  app.add_option("--time-budget", command->budget_s,
                 "seconds of an attempt (up to three), after warming up (default: 3)")
      ->type_name("S")
      ->check(positive_number(kLongestBudgetSeconds));
  app.add_flag("--no-drift", command->no_drift, "don't compare results with the reference");
  app.add_flag("--refresh", command->refresh, "probe the machine now, even if its constants are kept");
  CLI::Option* const dump = app.add_option("--dump", command->dump,
                                           fmt::format("print stages instead of running: {}",
                                                       fmt::join(bridge::all_stages(), ", ")))
                                ->type_name("STAGE,...")
                                ->delimiter(',');
  CLI::Option* const explain =
      app.add_option("--explain", command->explain,
                     "print what is fused, and each refusal, instead of running: fusion")
          ->type_name("fusion")
          ->expected(1)
          ->take_all();
  app.add_option("stray", command->stray)->type_name("")->group("");  // for its refusal; not in the help
  declare_output(app, command->output);
  for (const char* other :
       {"--variants", "--allocator", "--seed", "--time-budget", "--no-drift", "--refresh"}) {
    dump->excludes(app.get_option(other));  // nothing runs
    explain->excludes(app.get_option(other));
  }
  for (const char* other : {"--explain", "--format", "--output"}) {
    dump->excludes(app.get_option(other));  // there is no report
  }
  return [command] { return run_command(*command); };
}

}  // namespace foretell::cli
