// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/run_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/cost/break_even.hpp"
#include "src/base/text.hpp"

namespace foretell::bridge {
namespace {

std::int64_t whole(double value) { return std::llround(value); }

}  // namespace

std::string error_text(const Error& error) {
  return fmt::format("{}{}{}{}{}", error.where, error.where.empty() ? "" : ": ", error.message,
                     error.hint.empty() ? "" : "; hint: ", error.hint);
}

std::vector<reports::ParameterRow> parameter_rows(std::span<const workloads::Parameter> parameters) {
  std::vector<reports::ParameterRow> rows;
  for (const workloads::Parameter& parameter : parameters) {
    reports::ParameterRow row{parameter.name, parameter.name, workloads::to_string(parameter),
                              std::int64_t{0}};
    switch (parameter.kind) {
      case workloads::ParameterKind::Count: row.value = parameter.numbers.front(); break;
      case workloads::ParameterKind::Bytes:
        row.key += "_bytes";
        row.value = parameter.numbers.front();
        break;
      case workloads::ParameterKind::Extents: row.value = parameter.numbers; break;
      case workloads::ParameterKind::Type:
      case workloads::ParameterKind::Choice: row.value = row.shown; break;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

reports::CounterRow counter_row(const runtime::StepCounters& counters) {
  return {.dispatches = counters.dispatches,
          .launches = counters.launches,
          .allocations = counters.allocations,
          .system_allocations = counters.system_allocations,
          .replayed = counters.replayed,
          .bytes_read = counters.bytes_read,
          .bytes_written = counters.bytes_written,
          .bytes_converted = counters.bytes_converted};
}

std::optional<reports::MeasuredRow> measured_row(const runtime::VariantTimes& times,
                                                 const runtime::VariantTimes* eager, bool one_lane) {
  if (times.step_ns.median <= 0) {
    return std::nullopt;
  }
  reports::MeasuredRow row;
  row.median_ns = whole(times.step_ns.median);
  row.ci_ns = {times.step_ns.low, times.step_ns.high};
  row.samples = static_cast<std::int64_t>(times.accepted);
  row.rejected = static_cast<std::int64_t>(times.rejected);
  if (!one_lane) {
    row.host_ns = whole(times.host_ns);
  }
  if (eager == &times) {
    row.speedup = 1;
  } else if (eager != nullptr) {
    if (eager->step_ns.median > 0) {
      row.speedup = eager->step_ns.median / times.step_ns.median;
    }
    if (const auto found = runtime::speedup(*eager, times)) {
      row.speedup_ci = reports::Interval{found->low, found->high};
    }
  }
  return row;
}

std::vector<reports::RunOpRow> op_rows(std::string_view variant, std::span<const runtime::OpTime> times) {
  std::vector<reports::RunOpRow> rows;
  for (const runtime::OpTime& time : times) {
    auto at = std::ranges::find(rows, time.name, &reports::RunOpRow::name);
    if (at == rows.end()) {
      rows.push_back({.variant = std::string(variant), .name = time.name});
      at = std::prev(rows.end());
    }
    ++at->calls;
    at->device_ns += time.device_ns;
    at->host_ns += time.host_ns;
    at->bytes += time.bytes;
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const reports::RunOpRow& row) { return row.device_ns + row.host_ns; });
  return rows;
}

std::vector<reports::RunGroupRow> group_rows(const runtime::cpu::Program& program) {
  std::vector<reports::RunGroupRow> rows;
  for (std::size_t i = 0; i < program.plan.groups.size(); ++i) {
    const passes::FusionGroup& group = program.plan.groups[i];
    reports::RunGroupRow row{
        .name = fmt::format("fused{}", i), .ops = {}, .space = ir::to_string(group.space)};
    for (const ir::NodeId node : group.nodes) {
      row.ops.emplace_back(ir::to_string(program.graph.node(node).op));
    }
    if (!group.reduced_axes.empty()) {
      row.space += fmt::format(" reduced over axes {}", fmt::join(group.reduced_axes, ","));
    }
    row.bytes_before = group.bytes_unfused;
    row.bytes_after = group.bytes_fused;
    row.flops = group.flops;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<reports::RefusalRow> refusal_rows(const runtime::cpu::Program& program) {
  std::vector<reports::RefusalRow> rows;
  for (const passes::Refusal& refusal : program.plan.refusals) {
    rows.push_back({std::string(refusal.reason), refusal.sentence});
  }
  return rows;
}

std::vector<reports::RunBlockerRow> blocker_rows(const ir::Graph& graph) {
  std::vector<reports::RunBlockerRow> rows;
  const std::vector<bool> live = ir::live_nodes(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (live[i] && graph.nodes()[i].op == ir::OpKind::HostRead) {
      rows.push_back({.op = std::string(ir::to_string(ir::OpKind::HostRead)),
                      .where = fmt::format("{}: %{}", graph.name(), i),
                      .cost_ns = {},
                      .remedy = "keep the value on the device, or read it after the step"});
    }
  }
  return rows;
}

reports::CompileRow compile_row(const runtime::cpu::CompileReport& report) {
  return {.pass_ns = report.pass_ns,
          .codegen_ns = report.codegen_ns,
          .compile_ns = report.library.compile_ns,
          .library_ns = report.library.total_ns,
          .total_ns = report.pass_ns + report.codegen_ns + report.library.total_ns,
          .kernels = static_cast<std::int64_t>(report.kernels),
          .from_cache = report.library.from_cache,
          .rebuilt_corrupt = report.library.rebuilt_corrupt,
          .break_even_steps = std::nullopt};
}

std::optional<std::int64_t> break_even_steps(const reports::CompileRow& compile,
                                             const reports::MeasuredRow& eager,
                                             const reports::MeasuredRow& compiled) {
  if (compile.from_cache) {
    return std::nullopt;
  }
  const auto steps =
      cost::break_even_steps(static_cast<double>(compile.total_ns), static_cast<double>(eager.median_ns),
                             static_cast<double>(compiled.median_ns));
  return steps ? std::optional(static_cast<std::int64_t>(std::ceil(*steps))) : std::nullopt;
}

reports::MeasuringRow measuring_row(const runtime::Measurement& measurement) {
  reports::MeasuringRow row;
  row.attempts = measurement.attempts;
  std::size_t taken = 0;
  for (const runtime::VariantTimes& times : measurement.variants) {
    row.rounds = std::max(row.rounds, static_cast<std::int64_t>(times.samples.size()));
    row.rejected += static_cast<std::int64_t>(times.rejected);
    taken += times.samples.size();
    if (!times.stable) {
      row.verdict = reports::MeasuringVerdict::Partial;
      row.reasons.push_back(fmt::format(
          "{} did not settle while warming up: its samples still had a trend, its median may move",
          times.name));
    }
  }
  if (measurement.machine_busy) {
    row.verdict = reports::MeasuringVerdict::Unusable;
    row.reasons.insert(
        row.reasons.begin(),
        fmt::format("machine busy, {} of {} samples were disturbed (threads interrupted, or time given "
                    "to others) in the last of {}",
                    row.rejected, taken,
                    format_counted(static_cast<std::uint64_t>(row.attempts), "attempt")));
  }
  return row;
}

reports::ConstantRow copy_row(const runtime::VariantTimes& times, double bytes) {
  const runtime::MedianInterval& step = times.step_ns;
  return {.constant = {.name = fmt::format("copy_{}_gbps", times.name),
                       .unit = "GB/s",
                       .low = bytes / step.high,
                       .expected = bytes / step.median,
                       .high = bytes / step.low,
                       .provenance = Provenance::Measured,
                       .source = fmt::format(
                           "copy of {} by the same team, in turn with the variants; 95 % confidence",
                           format_bytes(static_cast<std::uint64_t>(bytes / 2)))},
          .samples = static_cast<std::int64_t>(times.accepted)};
}

}  // namespace foretell::bridge
