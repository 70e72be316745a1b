// SPDX-License-Identifier: Apache-2.0
#include "reports/run_text_engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/quantity_text.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

constexpr std::size_t kGroupRows = 8;

std::string pay_back(const CompileRow& compile) {
  if (compile.break_even_steps) {
    return fmt::format("after {}",
                       format_counted(static_cast<std::uint64_t>(*compile.break_even_steps), "step"));
  }
  return compile.from_cache ? "from the cache: what compiling took is not known" : "never: it is no faster";
}

}  // namespace

void write_drift(TextWriter& out, const RunReport& run) {
  const auto first =
      std::ranges::find_if(run.variants, [](const VariantRow& row) { return row.drift.has_value(); });
  if (first == run.variants.end()) {
    return;
  }
  const DriftRow& any = *first->drift;
  out.heading("Drift",
              fmt::format("against the reference in double precision{}",
                          any.measured_at.empty() ? std::string()
                                                  : fmt::format(", measured at {}", any.measured_at)));
  out.line(fmt::format("  {:<8}{:>13}{:>14}{:>11}{:>13}  {}", "", "max relative", "mean relative", "max ulp",
                       "elements", "worst op, of those run one by one"));
  for (const VariantRow& row : run.variants) {
    if (!row.drift) {
      continue;
    }
    const DriftRow& drift = *row.drift;
    out.line(fmt::format("  {:<8}{:>13.2e}{:>14.2e}{:>11.3g}{:>13}  {}", row.name, drift.max_relative,
                         drift.mean_relative, drift.max_ulp, count_text(drift.elements),
                         drift.worst_op.empty() ? std::string("-")
                                                : fmt::format("{} ({:.2e})", printable(drift.worst_op),
                                                              drift.worst_op_relative)));
  }
  for (const VariantRow& row : run.variants) {
    if (!row.drift) {
      continue;
    }
    std::string histogram;
    const DriftRow& drift = *row.drift;
    for (std::size_t i = 0; i < drift.ulp_histogram.size(); ++i) {
      if (drift.ulp_histogram[i] > 0) {
        histogram +=
            fmt::format("{}{} {}", histogram.empty() ? "" : ", ",
                        i < drift.ulp_edges.size() ? fmt::format("<= {:g}:", drift.ulp_edges[i])
                                                   : fmt::format("> {:g}:", drift.ulp_edges.back()),
                        format_share(static_cast<double>(drift.ulp_histogram[i]) /
                                     static_cast<double>(std::max<std::int64_t>(1, drift.elements))));
      }
    }
    if (drift.nonfinite_mismatches > 0) {
      histogram += fmt::format(", {} not finite on one side only", count_text(drift.nonfinite_mismatches));
    }
    out.wrapped(fmt::format("  {:<8}ulp ", row.name), histogram);
    if (!drift.over_steps.empty()) {
      std::string steps;
      for (const StepDriftRow& of_step : drift.over_steps) {
        steps +=
            fmt::format("{}step {}: {:.2e}", steps.empty() ? "" : ", ", of_step.step, of_step.max_relative);
      }
      out.wrapped(fmt::format("  {:<8}over steps ", ""), steps);
    }
  }
}

void write_fused_kernels(TextWriter& out, const RunReport& run) {
  if (run.groups.empty()) {
    return;
  }
  const std::size_t shown = std::min(kGroupRows, run.groups.size());
  out.heading("Fused kernels", fmt::format("{} of {}; --explain fusion says why there are no fewer", shown,
                                           format_count(run.groups.size())));
  for (std::size_t i = 0; i < shown; ++i) {
    const RunGroupRow& group = run.groups[i];
    out.wrapped(fmt::format("  {:<9}", group.name),
                fmt::format("{} over {}: {} instead of {}", format_counted(group.ops.size(), "op"),
                            group.space, bytes_text(group.bytes_after), bytes_text(group.bytes_before)));
    out.wrapped(fmt::format("  {:<9}", ""), ellipsize(fmt::format("{}", fmt::join(group.ops, ", ")), 85));
  }
}

void write_memory(TextWriter& out, const RunReport& run) {
  if (std::ranges::none_of(run.variants, [](const VariantRow& row) { return row.memory.has_value(); })) {
    return;
  }
  out.heading("Memory", "of a step's intermediates, planned as one arena");
  for (const VariantRow& row : run.variants) {
    if (row.memory) {
      out.wrapped(fmt::format("  {:<8}", row.name),
                  fmt::format("{}; live at most {} (order: {}), as given {}",
                              bytes_text(row.memory->arena_bytes), bytes_text(row.memory->max_live_bytes),
                              row.memory->order, bytes_text(row.memory->given_peak_bytes)));
    }
  }
}

void write_compiling(TextWriter& out, const RunReport& run) {
  for (const VariantRow& row : run.variants) {
    if (!row.compile) {
      continue;
    }
    const CompileRow& compile = *row.compile;
    out.heading("Compiling", row.name);
    out.row("passes, fusion", format_duration(compile.pass_ns));
    out.row("lowering", format_duration(compile.codegen_ns));
    out.row(compile.from_cache ? "kernel cache" : "compiler",
            fmt::format("{} for {}{}",
                        format_duration(compile.from_cache ? compile.library_ns : compile.compile_ns),
                        format_counted(static_cast<std::uint64_t>(compile.kernels), "kernel"),
                        compile.rebuilt_corrupt ? ", rebuilt: the cached object was damaged" : ""));
    out.row("in all", format_duration(compile.total_ns));
    if (row.measured && run.variants.front().measured && run.variants.size() > 1) {
      out.row("pays back", pay_back(compile));
    }
  }
}

void write_fusion(TextWriter& out, const RunReport& run) {
  out.heading("Fusion", fmt::format("{}, {}", format_counted(run.groups.size(), "fused kernel"),
                                    format_counted(run.refusals.size(), "refusal")));
  for (const RunGroupRow& group : run.groups) {
    out.wrapped(fmt::format("  {:<9}", group.name),
                fmt::format("{} over {}", fmt::join(group.ops, ", "), group.space));
  }
  for (const RefusalRow& refusal : run.refusals) {
    out.wrapped(fmt::format("  {:<20} ", refusal.reason), printable(refusal.sentence));
  }
  if (run.refusals.empty()) {
    out.line("  nothing was refused");
  }
}

}  // namespace foretell::reports
