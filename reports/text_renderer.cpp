// SPDX-License-Identifier: Apache-2.0
#include "reports/text_renderer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

using timeline::Verdict;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kOpRows = 12;
constexpr std::size_t kDeviceRows = 4;
constexpr std::size_t kCommunicatorRows = 8;

enum class Style : std::uint8_t { Bold, Dim, Good, Warning, Bad };

class TextWriter {
 public:
  explicit TextWriter(bool color) : color_(color) {}

  std::string take() { return std::move(out_); }

  void line(std::string_view text = {}) {
    out_ += text;
    out_ += '\n';
  }

  // "  label         value"
  void row(std::string_view label, std::string_view value) {
    constexpr std::size_t kLabel = 20;
    wrapped(fmt::format("  {:<{}} ", label, kLabel - 3), value);
  }

  // `text` behind `lead`, broken at spaces, continued under its own beginning. A word longer than a line is
  // cut.
  void wrapped(std::string_view lead, std::string_view text) {
    const std::size_t indent = lead.size();
    std::string current(lead);
    std::size_t width = 0;
    while (!text.empty()) {
      const std::size_t space = text.find(' ');
      const std::string word = ellipsize(text.substr(0, space), kColumns - indent);
      text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
      if (width > 0 && indent + width + 1 + word.size() > kColumns) {
        line(current);
        current.assign(indent, ' ');
        width = 0;
      }
      if (width > 0) {
        current += ' ';
        ++width;
      }
      current += word;
      width += word.size();
    }
    line(current);
  }

  void heading(std::string_view text, std::string_view aside = {}) {
    line();
    line(aside.empty() ? styled(Style::Bold, text)
                       : fmt::format("{}  {}", styled(Style::Bold, text), styled(Style::Dim, aside)));
  }

