// SPDX-License-Identifier: Apache-2.0
#include "reports/run_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/json_renderer.hpp"
#include "src/base/version.hpp"

namespace foretell::reports {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }
Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json header() {
  return {{"schema_version", kJsonSchemaVersion}, {"tool", {{"name", "foretell"}, {"version", version()}}}};
}

// names come from a file: bytes that are no UTF-8 must not end the program
std::string dump(const Json& out) { return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

Json parameters_json(const RunReport& run) {
  Json out = Json::object();
  for (const ParameterRow& row : run.parameters) {
    std::visit([&](const auto& value) { out[row.key] = value; }, row.value);
  }
  return out;
}

Json machine_json(const MachineRow& machine) {
  return {{"cpu_model", machine.cpu_model},
          {"cores", machine.cores},
          {"kernel", machine.kernel},
          {"compiler", text_or_null(machine.compiler)}};
}

Json device_json(const MachineRow& machine) {
  return {{"id", 0},
          {"name", machine.cpu_model},
          {"kind", "cpu"},
          {"workers", machine.team},
          {"sync", machine.sync},
          {"pinned", machine.pinned},
          {"instruction_set", machine.instruction_set},
          {"l1_bytes", machine.l1_bytes},
          {"l2_bytes", machine.l2_bytes},
          {"last_level_bytes", machine.last_level_bytes}};
}

Json integrity_json(const MeasuringRow& measuring) {
  return {
      {"verdict", to_string(measuring.verdict)},
      {"reasons", measuring.reasons},
      {"counters",
       {{"rounds", measuring.rounds}, {"rejected", measuring.rejected}, {"attempts", measuring.attempts}}}};
}

Json window_json(const RunReport& run) {
  Json step = nullptr;
  if (!run.variants.empty() && run.variants.front().measured) {
    step = run.variants.front().measured->median_ns;
  }
  return {{"kind", "interleaved"}, {"steps", run.measuring.rounds}, {"step_ns", step}};
}

Json measured_json(const MeasuredRow& measured) {
  return {{"median_ns", measured.median_ns},
          {"ci_ns", {whole(measured.ci_ns.low), whole(measured.ci_ns.high)}},
          {"speedup", optional_json(measured.speedup)},
          {"speedup_ci",
           measured.speedup_ci ? Json{measured.speedup_ci->low, measured.speedup_ci->high} : Json(nullptr)},
          {"host_ns", optional_json(measured.host_ns)},
          {"samples", measured.samples},
          {"rejected", measured.rejected}};
}

Json drift_json(const DriftRow& drift) {
  return {{"measured_at", text_or_null(drift.measured_at)},
          {"elements", drift.elements},
          {"max_relative", drift.max_relative},
          {"mean_relative", drift.mean_relative},
          {"max_ulp", drift.max_ulp},
          {"ulp_edges", drift.ulp_edges},
          {"ulp_histogram", drift.ulp_histogram},
          {"nonfinite_mismatches", drift.nonfinite_mismatches},
          {"worst_op", drift.worst_op.empty()
                           ? Json(nullptr)
                           : Json{{"op", drift.worst_op}, {"max_relative", drift.worst_op_relative}}}};
}

Json bound_json(const BoundRow& bound) {
  Json terms = Json::object();
  for (const BoundTerm& term : bound.terms) {
    terms[std::string(term.name)] = whole(term.time_ns);
  }
  return {{"binds", bound.binds},
          {"level", bound.level.empty() ? Json(nullptr) : Json(bound.level)},
          {"time_ns", std::move(terms)},
          {"explained_share", bound.explained_share},
          {"reason", bound.sentence}};
}

Json compile_json(const CompileRow& compile) {
  return {{"total_ns", compile.total_ns},
          {"pass_ns", compile.pass_ns},
          {"codegen_ns", compile.codegen_ns},
          {"compile_ns", compile.compile_ns},
          {"kernels", compile.kernels},
          {"from_cache", compile.from_cache},
          {"rebuilt_corrupt", compile.rebuilt_corrupt},
          {"break_even_steps", optional_json(compile.break_even_steps)}};
}

Json variant_json(const VariantRow& row) {
  if (!row.error.empty()) {
    return {{"name", row.name}, {"error", row.error}};
  }
  return {{"name", row.name},
          {"measured", row.measured ? measured_json(*row.measured) : Json(nullptr)},
          {"dispatches", row.counters.dispatches},
          {"launches", row.counters.launches},
          {"allocations", row.counters.allocations},
          {"system_allocations", row.counters.system_allocations},
          {"bytes", row.counters.bytes()},
          {"bytes_read", row.counters.bytes_read},
          {"bytes_written", row.counters.bytes_written},
          {"bytes_converted", row.counters.bytes_converted},
          {"achieved_gbps", optional_json(row.achieved_gbps)},
          {"share_of_copy", optional_json(row.share_of_copy)},
          {"drift", row.drift ? drift_json(*row.drift) : Json(nullptr)},
          {"bound", row.bound ? bound_json(*row.bound) : Json(nullptr)},
          {"compile", row.compile ? compile_json(*row.compile) : Json(nullptr)},
          {"error", nullptr}};
}

Json constants_json(const std::vector<ConstantRow>& constants) {
  Json rows = Json::array();
  for (const auto& [constant, samples] : constants) {
    rows.push_back({{"name", constant.name},
                    {"unit", constant.unit},
                    {"low", constant.low},
                    {"expected", constant.expected},
                    {"high", constant.high},
                    {"provenance", to_string(constant.provenance)},
                    {"source", constant.source},
                    {"samples", samples}});
  }
  return rows;
}

void put_run(Json& out, const RunReport& run) {
  Json ops = Json::array();
  for (const RunOpRow& op : run.ops) {
    ops.push_back({{"variant", op.variant},
                   {"name", op.name},
                   {"calls", op.calls},
                   {"self_cpu_ns", op.host_ns},
                   {"device_ns", op.device_ns},
                   {"bytes", op.bytes}});
  }
  Json groups = Json::array();
  for (const RunGroupRow& group : run.groups) {
    groups.push_back({{"name", group.name},
                      {"ops", group.ops},
                      {"space", group.space},
                      {"bytes_before", group.bytes_before},
                      {"bytes_after", group.bytes_after},
                      {"flops", group.flops}});
  }
  Json refusals = Json::array();
  for (const RefusalRow& refusal : run.refusals) {
    refusals.push_back({{"reason", refusal.reason}, {"sentence", refusal.sentence}});
  }
  Json variants = Json::array();
  for (const VariantRow& row : run.variants) {
    variants.push_back(variant_json(row));
  }
  out["workload"] = run.workload;
  out["parameters"] = parameters_json(run);
  out["machine"] = machine_json(run.machine);
  out["devices"] = Json::array({device_json(run.machine)});
  out["integrity"] = integrity_json(run.measuring);
  out["window"] = window_json(run);
  out["summary"] = {
      {"sentences", run.sentences}, {"binds", run.binds}, {"ceiling", optional_json(run.ceiling)}};
  out["ops"] = std::move(ops);
  out["groups"] = std::move(groups);
  out["refusals"] = std::move(refusals);
  out["constants"] = constants_json(run.constants);
  out["variants"] = std::move(variants);
  out["notes"] = run.notes;
}

}  // namespace

std::string render_run_json(const RunModel& model, const RenderOptions&) {
  Json out = header();
  if (model.runs.size() == 1) {
    put_run(out, model.runs.front());
  } else {
    out["runs"] = Json::array();
    for (const RunReport& report : model.runs) {
      Json run = Json::object();
      put_run(run, report);
      out["runs"].push_back(std::move(run));
    }
  }
  return dump(out);
}

std::string render_probe_json(const ProbeModel& model, const RenderOptions&) {
  Json out = header();
  out["machine"] = machine_json(model.machine);
  out["devices"] = Json::array({device_json(model.machine)});
  out["probed_at_s"] = model.probed_at_s;
  out["duration_ns"] = model.duration_ns;
  out["file"] = text_or_null(model.file);
  out["from_file"] = model.from_file;
  out["constants"] = constants_json(model.constants);
  return dump(out);
}

}  // namespace foretell::reports
