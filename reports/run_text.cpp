// SPDX-License-Identifier: Apache-2.0
#include "reports/run_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/probe_text.hpp"
#include "reports/quantity_text.hpp"
#include "reports/run_table.hpp"
#include "reports/run_text_engine.hpp"
#include "reports/text_writer.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

constexpr std::size_t kOpRows = 12;  // per variant

// Three digits.
std::string ratio_text(double value) {
  return fmt::format("{:.{}f}", value, value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2);
}

void write_head(TextWriter& out, const RunReport& run) {
  std::string parameters;
  for (const ParameterRow& row : run.parameters) {
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", row.name, row.shown);
  }
  out.line(out.styled(Style::Bold, ellipsize(printable(run.workload), kColumns)));
  if (!parameters.empty()) {
    out.wrapped("  ", printable(parameters));
  }
  out.wrapped("  ", printable(run.machine.cpu_model));
  out.wrapped("  ", machine_line(run.machine));
  if (!run.machine.compiler.empty()) {
    out.wrapped("  ", fmt::format("kernels compiled by {}", printable(run.machine.compiler)));
  }
}

void write_sentences(TextWriter& out, const RunReport& run) {
  out.line();
  for (const std::string& sentence : run.sentences) {
    out.wrapped("  ", printable(sentence));
  }
}

void write_variants(TextWriter& out, const RunReport& run) {
  out.heading("Variants", "median of a step, interleaved; in brackets 95 % confidence");
  out.line(fmt::format("  {:<8}{:>10}  {:<24}{:>22}{:>9}{:>10}{:>11}", "", "step", "", "speed-up", "host",
                       "GB/s", "of a copy"));
  for (const VariantRow& row : run.variants) {
    if (!row.measured) {
      out.wrapped(fmt::format("  {:<8}", row.name),
                  row.error.empty() ? "not measured" : printable(row.error));
      continue;
    }
    const MeasuredRow& measured = *row.measured;
    const std::string interval =
        fmt::format("({} to {})", duration_text(measured.ci_ns.low), duration_text(measured.ci_ns.high));
    out.line(fmt::format("  {:<8}{:>10}  {:<24}{:>22}{:>9}{:>10}{:>11}", row.name,
                         format_duration(measured.median_ns), interval, speedup_text(measured),
                         measured.host_ns ? format_duration(*measured.host_ns) : std::string("-"),
                         row.achieved_gbps ? fmt::format("{:.3g}", *row.achieved_gbps) : std::string("-"),
                         row.share_of_copy ? format_share(*row.share_of_copy) : std::string("-")));
  }
  out.line();
  out.line(fmt::format("  {:<8}{:>11}{:>10}{:>13}{:>11}{:>13}{:>13}{:>12}", "a step", "dispatches",
                       "launches", "allocations", "of system", "bytes read", "written", "converted"));
  for (const VariantRow& row : run.variants) {
    if (!row.error.empty()) {
      continue;
    }
    const CounterRow& counters = row.counters;
    out.line(
        fmt::format("  {:<8}{:>11}{:>10}{:>13}{:>11}{:>13}{:>13}{:>12}", row.name,
                    count_text(counters.dispatches), count_text(counters.launches),
                    count_text(counters.allocations), count_text(counters.system_allocations),
                    bytes_text(counters.bytes_read), bytes_text(counters.bytes_written),
                    counters.bytes_converted > 0 ? bytes_text(counters.bytes_converted) : std::string("-")));
  }
}

void write_bounds(TextWriter& out, const RunReport& run) {
  if (std::ranges::none_of(run.variants, [](const VariantRow& row) { return row.bound.has_value(); })) {
    return;
  }
  out.heading("What binds", "from the probe's constants, against what was measured");
  for (const VariantRow& row : run.variants) {
    if (!row.bound) {
      continue;
    }
    out.wrapped(fmt::format("  {:<8}", row.name), row.bound->sentence);
    std::string terms;
    for (const BoundTerm& term : row.bound->terms) {
      terms += fmt::format("{}{} {}", terms.empty() ? "" : ", ", term.name, duration_text(term.time_ns));
    }
    out.wrapped(fmt::format("  {:<8}", ""), terms);
  }
}

