// SPDX-License-Identifier: Apache-2.0
#include "reports/text_renderer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "analyzer/timeline/kernel_name.hpp"
#include "reports/quantity_text.hpp"
#include "reports/text_diagnosis.hpp"
#include "reports/text_writer.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

using timeline::Verdict;

constexpr std::size_t kOpRows = 12;
constexpr std::size_t kModuleRows = 8;
constexpr std::size_t kGroupRows = 8;
constexpr std::size_t kThreadRows = 4;
constexpr std::size_t kDeviceRows = 4;
constexpr std::size_t kCommunicatorRows = 8;

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
    out.row("device busy",
            fmt::format("{} ({} of the step)", format_duration(report.split.busy_ns),
                        report.split.step_ns > 0 ? format_share(static_cast<double>(report.split.busy_ns) /
                                                                static_cast<double>(report.split.step_ns))
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
  out.row("copies, memsets", fmt::format("{}, {}", format_count(facts.memcpys), format_count(facts.memsets)));
  const double device_span = static_cast<double>(facts.span_ns) * static_cast<double>(facts.active_devices);
  const auto share_of_span = [&](std::int64_t busy_ns) {
    return device_span > 0
               ? fmt::format(", {} of the span", format_share(static_cast<double>(busy_ns) / device_span))
               : std::string();
  };
  out.row("device busy", fmt::format("{} with copies and memsets{}", format_duration(facts.device_busy_ns),
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

// One line of a table whose rows are ops or modules.
std::string op_line(std::string_view name, std::uint64_t calls, std::int64_t self_cpu_ns,
                    std::int64_t device_ns, std::uint64_t kernels, std::uint64_t launches, double bytes) {
  constexpr std::size_t kName = 38;
  // fmt pads by code points
  return fmt::format("  {:<{}}{:>8}{:>11}{:>11}{:>9}{:>9}{:>12}", ellipsize(printable(name), kName - 2),
                     kName, format_count(calls), format_duration(self_cpu_ns), format_duration(device_ns),
                     format_count(kernels), format_count(launches),
                     bytes > 0 ? format_bytes(static_cast<std::uint64_t>(bytes)) : std::string("-"));
}

void write_op_header(TextWriter& out) {
  out.line(fmt::format("  {:<38}{:>8}{:>11}{:>11}{:>9}{:>9}{:>12}", "", "calls", "self CPU", "device",
                       "kernels", "launches", "bytes"));
}

void write_ops(TextWriter& out, const TraceReport& report) {
  if (report.ops.empty()) {
    return;
  }
  out.heading("Ops", fmt::format("top {} of {} by self CPU + device time, whole trace",
                                 std::min(kOpRows, report.ops.size()), format_count(report.ops.size())));
  write_op_header(out);
  for (std::size_t i = 0; i < std::min(kOpRows, report.ops.size()); ++i) {
    const OpRow& op = report.ops[i];
    out.line(op_line(op.name, op.time.calls, op.time.self_cpu_ns, op.time.device_ns, op.time.kernels,
                     op.time.launches, op.bytes));
  }
}

void write_modules(TextWriter& out, const TraceReport& report) {
  if (report.modules.empty()) {
    return;
  }
  out.heading("Modules",
              fmt::format("top {} of {}, each without those inside it",
                          std::min(kModuleRows, report.modules.size()), format_count(report.modules.size())));
  write_op_header(out);
  for (std::size_t i = 0; i < std::min(kModuleRows, report.modules.size()); ++i) {
    const ModuleRow& row = report.modules[i];
    // the end of a path tells more than its beginning
    const std::string path = printable(row.path);
    constexpr std::size_t kPath = 36;
    const std::string shown = path.size() > kPath ? "..." + path.substr(path.size() - kPath + 3) : path;
    out.line(op_line(shown, row.calls, row.self_cpu_ns, row.device_ns, row.kernels, row.launches, row.bytes));
  }
}

void write_kernel_classes(TextWriter& out, const TraceReport& report) {
  if (report.kernel_classes.empty()) {
    return;
  }
  out.heading("Kernel classes",
              "whole trace; figures where bytes or flops are known for half of the class at least");
  out.line(fmt::format("  {:<15}{:>8}{:>11}{:>8}{:>11} {:<11}{:>8}{:>9}{:>12}", "", "count", "device",
                       "share", "bytes", "told by", "GB/s", "TFLOP/s", "of its roof"));
  for (const whatif::ClassRow& row : report.kernel_classes) {
    const auto figure = [](double value) {
      return value > 0 ? fmt::format("{:.3g}", value) : std::string("-");
    };
    out.line(fmt::format(
        "  {:<15}{:>8}{:>11}{:>8}{:>11} {:<11}{:>8}{:>9}{:>12}", timeline::to_string(row.kernel_class),
        format_count(row.activities), format_duration(row.device_ns), format_share(row.share),
        row.bytes > 0 ? format_bytes(static_cast<std::uint64_t>(row.bytes)) : std::string("-"),
        row.bytes > 0 ? whatif::to_string(row.bytes_source) : std::string_view("-"), figure(row.bytes_per_ns),
        figure(row.flops_per_ns / 1e3),
        row.roof_share > 1   ? std::string("> 100 %")  // from a cache, or the bytes are too high
        : row.roof_share > 0 ? format_share(row.roof_share)
                             : std::string("-")));
  }
}

void write_groups(TextWriter& out, const TraceReport& report) {
  if (report.groups.empty()) {
    return;
  }
  const std::size_t shown = std::min(kGroupRows, report.groups.size());
  out.heading("Fusion groups",
              fmt::format("per step, {} of {}, most saved first; bytes are derived, times behind a ceiling",
                          shown, format_count(report.groups.size())));
  out.line(fmt::format("  {:>7}{:>9}{:>12}{:>12}{:>11}{:>11}{:>6}  {}", "times", "kernels", "bytes", "fused",
                       "time", "fused", "level", "first kernel"));
  for (std::size_t i = 0; i < shown; ++i) {
    const whatif::GroupFamily& row = report.groups[i];
    out.line(fmt::format(
        "  {:>7.3g}{:>9}{:>12}{:>12}{:>11}{:>11}{:>6}  {}", row.per_step, row.kernels.size(),
        format_bytes(static_cast<std::uint64_t>(row.bytes_before)),
        format_bytes(static_cast<std::uint64_t>(row.bytes_after)), format_duration(row.device_ns),
        format_duration(row.fused_ns), whatif::to_string(row.boundary),
        ellipsize(printable(row.op.empty() ? timeline::short_kernel_name(row.kernels.front()) : row.op),
                  28)));
  }
}

void write_threads(TextWriter& out, const TraceReport& report) {
  if (report.threads.empty()) {
    return;
  }
  const std::size_t shown = std::min(kThreadRows, report.threads.size());
  out.heading("Host threads",
              fmt::format("{} of {}; self CPU + untraced = the traced step of {}", shown,
                          format_count(report.threads.size()), format_duration(report.steps.step_ns)));
  out.line(
      fmt::format("  {:<38}{:>12}{:>12}{:>12}{:>11}", "", "self CPU", "of it, API", "untraced", "launches"));
  for (std::size_t i = 0; i < shown; ++i) {
    const ThreadRow& row = report.threads[i];
    out.line(fmt::format("  {:<38}{:>12}{:>12}{:>12}{:>11}", ellipsize(printable(row.name), 36),
                         format_duration(row.time.self_cpu_ns), format_duration(row.time.api_ns),
                         format_duration(row.time.untraced_ns),
                         format_count(static_cast<std::uint64_t>(row.time.launches))));
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
        const auto shown = [&](double value) { return value_text(value, constant.unit); };
        out.line(fmt::format("  {:<24}{} ({} to {}), {}", constant.name, shown(constant.expected),
                             shown(constant.low), shown(constant.high), to_string(constant.provenance)));
      }
    }
  }
}

void write_trace(TextWriter& out, const TraceReport& report, const RenderOptions& options) {
  write_source(out, report);
  out.line();
  for (const std::string& sentence : report.sentences) {
    out.wrapped("  ", printable(sentence));
  }
  write_step_picture(out, report);
  if (!options.explain.empty()) {
    for (const std::string& id : options.explain) {
      write_explanation(out, report, id);
    }
    return;
  }
  write_checks(out, report);
  write_integrity(out, report.integrity);
  write_window(out, report);
  write_facts(out, report);
  write_kernel_classes(out, report);
  write_groups(out, report);
  write_ops(out, report);
  write_modules(out, report);
  write_threads(out, report);
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
      write_trace(out, *outcome.report, options);
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
