// SPDX-License-Identifier: Apache-2.0
#include "reports/json_diagnosis.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/json_parts.hpp"

namespace foretell::reports {
namespace {

using Json = nlohmann::ordered_json;

// Bytes and flops: null where nothing is known.
Json known(double value) { return value > 0 ? Json(whole(value)) : Json(nullptr); }
Json positive(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json idle_json(const timeline::IdleTimes& times) {
  Json idle = Json::object();
  for (std::size_t i = 0; i < times.size(); ++i) {
    idle[std::string(timeline::to_string(static_cast<timeline::IdleClass>(i)))] = times[i];
  }
  return idle;
}

// Times and bytes are whole; shares and ratios are not.
Json value_json(const checks::Quantity& quantity) {
  const bool is_whole = quantity.name.find("_ns") != std::string::npos ||
                        quantity.name.find("bytes") != std::string::npos ||
                        quantity.value == std::floor(quantity.value);
  return is_whole ? Json(whole(quantity.value)) : Json(quantity.value);
}

Json evidence_json(const checks::Finding& finding) {
  Json values = Json::array();
  for (const checks::Quantity& quantity : finding.evidence) {
    values.push_back({{"name", quantity.name},
                      {"value", value_json(quantity)},
                      {"provenance", to_string(quantity.provenance)}});
  }
  Json examples = Json::array();
  for (const checks::Example& example : finding.examples) {
    examples.push_back({{"what", example.what},
                        {"where", example.where},
                        {"id", example.id},
                        {"count", example.count},
                        {"time_ns", example.time_ns}});
  }
  return {{"values", std::move(values)}, {"examples", std::move(examples)}};
}

}  // namespace

// Without device records, or without knowing whose step they are, nothing is said about idle time.
Json step_json(const TraceReport& report) {
  const timeline::Split& split = report.split;
  if (!split.known) {
    return {{"step_ns", nullptr},        {"busy_ns", nullptr},       {"busy_in_ns", Json::object()},
            {"idle_ns", Json::object()}, {"devices", Json::array()}, {"distortion_ns", nullptr},
            {"skipped_ns", nullptr}};
  }
  Json busy = Json::object();
  for (std::size_t i = 0; i < split.busy.size(); ++i) {
    busy[std::string(timeline::to_string(static_cast<timeline::BusyClass>(i)))] = split.busy[i];
  }
  Json devices = Json::array();
  for (std::size_t i = 0; i < split.devices.size(); ++i) {
    devices.push_back({{"id", report.split_devices[i]},
                       {"busy_ns", split.devices[i].busy_ns},
                       {"idle_ns", idle_json(split.devices[i].idle_ns)}});
  }
  return {{"step_ns", split.step_ns},      {"busy_ns", split.busy_ns},
          {"busy_in_ns", std::move(busy)}, {"idle_ns", idle_json(split.idle_ns)},
          {"devices", std::move(devices)}, {"distortion_ns", split.distortion_ns},
          {"skipped_ns", split.skipped_ns}};
}

Json ops_json(const TraceReport& report) {
  Json rows = Json::array();
  for (const OpRow& op : report.ops) {
    rows.push_back({{"name", op.name},
                    {"calls", op.time.calls},
                    {"total_ns", op.time.total_ns},
                    {"self_cpu_ns", op.time.self_cpu_ns},
                    {"device_ns", op.time.device_ns},
                    {"kernels", op.time.kernels},
                    {"launches", op.time.launches},
                    {"bytes", known(op.bytes)}});
  }
  return rows;
}

Json modules_json(const TraceReport& report) {
  Json rows = Json::array();
  for (const ModuleRow& row : report.modules) {
    rows.push_back({{"path", row.path},
                    {"calls", row.calls},
                    {"self_cpu_ns", row.self_cpu_ns},
                    {"device_ns", row.device_ns},
                    {"kernels", row.kernels},
                    {"launches", row.launches},
                    {"bytes", known(row.bytes)}});
  }
  return rows;
}

Json threads_json(const TraceReport& report) {
  Json rows = Json::array();
  for (const ThreadRow& row : report.threads) {
    rows.push_back({{"name", row.name},
                    {"self_cpu_ns", row.time.self_cpu_ns},
                    {"untraced_ns", row.time.untraced_ns},
                    {"api_ns", row.time.api_ns},
                    {"launches", row.time.launches}});
  }
  return rows;
}

Json kernel_classes_json(const TraceReport& report) {
  Json rows = Json::array();
  for (const whatif::ClassRow& row : report.kernel_classes) {
    rows.push_back({{"class", timeline::to_string(row.kernel_class)},
                    {"activities", row.activities},
                    {"device_ns", row.device_ns},
                    {"share", row.share},
                    {"bytes", known(row.bytes)},
                    {"bytes_source", whatif::to_string(row.bytes_source)},
                    {"bytes_provenance", row.bytes_source == whatif::WorkSource::None
                                             ? Json(nullptr)
                                             : Json(to_string(whatif::provenance_of(row.bytes_source)))},
                    {"flops", known(row.flops)},
                    {"achieved_gbps", positive(row.bytes_per_ns)},
                    {"achieved_tflops", positive(row.flops_per_ns / 1e3)},
                    {"flops_per_byte", positive(row.flops_per_byte)},
                    {"roof_share", row.roof_share > 1 ? Json(nullptr) : positive(row.roof_share)}});
  }
  return rows;
}

Json groups_json(const TraceReport& report) {
  Json rows = Json::array();
  for (const whatif::GroupFamily& row : report.groups) {
    rows.push_back({{"op", row.op},
                    {"kernels", row.kernels},
                    {"per_step", row.per_step},
                    {"bytes_before", known(row.bytes_before)},
                    {"bytes_after", known(row.bytes_after)},
                    {"bytes_source", whatif::to_string(row.bytes_source)},
                    {"boundary", whatif::to_string(row.boundary)},
                    {"device_ns", row.device_ns},
                    {"gap_ns", row.gap_ns},
                    {"fused_ns", row.fused_ns}});
  }
  return rows;
}

Json checks_json(const TraceReport& report) {
  Json rows = Json::array();
  for (const checks::CheckResult& result : report.checks) {
    const checks::Finding& finding = result.finding;
    rows.push_back({{"id", result.check->id},
                    {"title", result.check->title},
                    {"verdict", checks::to_string(finding.verdict)},
                    {"reason", finding.reason},
                    {"evidence", evidence_json(finding)},
                    {"ceiling", finding.ceiling ? Json(*finding.ceiling) : Json(nullptr)},
                    {"remedy", finding.remedy.empty() ? std::string(result.check->remedy) : finding.remedy},
                    {"reasoning", finding.reasoning}});
  }
  return rows;
}

}  // namespace foretell::reports