void write_ops(TextWriter& out, const RunReport& run) {
  if (run.ops.empty()) {
    return;
  }
  out.heading("Ops", "steps with a time stamp between ops, which slows them: no sum of these is a step");
  out.line(fmt::format("  {:<8}{:<44}{:>7}{:>11}{:>11}{:>13}", "", "", "calls", "device", "host", "bytes"));
  for (const VariantRow& variant : run.variants) {
    std::size_t shown = 0;
    std::size_t more = 0;
    for (const RunOpRow& op : run.ops) {
      if (op.variant != variant.name) {
        continue;
      }
      if (++shown > kOpRows) {
        ++more;
        continue;
      }
      out.line(
          fmt::format("  {:<8}{:<44}{:>7}{:>11}{:>11}{:>13}", shown == 1 ? op.variant : std::string(),
                      ellipsize(printable(op.name), 43), count_text(op.calls), format_duration(op.device_ns),
                      op.host_ns > 0 ? format_duration(op.host_ns) : std::string("-"), bytes_text(op.bytes)));
    }
    if (more > 0) {
      out.line(fmt::format("  {:<8}and {}", "", format_counted(more, "more", "more")));
    }
  }
}

void write_blockers(TextWriter& out, const RunReport& run) {
  if (run.blockers.empty()) {
    return;
  }
  out.heading("Blockers", "each ends a segment of a replay: a wait of the host and a new submission");
  for (const RunBlockerRow& blocker : run.blockers) {
    out.line(fmt::format("  {} ({}){}", printable(blocker.op), printable(blocker.where),
                         blocker.cost_ns ? ": " + format_duration(*blocker.cost_ns) : std::string()));
    out.wrapped("    ", printable(blocker.remedy));
  }
}

void write_measuring(TextWriter& out, const RunReport& run) {
  const MeasuringRow& measuring = run.measuring;
  const Style style = measuring.verdict == MeasuringVerdict::Complete  ? Style::Good
                      : measuring.verdict == MeasuringVerdict::Partial ? Style::Warning
                                                                       : Style::Bad;
  out.line();
  out.line(fmt::format("{}  {}", out.styled(Style::Bold, "Measuring"),
                       out.styled(style, to_string(measuring.verdict))));
  for (const std::string& reason : measuring.reasons) {
    out.wrapped("  - ", reason);
  }
  out.row("rounds", count_text(measuring.rounds));
  out.row("samples left out", count_text(measuring.rejected));
  if (measuring.attempts > 1) {
    out.row("attempts", count_text(measuring.attempts));
  }
  for (const std::string& note : run.notes) {
    out.wrapped("  note: ", printable(note));
  }
}

void write_run(TextWriter& out, const RunReport& run, const RenderOptions& options) {
  write_head(out, run);
  if (!run.error.empty()) {
    out.wrapped("  ", printable(run.error));
    return;
  }
  if (std::ranges::find(options.explain, "fusion") != options.explain.end()) {
    write_fusion(out, run);
    return;
  }
  write_sentences(out, run);
  write_variants(out, run);
  write_bounds(out, run);
  write_drift(out, run);
  write_ops(out, run);
  write_fused_kernels(out, run);
  write_memory(out, run);
  write_compiling(out, run);
  write_blockers(out, run);
  write_measuring(out, run);
  write_constants(out, run.constants);
}

}  // namespace

std::string machine_line(const MachineRow& machine) {
  return fmt::format(
      "{}, {}, {} kernels, caches {}, {}, {}",
      format_counted(static_cast<std::uint64_t>(machine.cores), "core"),
      machine.sync ? std::string("one lane on the host thread")
                   : fmt::format("{}{}", format_counted(static_cast<std::uint64_t>(machine.team), "worker"),
                                 machine.pinned ? ", pinned" : ", not pinned"),
      machine.instruction_set, bytes_text(machine.l1_bytes), bytes_text(machine.l2_bytes),
      bytes_text(machine.last_level_bytes));
}

std::string speedup_text(const MeasuredRow& measured) {
  if (!measured.speedup) {
    return "-";
  }
  if (!measured.speedup_ci) {
    return ratio_text(*measured.speedup) + "x";
  }
  return fmt::format("{}x ({} to {})", ratio_text(*measured.speedup), ratio_text(measured.speedup_ci->low),
                     ratio_text(measured.speedup_ci->high));
}

std::string render_run_text(const RunModel& model, const RenderOptions& options) {
  TextWriter out(options.color);
  if (model.runs.size() > 1 && options.explain.empty()) {
    write_run_table(out, model);
    return out.take();
  }
  bool first = true;
  for (const RunReport& run : model.runs) {
    if (!first) {
      out.line();
      out.line(std::string(kColumns, '-'));
    }
    first = false;
    write_run(out, run, options);
  }
  return out.take();
}

}  // namespace foretell::reports