  [[nodiscard]] std::string styled(Style style, std::string_view text) const {
    if (!color_) {
      return std::string(text);
    }
    const std::string_view code = style == Style::Bold      ? "1"
                                  : style == Style::Dim     ? "2"
                                  : style == Style::Good    ? "32"
                                  : style == Style::Warning ? "33"
                                                            : "31";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

 private:
  bool color_;
  std::string out_;
};

void write_source(TextWriter& out, const TraceReport& report) {
  const SourceFacts& source = report.source;
  out.line(out.styled(Style::Bold, ellipsize(printable(source.path), kColumns)));
  std::string size = format_bytes(source.text_bytes);
  if (source.size_bytes != source.text_bytes) {
    size += fmt::format(" of JSON ({} on disk)", format_bytes(source.size_bytes));
  }
  out.wrapped(
      "  ",
      fmt::format("{} trace, {}, {}, times to {}{}", source.format, size,
                  format_counted(source.events, "event"), source.resolution_ns == 1 ? "1 ns" : "1 us",
                  source.rank ? fmt::format(", rank {}{}", *source.rank,
                                            source.world_size ? fmt::format(" of {}", *source.world_size)
                                                              : std::string())
                              : std::string(", rank not given, assumed 0")));
  std::size_t shown = 0;
  std::size_t idle = 0;
  for (const DeviceRow& device : report.devices) {
    if (!device.active()) {
      ++idle;
      continue;
    }
    if (++shown > kDeviceRows) {
      continue;
    }
    const std::string name = printable(device.recorded_name);
    const bool known = device.match.how != cost::MatchKind::Unknown;
    std::string text = fmt::format("device {}: {}", device.id,
                                   name.find_first_not_of(' ') == std::string::npos ? "(no name)" : name);
    if (known && device.match.device.name != name) {
      text += fmt::format(", taken as {}", device.match.device.name);
    }
    if (!device.match.note.empty()) {
      text += fmt::format(" ({})", device.match.note);
    }
    out.wrapped("  ", text);
  }
  if (shown > kDeviceRows) {
    out.line(fmt::format("  and {} more", format_counted(shown - kDeviceRows, "device")));
  }
  if (shown == 0) {
    out.line("  no device activity");
  }
  if (idle > 0) {
    out.line(fmt::format("  {} listed without activity", format_counted(idle, "device")));
  }
}

void write_integrity(TextWriter& out, const timeline::Integrity& integrity) {
  out.line();
  const Style style = integrity.verdict == Verdict::Complete  ? Style::Good
                      : integrity.verdict == Verdict::Partial ? Style::Warning
                                                              : Style::Bad;
  out.line(fmt::format("{}  {}", out.styled(Style::Bold, "Integrity"),
                       out.styled(style, timeline::to_string(integrity.verdict))));
  for (const std::string& reason : integrity.reasons) {
    out.wrapped("  - ", reason);
  }
  for (const std::string& note : integrity.notes) {
    out.wrapped("    note: ", note);
  }
}

void write_window(TextWriter& out, const TraceReport& report) {
  const timeline::Steps& steps = report.steps;
  out.heading("Steady window", "medians over the steps that are not warm-up");
  if (steps.all.empty()) {
    out.line("  no timed event");
    return;
  }
  out.row("steps", fmt::format("{} ({})", format_count(steps.steady), timeline::to_string(steps.kind)));
  std::string warmup;
  for (const timeline::Step& step : steps.all) {
    if (step.warmup) {
      warmup += fmt::format("{}{} ({})", warmup.empty() ? "" : ", ", ellipsize(printable(step.name), 40),
                            format_duration(step.duration_ns));
    }
  }
  if (!warmup.empty()) {
    out.row("warm-up, left out", warmup);
  }
  out.row("step", format_duration(steps.step_ns));
  if (report.wall_ns) {
    out.row("step, untraced", fmt::format("{} (given)", format_duration(*report.wall_ns)));
  }
  if (report.facts.active_devices > 0 && report.steps.device_time_known) {
    out.row("device busy", fmt::format("{} ({} of the step)", format_duration(steps.busy_ns),
                                       steps.step_ns > 0 ? format_share(static_cast<double>(steps.busy_ns) /
                                                                        static_cast<double>(steps.step_ns))
                                                         : std::string("unknown part")));
  }
}

void write_facts(TextWriter& out, const TraceReport& report) {
  const timeline::Facts& facts = report.facts;
  out.heading("In the trace", "measured, as recorded");
  out.row("span", format_duration(facts.span_ns));
  out.row("CPU ops", format_count(facts.cpu_ops));
  if (facts.kernels + facts.memcpys + facts.memsets == 0) {
    out.row("device", "absent");
    return;
  }
  out.row("kernels",
          fmt::format("{}, sum over streams {}, busy {}", format_count(facts.kernels),
                      format_duration(facts.kernel_sum_ns), format_duration(facts.kernel_busy_ns)));
  if (report.clipped_kernel_sum_ns != facts.kernel_sum_ns) {
    out.row("", fmt::format("sum {} once corrupt durations are clipped",
                            format_duration(report.clipped_kernel_sum_ns)));
  }
  out.row("copies, sets", fmt::format("{}, {}", format_count(facts.memcpys), format_count(facts.memsets)));
  const double device_span = static_cast<double>(facts.span_ns) * static_cast<double>(facts.active_devices);
  const auto share_of_span = [&](std::int64_t busy_ns) {
    return device_span > 0
               ? fmt::format(", {} of the span", format_share(static_cast<double>(busy_ns) / device_span))
               : std::string();
  };
  out.row("device busy", fmt::format("{} with copies and sets{}", format_duration(facts.device_busy_ns),
                                     share_of_span(facts.device_busy_ns)));
  if (report.clipped_device_busy_ns != facts.device_busy_ns) {
    out.row("", fmt::format("{} once corrupt durations are clipped{}",
                            format_duration(report.clipped_device_busy_ns),
                            share_of_span(report.clipped_device_busy_ns)));
  }
  out.row("launches",
          fmt::format("{}, {}", format_counted(facts.launch_calls, "kernel launch", "kernel launches"),
                      format_counted(facts.graph_launches, "graph launch", "graph launches")));
  if (facts.linked_share) {
    out.row("linked", fmt::format("{} of kernels to their launch call", format_share(*facts.linked_share)));
  }
  const timeline::LaunchStats& launches = report.launches;
  if (launches.linked > 0) {
    out.row("launch call",
            fmt::format("median {}, sum {} of host time", format_duration(launches.call_median_ns),
                        format_duration(launches.call_sum_ns)));
    out.row(
        "queue delay",
        fmt::format("median {}, mean {} (slack, not loss); up to {} in flight",
                    format_duration(launches.delay_median_ns), format_duration(launches.delay_mean_ns),
                    format_counted(static_cast<std::uint64_t>(std::max<std::int64_t>(launches.queue_max, 0)),
                                   "launch", "launches")));
  }
  if (report.graphs.launches > 0) {
    out.row("graph replays",
            fmt::format("{} kernels in {}, {} of device time", format_count(report.graphs.kernels),
                        format_counted(report.graphs.launches, "replay"),
                        format_share(report.graphs.device_time_share)));
  }
  if (report.profiler_overhead_ns > 0) {
    out.row("profiler's own", fmt::format("{} of host time", format_duration(report.profiler_overhead_ns)));
  }
}

void write_ops(TextWriter& out, const TraceReport& report) {
  if (report.ops.empty()) {
    return;
  }
  out.heading("Ops", fmt::format("top {} of {} by self CPU + device time, whole trace",
                                 std::min(kOpRows, report.ops.size()), format_count(report.ops.size())));
  constexpr std::size_t kName = 42;
  out.line(fmt::format("  {:<{}}{:>9}{:>12}{:>12}{:>10}{:>10}", "", kName, "calls", "self CPU", "device",
                       "kernels", "launches"));
  for (std::size_t i = 0; i < std::min(kOpRows, report.ops.size()); ++i) {
    const OpRow& op = report.ops[i];
    const std::string name = ellipsize(printable(op.name), kName - 2);
    // fmt pads by code points
    out.line(fmt::format("  {:<{}}{:>9}{:>12}{:>12}{:>10}{:>10}", name, kName, format_count(op.time.calls),
                         format_duration(op.time.self_cpu_ns), format_duration(op.time.device_ns),
                         format_count(op.time.kernels), format_count(op.time.launches)));
  }
}

void write_communicators(TextWriter& out, const TraceReport& report) {
  if (report.communicators.empty()) {
    return;
  }
  const std::size_t shown = std::min(kCommunicatorRows, report.communicators.size());
  out.heading("Communicators", fmt::format("{} of {}", shown, format_count(report.communicators.size())));
  for (std::size_t i = 0; i < shown; ++i) {
    const CommunicatorRow& row = report.communicators[i];
    out.row(ellipsize(printable(row.id), 60), format_counted(row.records, "record"));
  }
}

void write_constants(TextWriter& out, const TraceReport& report) {
  if (report.constants.empty()) {
    return;
  }
  const auto assumed = static_cast<std::uint64_t>(
      std::ranges::count(report.constants, Provenance::Assumed, &cost::Constant::provenance));
  out.heading("Device constants",
              fmt::format("{} of {} assumed from the device table; all in the JSON report", assumed,
                          report.constants.size()));
  for (const cost::Constant& constant : report.constants) {
    for (const std::string_view name : {"dram_achievable_gbps", "l2_bytes", "fp32_tflops"}) {
      if (constant.name == name) {
        const auto shown = [&](double value) {
          return constant.unit == "bytes" ? format_bytes(static_cast<std::uint64_t>(value))
                                          : fmt::format("{:.4g} {}", value, constant.unit);
        };
        out.line(fmt::format("  {:<24}{} ({} to {}), {}", constant.name, shown(constant.expected),
                             shown(constant.low), shown(constant.high), to_string(constant.provenance)));
      }
    }
  }
}

void write_trace(TextWriter& out, const TraceReport& report) {
  write_source(out, report);
  out.line();
  for (const std::string& sentence : report.sentences) {
    out.wrapped("  ", sentence);
  }
  write_integrity(out, report.integrity);
  write_window(out, report);
  write_facts(out, report);
  write_ops(out, report);
  write_communicators(out, report);
  write_constants(out, report);
}

}  // namespace

std::string render_text(const ReportModel& model, const RenderOptions& options) {
  TextWriter out(options.color);
  bool first = true;
  for (const TraceOutcome& outcome : model.traces) {
    if (!first) {
      out.line();
      out.line(std::string(kColumns, '-'));
    }
    first = false;
    if (outcome.report) {
      write_trace(out, *outcome.report);
    } else {
      out.line(out.styled(Style::Bold, ellipsize(printable(outcome.path), kColumns)));
      out.wrapped("  not read: ", printable(outcome.error->message));
    }
  }
  if (model.peak_memory_bytes) {
    out.line();
    out.line(out.styled(Style::Dim, fmt::format("peak memory {}", format_bytes(*model.peak_memory_bytes))));
  }
  return out.take();
}

}  // namespace foretell::reports
