// SPDX-License-Identifier: Apache-2.0
#include "reports/run_json.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/cost/json_fields.hpp"
#include "reports/json_parts.hpp"

namespace foretell::reports {
namespace {

using Json = nlohmann::ordered_json;

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

// Variants are warmed up before the first round, so no round is one of warm-up.
Json window_json(const RunReport& run) {
  return {{"kind", "interleaved"},
          {"steps", run.measuring.rounds},
          {"warmup", Json::array()},
          {"step_ns", optional_json(run.step_ns)}};
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

Json over_steps_json(const DriftRow& drift) {
  Json rows = Json::array();
  for (const StepDriftRow& row : drift.over_steps) {
    rows.push_back(
        {{"step", row.step}, {"max_relative", row.max_relative}, {"mean_relative", row.mean_relative}});
  }
  return rows;
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
                           : Json{{"op", drift.worst_op}, {"max_relative", drift.worst_op_relative}}},
          {"over_steps", over_steps_json(drift)}};
}

Json bound_json(const BoundRow& bound) {
  Json terms = {{"launch", nullptr}, {"traffic", nullptr}, {"compute", nullptr}};
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
          {"library_ns", compile.library_ns},
          {"kernels", compile.kernels},
          {"from_cache", compile.from_cache},
          {"rebuilt_corrupt", compile.rebuilt_corrupt},
          {"break_even_steps", optional_json(compile.break_even_steps)}};
}

Json memory_json(const MemoryRow& memory) {
  return {{"arena_bytes", memory.arena_bytes},
          {"max_live_bytes", memory.max_live_bytes},
          {"given_peak_bytes", memory.given_peak_bytes},
          {"order", memory.order}};
}

Json variant_json(const VariantRow& row) {
  if (!row.error.empty()) {
    return {{"name", row.name}, {"error", row.error}};
  }
  return {{"name", row.name},
          {"measured", row.measured ? measured_json(*row.measured) : Json(nullptr)},
          {"dispatches", row.counters.dispatches},
          {"launches", row.counters.launches},
          {"replayed", row.counters.replayed},
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
          {"memory", row.memory ? memory_json(*row.memory) : Json(nullptr)},
          {"error", nullptr}};
}

Json constants_json(const std::vector<ConstantRow>& constants) {
  Json rows = Json::array();
  for (const auto& [constant, samples] : constants) {
    rows.push_back(cost::constant_json(constant));
    rows.back()["samples"] = samples;
  }
  return rows;
}

void put_run(Json& out, const RunReport& run) {
  if (!run.error.empty()) {
    out["workload"] = run.workload;
    out["error"] = run.error;
    return;
  }
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
  Json blockers = Json::array();
  for (const RunBlockerRow& blocker : run.blockers) {
    blockers.push_back({{"op", blocker.op},
                        {"where", blocker.where},
                        {"cost_ns", optional_json(blocker.cost_ns)},
                        {"remedy", blocker.remedy}});
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
  out["blockers"] = std::move(blockers);
  out["constants"] = constants_json(run.constants);
  out["variants"] = std::move(variants);
  out["notes"] = run.notes;
}

}  // namespace

std::string render_run_json(const RunModel& model, const RenderOptions&) {
  Json out = header_json();
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
  return write_json(out);
}

std::string render_probe_json(const ProbeModel& model, const RenderOptions&) {
  Json out = header_json();
  out["machine"] = machine_json(model.machine);
  out["devices"] = Json::array({device_json(model.machine)});
  out["probed_at_s"] = model.probed_at_s;
  out["duration_ns"] = model.duration_ns;
  out["samples"] = model.samples;
  out["rejected"] = model.rejected;
  out["file"] = text_or_null(model.file);
  out["from_file"] = model.from_file;
  out["constants"] = constants_json(model.constants);
  return write_json(out);
}

}  // namespace foretell::reports
