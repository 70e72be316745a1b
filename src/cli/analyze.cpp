// SPDX-License-Identifier: Apache-2.0
// foretell analyze TRACE...
#include "src/cli/analyze.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/checks/check.hpp"
#include "analyzer/cost/constants_file.hpp"
#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/build_model.hpp"
#include "src/base/names.hpp"
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
  std::vector<std::string> explain;
  std::vector<std::string> fail_on;
  std::string constants;
  double input_bytes = 0;
  std::uint64_t max_text_bytes = ingest::ReadOptions{}.max_text_bytes;
  std::uint64_t max_table_bytes = 0;
};

constexpr double kLongestWallMs = 1e9;    // eleven days a step
constexpr double kMostInputBytes = 1e15;  // a petabyte a step

std::vector<std::string_view> check_ids() {
  std::vector<std::string_view> ids;
  for (const checks::Check* check : checks::all_checks()) {
    ids.push_back(check->id);
  }
  return ids;
}

constexpr std::string_view kPartial = "partial";

// A condition of --fail-on: the trace is not complete, or the check of that id binds.
bool holds(std::string_view condition, const reports::TraceReport& report) {
  if (condition == kPartial) {
    return report.integrity.verdict != timeline::Verdict::Complete;
  }
  return std::ranges::any_of(report.checks, [&](const checks::CheckResult& result) {
    return result.check->id == condition && result.finding.verdict == checks::Verdict::Binds;
  });
}

Result<void> check_options(const AnalyzeOptions& options) {
  std::vector<std::string_view> ids = check_ids();
  for (const std::string& id : options.explain) {
    FORETELL_RETURN_IF_ERROR(check_name("--explain", "check", id, ids));
  }
  ids.push_back(kPartial);
  for (const std::string& condition : options.fail_on) {
    FORETELL_RETURN_IF_ERROR(check_name("--fail-on", "condition", condition, ids));
  }
  FORETELL_RETURN_IF_ERROR(check_output(options.output));
  return check_not_input(options.output, options.traces);
}

Result<std::optional<cost::ConstantsFile>> read_constants(const std::string& path) {
  if (path.empty()) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return fail(ErrorCode::BadInput, path, "can't be read", "--constants takes a JSON file");
  }
  FORETELL_ASSIGN_OR_RETURN(cost::ConstantsFile constants, cost::parse_constants(text.str(), path));
  return constants;
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Result<reports::TraceReport> analyze_one(const std::string& path, const AnalyzeOptions& options,
                                         const reports::ReportOptions& report_options) {
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
  return reports::build_trace_report(profile, timeline::compute_timeline(profile, report_options.timeline),
                                     cost::builtin_device_table(), report_options);
}

Exit analyze(const AnalyzeOptions& options) {
  if (const auto checked = check_options(options); !checked) {
    print_error(checked.error());
    return Exit::Usage;
  }
  reports::ReportOptions report_options;
  if (options.wall_ms > 0) {
    report_options.timeline.wall_ns = static_cast<std::int64_t>(options.wall_ms * 1e6);
  }
  if (options.input_bytes > 0) {
    report_options.input_bytes = options.input_bytes;
  }
  auto constants = read_constants(options.constants);
  if (!constants) {
    print_error(constants.error());
    return exit_of(constants.error().code);
  }
  report_options.constants = std::move(*constants);
  Exit exit = Exit::Done;
  const auto worst = [&](Exit code) {  // a file that can't be read outweighs a condition that holds
    exit = std::max(exit, code, [](Exit a, Exit b) { return static_cast<int>(a) < static_cast<int>(b); });
  };
  reports::ReportModel model;
  for (const std::string& path : options.traces) {
    auto report = analyze_one(path, options, report_options);
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
    if (std::ranges::any_of(options.fail_on,
                            [&](const std::string& condition) { return holds(condition, *report); })) {
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
  if (const auto written = write_output(model, options.output, {.explain = options.explain}); !written) {
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
  app.add_option("--input-bytes", options->input_bytes,
                 "bytes of a step's inputs whose address changes; a graph has to copy them in")
      ->type_name("N")
      ->check(positive_number(kMostInputBytes));
  app.add_option("--constants", options->constants,
                 "JSON file of constants (launch cost, bandwidths) to use instead of the device table's")
      ->type_name("FILE");
  app.add_option(
         "--explain", options->explain,
         fmt::format("print the whole reasoning of a check instead of the tables: {}; may be repeated",
                     fmt::join(check_ids(), ", ")))
      ->type_name("CHECK")
      ->expected(1)
      ->take_all();
  app.add_option("--fail-on", options->fail_on,
                 "exit 1 if the check binds, or the trace is 'partial'; may be repeated")
      ->type_name("CHECK|partial")
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
