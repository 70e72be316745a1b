// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/probe_session.hpp"

#include <fmt/format.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "fusion-engine/probe/probe_file.hpp"
#include "fusion-engine/runtime/machine_state.hpp"

namespace foretell::bridge {
namespace {

std::filesystem::path file_of(const probe::Machine& machine, const ProbeOptions& options) {
  return options.directory.empty() ? std::filesystem::path()
                                   : options.directory / probe::probe_file_name(machine);
}

// The kept result if it holds; else `note` says why not, where that is worth a word.
std::optional<probe::ProbeResult> read_kept(const probe::Machine& machine, const ProbeOptions& options,
                                            std::string& note) {
  const std::filesystem::path file = file_of(machine, options);
  std::error_code unknown;
  if (file.empty() || !std::filesystem::exists(file, unknown)) {
    return std::nullopt;
  }
  auto kept = probe::read_probe(file);
  if (!kept) {
    note = "the kept constants could not be read, and were probed anew: " + kept.error().message;
    return std::nullopt;
  }
  switch (probe::freshness(*kept, machine, options.now_s)) {
    case probe::Freshness::Fresh: return std::move(*kept);
    case probe::Freshness::OtherMachine:
      note = "the kept constants are another machine's, and were probed anew";
      return std::nullopt;
    case probe::Freshness::Old:
      note = "the kept constants were too old, and were probed anew";
      return std::nullopt;
  }
  return std::nullopt;
}

// Where it is kept from now on, or `note` says why nowhere.
std::string keep(const probe::ProbeResult& result, const std::filesystem::path& file, std::string& note) {
  if (probe::was_busy(result)) {
    note = fmt::format(
        "the machine was busy while it was probed ({} of {} samples were disturbed): its constants are less "
        "certain than their intervals say, and are not kept",
        result.rejected, result.taken);
    return {};
  }
  if (file.empty()) {
    return {};
  }
  if (const auto saved = probe::save_probe(result, file); !saved) {
    note = saved.error().where + ": " + saved.error().message + ", the constants are not kept";
    return {};
  }
  return file.string();
}

}  // namespace

Result<ProbeSession> open_probe_session(runtime::cpu::CpuDevice& device, const ProbeOptions& options) {
  ProbeSession session;
  const probe::Machine machine = probe::read_machine(device);
  if (!options.refresh) {
    if (auto kept = read_kept(machine, options, session.note)) {
      session.result = std::move(*kept);
      session.from_file = true;
      session.kept_in = file_of(machine, options).string();
      return session;
    }
  }
  const auto own = runtime::this_machine(*device.stream);
  FORETELL_ASSIGN_OR_RETURN(session.result,
                            probe::run_probes(device, options.state != nullptr ? *options.state : *own,
                                              options.now_s, options.on_probe));
  session.kept_in = keep(session.result, file_of(machine, options), session.note);
  return session;
}

std::optional<probe::ProbeResult> read_kept_constants(const runtime::cpu::CpuDevice& device,
                                                      const ProbeOptions& options) {
  std::string note;
  return read_kept(probe::read_machine(device), options, note);
}

void apply_constants(const probe::ProbeResult& result, runtime::cpu::CpuDevice& device) {
  if (const auto bytes = probe::find_constant(result, "streaming_bytes")) {
    device.streaming_bytes = std::llround(bytes->expected);
  }
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
          .samples = session.result.taken,
          .rejected = session.result.rejected,
          .busy = probe::was_busy(session.result),
          .file = session.kept_in,
          .from_file = session.from_file};
}

}  // namespace foretell::bridge
