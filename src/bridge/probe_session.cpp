// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/probe_session.hpp"

#include <system_error>
#include <utility>

#include "fusion-engine/probe/probe_file.hpp"

namespace foretell::bridge {
namespace {

// The kept result if it holds; else `note` says why not, where that is worth a word.
std::optional<probe::ProbeResult> read_kept(const runtime::cpu::CpuDevice& device,
                                            const ProbeOptions& options, std::string& note) {
  std::error_code unknown;
  if (options.refresh || options.file.empty() || !std::filesystem::exists(options.file, unknown)) {
    return std::nullopt;
  }
  auto kept = probe::read_probe(options.file);
  if (!kept) {
    note = "the kept constants could not be read, and were probed anew: " + kept.error().message;
    return std::nullopt;
  }
  switch (probe::freshness(*kept, probe::read_machine(device, options.sync), options.now_s)) {
    case probe::Freshness::Fresh: return std::move(*kept);
    case probe::Freshness::OtherMachine:
      note = "the kept constants are another machine's or team's, and were probed anew";
      return std::nullopt;
    case probe::Freshness::Old:
      note = "the kept constants were too old, and were probed anew";
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<ProbeSession> open_probe_session(runtime::cpu::CpuDevice& device, const ProbeOptions& options) {
  ProbeSession session;
  if (auto kept = read_kept(device, options, session.note)) {
    session.result = std::move(*kept);
    session.from_file = true;
    session.kept_in = options.file.string();
    return session;
  }
  FORETELL_ASSIGN_OR_RETURN(session.result,
                            probe::run_probes(device, options.sync, options.now_s, options.on_probe));
  if (!options.file.empty()) {
    if (const auto saved = probe::save_probe(session.result, options.file)) {
      session.kept_in = options.file.string();
    } else {
      session.note = saved.error().where + ": " + saved.error().message + ", the constants are not kept";
    }
  }
  return session;
}

reports::MachineRow machine_row(const probe::Machine& machine, const runtime::cpu::CpuDevice& device) {
  return {.cpu_model = machine.cpu_model.empty() ? std::string("unknown processor") : machine.cpu_model,
          .kernel = machine.kernel,
          .instruction_set = machine.instruction_set,
          .cores = machine.cores,
          .team = machine.team,
          .sync = machine.sync,
          .pinned = !device.stream->worker_cpus().empty(),
          .l1_bytes = machine.caches.l1_bytes,
          .l2_bytes = machine.caches.l2_bytes,
          .last_level_bytes = machine.caches.last_level_bytes,
          .compiler = ""};
}

std::vector<reports::ConstantRow> constant_rows(const probe::ProbeResult& result) {
  std::vector<reports::ConstantRow> rows;
  for (const auto& [constant, samples] : result.constants) {
    rows.push_back({constant, samples});
  }
  return rows;
}

reports::ProbeModel probe_model(const ProbeSession& session, const runtime::cpu::CpuDevice& device) {
  return {.machine = machine_row(session.result.machine, device),
          .constants = constant_rows(session.result),
          .probed_at_s = session.result.probed_at_s,
          .duration_ns = session.result.duration_ns,
          .file = session.kept_in,
          .from_file = session.from_file};
}

}  // namespace foretell::bridge
