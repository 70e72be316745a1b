// SPDX-License-Identifier: Apache-2.0
#include "reports/text_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

using checks::CheckResult;
using checks::Verdict;
using timeline::IdleClass;

// What the picture tells apart.
struct Part {
  char mark;
  std::string_view name;
  std::int64_t ns = 0;
};

// The profiler's own idle time is no part of the step.
std::int64_t pictured_ns(const timeline::Split& split) {
  return split.step_ns - of(split.idle_ns, IdleClass::Profiler);
}

// Busy, starved, sync and copy always; other classes where they are a twentieth of the step.
std::vector<Part> parts_of(const timeline::Split& split) {
  constexpr std::int64_t kLeastShare = 20;
  std::vector<Part> parts{
      {'#', "busy", split.busy_ns},
      {'.', "starved by launches", of(split.idle_ns, IdleClass::Launch)},
      {':', "starved by other host work", of(split.idle_ns, IdleClass::Host)},
      {'s', "sync", of(split.idle_ns, IdleClass::Sync)},
      {'c', "copy", of(split.idle_ns, IdleClass::Copy)},
  };
  std::int64_t other = pictured_ns(split);
  for (const Part& part : parts) {
    other -= part.ns;
  }
  for (const auto& [mark, name, idle_class] :
       {std::tuple('i', "data loader", IdleClass::Input),
        std::tuple('a', "allocation", IdleClass::Allocation),
        std::tuple('n', "communication", IdleClass::Communication),
        std::tuple('w', "another stream", IdleClass::OtherStream),
        std::tuple('k', "compilation", IdleClass::Compile), std::tuple('l', "lock", IdleClass::Lock),
        std::tuple('g', "garbage collection", IdleClass::GarbageCollection),
        std::tuple('p', "unknown wait", IdleClass::UnknownWait),
        std::tuple('q', "gaps of a full queue", IdleClass::Queue)}) {
    const std::int64_t ns = of(split.idle_ns, idle_class);
    if (ns >= pictured_ns(split) / kLeastShare && ns > 0) {
      parts.push_back({mark, name, ns});
      other -= ns;
    }
  }
  parts.push_back({'?', "other", other});
  return parts;
}

// Cells by largest remainder, so that they fill the width.
std::string picture_of(const std::vector<Part>& parts, std::int64_t step_ns, std::size_t width) {
  struct Cells {
    std::size_t part, count;
    double rest;
  };
  std::vector<Cells> cells;
  std::size_t used = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double exact =
        static_cast<double>(width) * static_cast<double>(parts[i].ns) / static_cast<double>(step_ns);
    const auto whole = static_cast<std::size_t>(exact);
    cells.push_back({i, whole, exact - static_cast<double>(whole)});
    used += whole;
  }
  std::ranges::stable_sort(cells, std::ranges::greater{}, &Cells::rest);
  for (Cells& cell : cells) {
    if (used < width) {
      ++cell.count;
      ++used;
    }
  }
  std::ranges::sort(cells, {}, &Cells::part);
  std::string picture;
  for (const Cells& cell : cells) {
    picture.append(cell.count, parts[cell.part].mark);
  }
  return picture;
}

Style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Binds: return Style::Bad;
    case Verdict::Clear: return Style::Good;
    case Verdict::Unknown: return Style::Warning;
  }
  return Style::Warning;
}

std::string ceiling_of(const checks::Finding& finding) {
  return finding.ceiling ? fmt::format("{:.2f}x", *finding.ceiling) : std::string("-");
}

std::string value_of(const checks::Quantity& quantity) {
  const std::string_view name = quantity.name;
  if (name.find("_ns") != std::string_view::npos) {
    return format_duration(static_cast<std::int64_t>(quantity.value));
  }
  if (name.ends_with("_share")) {
    return format_share(quantity.value);
  }
  if (name.find("bytes") != std::string_view::npos && quantity.value >= 0) {
    return format_bytes(static_cast<std::uint64_t>(quantity.value));
  }
  return fmt::format("{:.6g}", quantity.value);
}

}  // namespace

