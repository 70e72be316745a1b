// SPDX-License-Identifier: Apache-2.0
#include "reports/json_renderer.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/cost/json_fields.hpp"
#include "reports/json_diagnosis.hpp"
#include "reports/json_parts.hpp"

namespace foretell::reports {
namespace {

using Json = nlohmann::ordered_json;

Json source_json(const SourceFacts& source) {
  return {{"path", source.path},
          {"format", source.format},
          {"size_bytes", source.size_bytes},
          {"text_bytes", source.text_bytes},
          {"events", source.events},
          {"resolution_ns", source.resolution_ns},
          {"base_time_ns", optional_json(source.base_time_ns)},
          {"rank", source.rank.value_or(0)},
          {"rank_provenance", source.rank ? "measured" : "assumed"},
          {"world_size", optional_json(source.world_size)}};
}

Json device_json(const DeviceRow& row) {
  return {{"id", row.id},
          {"name", row.recorded_name},
          {"listed", row.listed},
          {"active", row.active()},
          {"match", to_string(row.match.how)},
          {"matched_name",
           row.match.how == cost::MatchKind::Unknown ? Json(nullptr) : Json(row.match.device.name)},
          {"vendor", to_string(row.match.device.vendor)},
          {"note", row.match.note}};
}

Json integrity_json(const timeline::Integrity& integrity) {
  Json counters = Json::object();
  for (const auto& [key, value] : integrity.counters) {
    counters[key] = value;
  }
  return {{"verdict", to_string(integrity.verdict)},
          {"reasons", integrity.reasons},
          {"notes", integrity.notes},
          {"counters", std::move(counters)}};
}

Json facts_json(const timeline::Facts& facts) {
  return {{"kernels", facts.kernels},
          {"memcpys", facts.memcpys},
          {"memsets", facts.memsets},
          {"cpu_ops", facts.cpu_ops},
          {"launch_calls", facts.launch_calls},
          {"graph_launches", facts.graph_launches},
          {"steps", facts.steps},
          {"kernel_sum_ns", facts.kernel_sum_ns},
          {"kernel_busy_ns", facts.kernel_busy_ns},
          {"device_busy_ns", facts.device_busy_ns},
          {"span_ns", facts.span_ns},
          {"linked_share", optional_json(facts.linked_share)}};
}

Json window_json(const TraceReport& report) {
  Json warmup = Json::array();
  Json all = Json::array();
  for (const timeline::Step& step : report.steps.all) {
    if (step.warmup) {
      warmup.push_back(step.name);
    }
    all.push_back({{"name", step.name},
                   {"start_ns", step.start_ns},
                   {"duration_ns", step.duration_ns},
                   {"step_ns", step.step_ns},
                   {"busy_ns", step.busy_ns},
                   {"kernel_sum_ns", step.kernel_sum_ns},
                   {"kernels", step.kernels},
                   {"launches", step.launches},
                   {"warmup", step.warmup}});
  }
  return {{"kind", to_string(report.steps.kind)},
          {"steps", report.steps.steady},
          {"warmup", std::move(warmup)},
          {"step_ns", report.steps.step_ns},
          {"wall_ns", optional_json(report.wall_ns)},
          {"all", std::move(all)}};
}

Json launches_json(const timeline::LaunchStats& launches) {
  return {{"linked", launches.linked},
          {"call_sum_ns", launches.call_sum_ns},
          {"call_median_ns", launches.call_median_ns},
          {"call_p10_ns", launches.call_p10_ns},
          {"kernels_shorter_than_launch", launches.kernels_shorter_than_launch},
          {"queue_delay_median_ns", launches.delay_median_ns},
          {"queue_delay_mean_ns", launches.delay_mean_ns},
          {"queue_delay_max_ns", launches.delay_max_ns},
          {"queue_depth_min", launches.queue_min},
          {"queue_depth_max", launches.queue_max},
          {"clock_offset_ns", optional_json(launches.clock_offset_ns)}};
}

Json graphs_json(const timeline::GraphStats& graphs) {
  return {{"launches", graphs.launches},
          {"kernels", graphs.kernels},
          {"copies", graphs.copies},
          {"kernels_per_replay", graphs.kernels_per_replay},
          {"device_time_share", graphs.device_time_share},
          {"wait_explained_share", optional_json(graphs.wait_explained_share)}};
}

Json communicators_json(const std::vector<CommunicatorRow>& communicators) {
  Json rows = Json::array();
  for (const CommunicatorRow& row : communicators) {
    rows.push_back({{"id", row.id}, {"records", row.records}});
  }
  return rows;
}

Json constants_json(const std::vector<cost::Constant>& constants) {
  Json rows = Json::array();
  for (const cost::Constant& constant : constants) {
    rows.push_back(cost::constant_json(constant));
  }
  return rows;
}

void put_trace(Json& out, const TraceReport& report) {
  Json devices = Json::array();
  for (const DeviceRow& row : report.devices) {
    devices.push_back(device_json(row));
  }
  out["source"] = source_json(report.source);
  out["devices"] = std::move(devices);
  out["integrity"] = integrity_json(report.integrity);
  out["facts"] = facts_json(report.facts);
  out["window"] = window_json(report);
  out["summary"] = {{"sentences", report.sentences}, {"binds", report.binds}};
  out["step"] = step_json(report);
  out["launches"] = launches_json(report.launches);
  out["graphs"] = graphs_json(report.graphs);
  out["kernel_classes"] = kernel_classes_json(report);
  out["groups"] = groups_json(report);
  out["checks"] = checks_json(report);
  out["ops"] = ops_json(report);
  out["modules"] = modules_json(report);
  out["threads"] = threads_json(report);
  out["communicators"] = communicators_json(report.communicators);
  out["constants"] = constants_json(report.constants);
}

void put_outcome(Json& out, const TraceOutcome& outcome) {
  if (outcome.report) {
    put_trace(out, *outcome.report);
    return;
  }
  out["source"] = {{"path", outcome.path}};
  out["error"] = {
      {"where", outcome.error->where}, {"message", outcome.error->message}, {"hint", outcome.error->hint}};
}

}  // namespace

std::string render_json(const ReportModel& model, const RenderOptions&) {
  Json out = header_json();
  if (model.traces.size() == 1) {
    put_outcome(out, model.traces.front());
  } else {
    out["traces"] = Json::array();
    for (const TraceOutcome& outcome : model.traces) {
      Json trace = Json::object();
      put_outcome(trace, outcome);
      out["traces"].push_back(std::move(trace));
    }
  }
  out["peak_memory_bytes"] = optional_json(model.peak_memory_bytes);
  return write_json(out);
}

}  // namespace foretell::reports
