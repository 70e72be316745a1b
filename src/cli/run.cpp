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
#include <optional>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fusion-engine/workloads/all.hpp"
#include "reports/memory_picture.hpp"
#include "src/base/directories.hpp"
#include "src/base/names.hpp"
#include "src/base/text.hpp"
#include "src/bridge/dump_stages.hpp"
#include "src/bridge/engine_run.hpp"
#include "src/bridge/probe_session.hpp"
#include "src/bridge/run_several.hpp"
#include "src/bridge/variants.hpp"
#include "src/cli/device_options.hpp"
#include "src/cli/output.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/run_main.hpp"
#include "src/cli/validators.hpp"
#include "src/cli/workload_options.hpp"

namespace foretell::cli {
namespace {

constexpr double kLongestBudgetSeconds = 3600;
constexpr double kBudgetSeconds = 3;
// Of all workloads together, so that a run of all stays within a minute on two cores however many there are:
// warming up, the least number of rounds, timing of ops and drift take some five seconds of each.
constexpr double kBudgetOfAllSeconds = 9;
constexpr std::string_view kAll = "all";  // a workload's name: each of the list
constexpr std::array<std::string_view, 1> kExplanations{"fusion"};
constexpr std::array<std::string_view, 2> kAllocators{"caching", "system"};

struct RunCommand {
  [[nodiscard]] bool is_all() const { return workload == kAll; }

