// SPDX-License-Identifier: Apache-2.0
// The probe's result as JSON in the user's cache directory, so that a run need not probe again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fusion-engine/probe/probe.hpp"
#include "src/base/result.hpp"

namespace foretell::probe {

// Of the constants of this machine in this form: "probe-3.json", "probe-1-sync.json". Each number of workers
// has its own file, so that a run with another does not throw away what was probed.
std::string probe_file_name(const Machine& machine);

std::string to_json(const ProbeResult& result);
// Strict: a file that was cut short or edited is an error (BadInput; `where` names it and the place), never a
// result.
Result<ProbeResult> parse_probe(std::string_view json, std::string_view where);

// A machine's constants drift with microcode, neighbours and memory pressure; a week bounds that, and two
// seconds a week are no cost.
inline constexpr std::int64_t kProbeLifeSeconds = 7 * 24 * 3600;

enum class Freshness : std::uint8_t { Fresh, OtherMachine, Old };
// Also old: probed in the future, by a clock that was wrong.
Freshness freshness(const ProbeResult& result, const Machine& machine, std::int64_t now_s);

// Written beside and renamed: a reader sees the whole of the old or the new. Errors (Environment).
Result<void> save_probe(const ProbeResult& result, const std::filesystem::path& path);
// Errors: BadInput for no such file or one that can't be parsed.
Result<ProbeResult> read_probe(const std::filesystem::path& path);

}  // namespace foretell::probe
