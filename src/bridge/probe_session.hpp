// SPDX-License-Identifier: Apache-2.0
// The machine's constants: kept ones where they hold, else probed now and kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "fusion-engine/probe/probe.hpp"
#include "reports/run_model.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

struct ProbeOptions {
  std::filesystem::path directory;                  // of the kept files; empty: kept nowhere
  bool refresh = false;                             // probe even if the kept ones hold
  std::int64_t now_s = 0;                           // seconds since 1970
  std::function<void(std::size_t probe)> on_probe;  // before each probe; may be empty
  runtime::MachineState* state = nullptr;           // tells disturbed samples; nullptr: this machine's
};

struct ProbeSession {
  probe::ProbeResult result;
  bool from_file = false;
  std::string kept_in;  // empty: nowhere
  std::string note;     // why a kept file was not used, or none was written; may be empty
};
// A file that can't be read or written is no error: probing takes two seconds. Constants of a busy machine
// are used and not kept. Errors: of probing.
Result<ProbeSession> open_probe_session(runtime::cpu::CpuDevice& device, const ProbeOptions& options);

// The kept constants if they hold; nothing is probed.
std::optional<probe::ProbeResult> read_kept_constants(const runtime::cpu::CpuDevice& device,
                                                      const ProbeOptions& options);

// Sets what the device chooses by: from which size on results are written past the caches.
void apply_constants(const probe::ProbeResult& result, runtime::cpu::CpuDevice& device);

reports::MachineRow machine_row(const probe::Machine& machine, const runtime::cpu::CpuDevice& device);
reports::ProbeModel probe_model(const ProbeSession& session, const runtime::cpu::CpuDevice& device);
std::vector<reports::ConstantRow> constant_rows(const probe::ProbeResult& result);

}  // namespace foretell::bridge