void write_step_picture(TextWriter& out, const TraceReport& report) {
  const timeline::Split& split = report.split;
  if (!split.known || pictured_ns(split) <= 0) {
    return;
  }
  constexpr std::size_t kWidth = 72;
  const std::int64_t step_ns = pictured_ns(split);
  const std::vector<Part> parts = parts_of(split);
  out.line();
  out.line(fmt::format("  [{}] {} a step", picture_of(parts, step_ns, kWidth), format_duration(step_ns)));
  std::vector<std::string> legend;
  for (const Part& part : parts) {
    if (part.ns > 0 || part.mark == '#') {
      legend.push_back(
          fmt::format("{} {} {}", part.mark, part.name,
                      format_share(static_cast<double>(part.ns) / static_cast<double>(step_ns))));
    }
  }
  if (split.step_ns > step_ns) {
    legend.push_back(fmt::format("(and {} of the profiler's own)", format_duration(split.step_ns - step_ns)));
  }
  std::string line;
  for (const std::string& entry : legend) {  // an entry is not broken
    if (!line.empty() && line.size() + entry.size() + 6 > kColumns) {
      out.line(line);
      line.clear();
    }
    line += "   " + entry;
  }
  out.line(line);
}

void write_checks(TextWriter& out, const TraceReport& report) {
  if (report.checks.empty()) {
    return;
  }
  out.heading("Checks", "the verdict, the ceiling if all of it went, and why; --explain CHECK for more");
  for (const CheckResult& result : report.checks) {
    const std::string_view verdict = checks::to_string(result.finding.verdict);
    const std::string lead = fmt::format("  {:<21}", result.check->id);
    const std::string columns = fmt::format("{:<9}{:>7}  ", verdict, ceiling_of(result.finding));
    // what is clear takes one line, and so does what is said of several
    const std::string reason = printable(result.finding.reason);
    const bool brief = result.finding.verdict == Verdict::Clear ||
                       std::ranges::count_if(report.checks, [&](const CheckResult& other) {
                         return other.finding.reason == result.finding.reason;
                       }) > 1;
    out.wrapped(lead + out.styled(style_of(result.finding.verdict), columns.substr(0, verdict.size())) +
                    columns.substr(verdict.size()),
                brief ? ellipsize(reason, kColumns - lead.size() - columns.size()) : reason,
                lead.size() + columns.size());
  }
}

void write_explanation(TextWriter& out, const TraceReport& report, std::string_view check_id) {
  const auto found =
      std::ranges::find_if(report.checks, [&](const CheckResult& row) { return row.check->id == check_id; });
  if (found == report.checks.end()) {
    return;
  }
  const checks::Check& check = *found->check;
  const checks::Finding& finding = found->finding;
  out.heading(fmt::format("{}: {}", check.id, check.title));
  out.row("verdict", fmt::format("{}{}", checks::to_string(finding.verdict),
                                 finding.ceiling ? fmt::format(", ceiling {}", ceiling_of(finding)) : ""));
  out.row("why", printable(finding.reason));
  out.row("remedy", finding.remedy.empty() ? std::string(check.remedy) : finding.remedy);
  if (!finding.reasoning.empty()) {
    out.line();
    for (const std::string& sentence : finding.reasoning) {
      out.wrapped("  ", printable(sentence));
    }
  }
  if (!finding.evidence.empty()) {
    out.line();
    for (const checks::Quantity& quantity : finding.evidence) {
      out.line(fmt::format("  {:<38}{:>16}  {}", quantity.name, value_of(quantity),
                           to_string(quantity.provenance)));
    }
  }
  if (!finding.examples.empty()) {
    out.line();
    out.line(fmt::format("  {:>8}{:>12}  {}", "times", "cost", "where, dearest first"));
    for (const checks::Example& example : finding.examples) {
      std::string text = printable(example.what);
      if (!example.where.empty()) {
        text += fmt::format(", {}", printable(example.where));
      }
      if (!example.id.empty()) {
        text += fmt::format(" ({})", example.id);
      }
      out.wrapped(
          fmt::format("  {:>8}{:>12}  ", format_count(example.count), format_duration(example.time_ns)),
          text);
    }
  }
}

}  // namespace foretell::reports
