// SPDX-License-Identifier: Apache-2.0
// foretell analyze TRACE...
#include "src/cli/analyze.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/build_model.hpp"
#include "src/base/text.hpp"
#include "src/cli/output.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/run_main.hpp"
#include "src/cli/validators.hpp"

namespace foretell::cli {
namespace {

struct AnalyzeOptions {
  std::vector<std::string> traces;
  OutputOptions output;
  bool lenient = false;
  unsigned threads = 0;
  double wall_ms = 0;
  std::vector<std::string> fail_on;
  std::uint64_t max_text_bytes = ingest::ReadOptions{}.max_text_bytes;
  std::uint64_t max_table_bytes = 0;
};

constexpr double kLongestWallMs = 1e9;  // eleven days a step

// Conditions of --fail-on; each looks at one trace.
struct FailCondition {
  std::string_view name;
  bool (*holds)(const reports::TraceReport& report);
};
constexpr std::array kFailConditions{
    FailCondition{"partial",
                  [](const reports::TraceReport& report) {
                    return report.integrity.verdict != timeline::Verdict::Complete;
                  }},
};

Result<const FailCondition*> find_condition(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FailCondition& condition : kFailConditions) {
    if (condition.name == name) {
      return &condition;
    }
    names.push_back(condition.name);
  }
  const auto meant = nearest(name, names);
  return fail(
      ErrorCode::Usage, "--fail-on",
      fmt::format("unknown condition '{}', expected one of: {}", printable(name), fmt::join(names, ", ")),
      meant ? fmt::format("did you mean '{}'?", *meant) : std::string());
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Result<reports::TraceReport> analyze_one(const std::string& path, const AnalyzeOptions& options) {
  Progress progress(path);
  const ingest::ReadOptions read{
      .lenient = options.lenient,
      .threads = options.threads,
      .max_text_bytes = options.max_text_bytes,
      .max_table_bytes = options.max_table_bytes,
      .progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); },
  };
  FORETELL_ASSIGN_OR_RETURN(const profile::Profile profile, ingest::load_trace(path, read));
  const bool has_kernels =
      std::ranges::find(profile.activities.kind.values(), profile::ActivityKind::Kernel) !=
      profile.activities.kind.values().end();
  if (!profile.info.unsupported_accelerator.empty() && !has_kernels) {
    return fail(ErrorCode::Unsupported, path,
                fmt::format("expected activity of a CUDA or ROCm GPU, found that of another accelerator: {}",
                            profile.info.unsupported_accelerator));
  }
  timeline::TimelineOptions timeline_options;
  if (options.wall_ms > 0) {
    timeline_options.wall_ns = static_cast<std::int64_t>(options.wall_ms * 1e6);
  }
  return reports::build_trace_report(profile, timeline::compute_timeline(profile, timeline_options),
                                     cost::builtin_device_table(), timeline_options);
}

Exit analyze(const AnalyzeOptions& options) {
  std::vector<const FailCondition*> conditions;
  for (const std::string& name : options.fail_on) {
    const auto condition = find_condition(name);
    if (!condition) {
      print_error(condition.error());
      return Exit::Usage;
    }
    conditions.push_back(*condition);
  }
  if (const auto checked = check_output(options.output); !checked) {
    print_error(checked.error());
    return Exit::Usage;
  }
  if (const auto checked = check_not_input(options.output, options.traces); !checked) {
    print_error(checked.error());
    return Exit::Usage;
  }
  Exit exit = Exit::Done;
  const auto worst = [&](Exit code) {  // a file that can't be read outweighs a condition that holds
    exit = std::max(exit, code, [](Exit a, Exit b) { return static_cast<int>(a) < static_cast<int>(b); });
  };
  reports::ReportModel model;
  for (const std::string& path : options.traces) {
    auto report = analyze_one(path, options);
    if (!report) {
      print_error(report.error());
      worst(exit_of(report.error().code));
      model.traces.push_back({.path = path, .report = std::nullopt, .error = report.error()});
      continue;
    }
    if (report->refused()) {
      print_error({ErrorCode::BadInput, path, report->integrity.reasons.front(), ""});
      worst(Exit::BadInput);
    }
    if (std::ranges::any_of(conditions,
                            [&](const FailCondition* condition) { return condition->holds(*report); })) {
      worst(Exit::GateSaysNo);
    }
    model.traces.push_back({.path = path, .report = std::move(*report), .error = std::nullopt});
  }
  const bool any =
      std::ranges::any_of(model.traces, [](const auto& trace) { return trace.report.has_value(); });
  if (!any && model.traces.size() == 1) {
    return exit;  // the error is all there is to say
  }
  model.peak_memory_bytes = peak_memory_bytes();
  if (const auto written = write_output(model, options.output); !written) {
    print_error(written.error());
    worst(exit_of(written.error().code));
  }
  return exit;
}

}  // namespace

std::function<Exit()> declare_analyze(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();  // owners: the parser's bindings and the action
  app.add_option("trace", options->traces, "PyTorch profiler JSON, plain or gzip; '-' is stdin")
      ->required()
      ->type_name("TRACE...");
  declare_output(app, options->output);
  app.add_flag("--lenient", options->lenient,
               "drop events that can't be read, and count them, instead of refusing the file");
  app.add_option("--wall-ms", options->wall_ms, "time of one step without the profiler, in ms")
      ->type_name("MS")
      ->check(positive_number(kLongestWallMs));
  app.add_option("--fail-on", options->fail_on, "exit 1 if the condition holds: partial; may be repeated")
      ->type_name("CONDITION")
      ->expected(1)
      ->take_all();
  app.add_option("--threads", options->threads, "parser threads, 1 to 1024 (default: one per core)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  app.add_option("--max-text-bytes", options->max_text_bytes,
                 "limit for one trace's text after inflating (default: 64 GiB)")
      ->type_name("N")
      ->check(whole_number(1, INT64_MAX));
  app.add_option("--max-table-bytes", options->max_table_bytes,
                 "limit for the tables in memory (default: half of the memory)")
      ->type_name("N")
      ->check(whole_number(1, INT64_MAX));
  return [options] { return analyze(*options); };
}

}  // namespace foretell::cli
