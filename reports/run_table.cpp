// SPDX-License-Identifier: Apache-2.0
#include "reports/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reports/quantity_text.hpp"
#include "reports/run_text.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

constexpr std::size_t kNameColumns = 18;

std::string drift_text(const VariantRow& row) {
  if (!row.drift) {
    return "-";
  }
  return row.drift->nonfinite_mismatches > 0 ? "not finite" : fmt::format("{:.3g} ulp", row.drift->max_ulp);
}

// `workload` and `binds` stand in a workload's first line only.
void write_line(TextWriter& out, std::string_view workload, std::string_view binds, const VariantRow& row,
                std::string_view verdict) {
  const std::string lead =
      fmt::format("  {:<{}}  {:<8}  {:<8}", ellipsize(workload, kNameColumns), kNameColumns, binds, row.name);
  if (!row.error.empty()) {
    out.wrapped(lead, printable(row.error));
    return;
  }
  out.line(fmt::format("{}{:>9}{:>23}{:>13}  {}", lead,
                       row.measured ? format_duration(row.measured->median_ns) : std::string("-"),
                       row.measured ? speedup_text(*row.measured) : std::string("-"), drift_text(row),
                       verdict));
}

void write_workload(TextWriter& out, const RunReport& run) {
  const std::string name = printable(run.workload);
  if (!run.error.empty()) {
    out.wrapped(fmt::format("  {:<{}}  ", ellipsize(name, kNameColumns), kNameColumns), printable(run.error));
    return;
  }
  bool first = true;
  for (const VariantRow& row : run.variants) {
    write_line(out, first ? name : "", first ? run.binds : "", row,
               first ? to_string(run.measuring.verdict) : "");
    first = false;
  }
}

// What several runs say stands there once, with the names of all.
void write_remarks(TextWriter& out, const RunModel& model) {
  std::vector<std::pair<std::string, std::string>> remarks;  // sentence, workloads
  const auto add = [&](const std::string& sentence, const std::string& workload) {
    const auto known = std::ranges::find(remarks, sentence, &std::pair<std::string, std::string>::first);
    if (known == remarks.end()) {
      remarks.emplace_back(sentence, workload);
    } else {
      known->second += ", " + workload;
    }
  };
  for (const RunReport& run : model.runs) {
    for (const std::string& reason : run.measuring.reasons) {
      add(reason, run.workload);
      if (run.measuring.verdict == MeasuringVerdict::Unusable) {
        break;  // the first says why there are no times, the others what those would be worth
      }
    }
    for (const std::string& note : run.notes) {
      add(note, run.workload);
    }
  }
  if (!remarks.empty()) {
    out.line();
  }
  for (const auto& [sentence, workloads] : remarks) {
    out.wrapped("  - ", printable(fmt::format("{}: {}", workloads, sentence)));
  }
}

}  // namespace

void write_run_table(TextWriter& out, const RunModel& model) {
  const auto ran = std::ranges::find_if(model.runs, [](const RunReport& run) { return run.error.empty(); });
  if (ran != model.runs.end()) {
    out.line(out.styled(Style::Bold, printable(ran->machine.cpu_model)));
    out.wrapped("  ", machine_line(ran->machine));
  }
  out.heading("Workloads",
              "median of a step and gain over eager, with 95 % confidence; drift from the reference");
  out.line(fmt::format("  {:<{}}  {:<8}  {:<8}{:>9}{:>23}{:>13}  {}", "", kNameColumns, "binds", "", "step",
                       "speed-up", "drift", "measuring"));
  for (const RunReport& run : model.runs) {
    write_workload(out, run);
  }
  write_remarks(out, model);
  out.line();
  out.wrapped("  ", "All of one: foretell run --workload NAME. All of all: --format json.");
}

}  // namespace foretell::reports