  std::string workload;
  std::vector<workloads::GivenParameter> parameters;  // those of workloads, as given
  std::vector<std::string> variants = bridge::variant_names();
  std::string allocator = "caching";
  runtime::cpu::StreamOptions stream;
  std::uint64_t seed = 0;
  std::optional<double> budget_s;
  bool no_drift = false;
  bool refresh = false;
  std::vector<std::string> dump;
  std::vector<std::string> explain;
  std::string plan_picture;        // a file
  std::vector<std::string> stray;  // behind "--", or by mistake
  OutputOptions output;
};

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
      first == kAll || first.ends_with(".graph") || std::filesystem::is_regular_file(first, unknown);
  return fail(
      ErrorCode::Usage, "run", fmt::format("expected --workload NAME|FILE, found '{}'", printable(first)),
      is_workload ? fmt::format("as: foretell run --workload {}", printable(first))
                  : "to look into a program, record a trace with the framework's profiler and give it to "
                    "'foretell analyze'");
}

// What only one workload can be given.
Result<void> check_all(const RunCommand& command) {
  const std::string option = !command.parameters.empty()     ? command.parameters.front().first
                             : !command.dump.empty()         ? "dump"
                             : !command.plan_picture.empty() ? "plan-picture"
                                                             : "";
  if (option.empty()) {
    return {};
  }
  return fail(ErrorCode::Usage, "--" + option, fmt::format("does not go with --workload {}", kAll),
              fmt::format("name one workload: {}", workload_names()));
}

// Only planned memory can be drawn.
Result<void> check_plan_picture(const RunCommand& command) {
  const auto is_planned = [&](const bridge::VariantInfo& info) {
    return info.form != nullptr && info.form->planned &&
           std::ranges::find(command.variants, info.name) != command.variants.end();
  };
  if (command.plan_picture.empty()) {
    return {};
  }
  std::error_code unknown;  // a file that does not exist yet is nobody's
  if (std::filesystem::equivalent(command.plan_picture, command.workload, unknown)) {
    return fail(ErrorCode::Usage, "--plan-picture " + printable(command.plan_picture),
                "would overwrite the workload", "name another file");
  }
  if (std::ranges::any_of(bridge::all_variants(), is_planned)) {
    return {};
  }
  return fail(ErrorCode::Usage, "--plan-picture", "expected a variant with planned memory, found none",
              "as: --variants planned,full");
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
  if (command.is_all()) {
    FORETELL_RETURN_IF_ERROR(check_all(command));
  }
  for (const std::string& id : command.explain) {
    FORETELL_RETURN_IF_ERROR(check_name("--explain", "explanation", id, kExplanations));
  }
  FORETELL_RETURN_IF_ERROR(check_name("--allocator", "allocator", command.allocator, kAllocators));
  FORETELL_RETURN_IF_ERROR(bridge::check_variants(command.variants));
  FORETELL_RETURN_IF_ERROR(check_plan_picture(command));
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

double budget_seconds(const RunCommand& command) {
  const double usual = command.is_all()
                           ? kBudgetOfAllSeconds / static_cast<double>(workloads::all_workloads().size())
                           : kBudgetSeconds;
  return command.budget_s.value_or(usual);
}

bridge::RunOptions run_options(const RunCommand& command) {
  bridge::RunOptions options;
  options.variants = command.variants;
  options.device = {.stream = command.stream, .allocator = command.allocator};
  options.probe.directory = cache_directory().value_or(std::filesystem::path());
  options.probe.refresh = command.refresh;
  options.probe.now_s = std::time(nullptr);
  options.seed = command.seed;
  options.budget_ns = static_cast<std::int64_t>(budget_seconds(command) * 1e9);
  options.memory_pictures = !command.plan_picture.empty();
  options.drift = !command.no_drift;
  options.plan_only = !command.explain.empty();
  return options;
}

void note_errors(const reports::RunModel& model) {
  for (const reports::RunReport& run : model.runs) {
    if (!run.error.empty()) {
      print_note(fmt::format("{} could not be run: {}", run.workload, run.error));
    }
    for (const reports::VariantRow& variant : run.variants) {
      if (!variant.error.empty()) {
        print_note(fmt::format("{}{} could not be run: {}", model.runs.size() > 1 ? run.workload + ": " : "",
                               variant.name, variant.error));
      }
    }
  }
}

Result<bridge::SeveralRuns> run_all(bridge::RunOptions& options) {
  std::vector<std::string> names;
  for (const workloads::WorkloadInfo& workload : workloads::all_workloads()) {
    names.emplace_back(workload.name);
  }
  Progress progress{std::string(kAll)};
  options.on_stage = [&](std::string_view text) { progress.stage(text); };
  return bridge::run_several(names, options,
                             [&](std::size_t i) { progress.part(i, names.size(), names[i]); });
}

Result<bridge::SeveralRuns> run_one(const workloads::Workload& workload, bridge::RunOptions& options) {
  Progress progress(workload.name);
  options.on_stage = [&](std::string_view text) { progress.stage(text); };
  FORETELL_ASSIGN_OR_RETURN(reports::RunReport report, bridge::run_workload(workload, options));
  return bridge::SeveralRuns{.model = {.runs = {std::move(report)}}, .failure = std::nullopt};
}

// Of the last variant that has one, which has most to gain from it.
Result<void> write_picture(const reports::RunReport& run, const std::string& path) {
  for (const reports::VariantRow& variant : run.variants | std::views::reverse) {
    if (variant.memory_picture) {
      return write_file(path, reports::render_memory_picture(*variant.memory_picture));
    }
  }
  return fail(ErrorCode::Environment, "--plan-picture", "no variant with planned memory could be run");
}

Result<void> run(const RunCommand& command) {
  FORETELL_RETURN_IF_ERROR(check_command(command));
  bridge::RunOptions options = run_options(command);
  bridge::SeveralRuns runs;
  if (command.is_all()) {
    FORETELL_ASSIGN_OR_RETURN(runs, run_all(options));
  } else {
    FORETELL_ASSIGN_OR_RETURN(const workloads::Workload workload,
                              workloads::load_workload(command.workload, command.parameters));
    if (!command.dump.empty()) {
      return print_stages(workload, command, options);
    }
    FORETELL_ASSIGN_OR_RETURN(runs, run_one(workload, options));
  }
  note_errors(runs.model);
  if (!command.plan_picture.empty()) {
    FORETELL_RETURN_IF_ERROR(write_picture(runs.model.runs.front(), command.plan_picture));
  }
  FORETELL_RETURN_IF_ERROR(
      write_output(runs.model, command.output, {.color = false, .explain = command.explain}));
  return runs.failure ? Result<void>(std::unexpected(*runs.failure)) : Result<void>();
}

Exit run_command(const RunCommand& command) {
  const auto done = run(command);
  if (done) {
    return Exit::Done;
  }
  print_error(done.error());
  return exit_of(done.error().code);
}

}  // namespace

std::function<Exit()> declare_run(CLI::App& app) {
  const auto command = std::make_shared<RunCommand>();  // owners: the parser's bindings and the action
  app.add_option("--workload", command->workload,
                 fmt::format("{}; {}: each of these, with defaults; or a file with a graph (docs/engine.md)",
                             workload_names(), kAll))
      ->type_name("NAME|FILE");
  for (const WorkloadOption& option : workload_options()) {
    const std::string name(option.name);
    app.add_option_function<std::string>(
           "--" + name,
           [command, name](const std::string& value) { command->parameters.emplace_back(name, value); },
           option.help)
        ->type_name("VALUE");
  }
  app.add_option(
         "--variants", command->variants,
         fmt::format("variants to measure: {} (default: all)", fmt::join(bridge::variant_names(), ", ")))
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--allocator", command->allocator, "memory of results: caching, system (default: caching)")
      ->type_name("NAME");
  declare_device(app, command->stream);
  app.add_option("--seed", command->seed, "of the inputs' contents (default: 0)")
      ->type_name("N")
      ->check(whole_number(0, INT64_MAX));
  app.add_option(
         "--time-budget", command->budget_s,
         fmt::format("seconds of an attempt (up to three), after warming up (default: {}; with {}: {}, "
                     "shared evenly)",
                     kBudgetSeconds, kAll, kBudgetOfAllSeconds))
      ->type_name("S")
      ->check(positive_number(kLongestBudgetSeconds));
  app.add_flag("--no-drift", command->no_drift, "don't compare results with the reference");
  app.add_flag("--refresh", command->refresh, "probe the machine now, even if its constants are kept");
  app.add_option("--plan-picture", command->plan_picture,
                 "draw where intermediates lie in planned memory, as SVG, to FILE")
      ->type_name("FILE");
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
  for (const char* other : {"--variants", "--allocator", "--seed", "--time-budget", "--no-drift", "--refresh",
                            "--plan-picture"}) {
    dump->excludes(app.get_option(other));  // nothing runs
    explain->excludes(app.get_option(other));
  }
  for (const char* other : {"--explain", "--format", "--output"}) {
    dump->excludes(app.get_option(other));  // there is no report
  }
  return [command] { return run_command(*command); };
}

}  // namespace foretell::cli
