// SPDX-License-Identifier: Apache-2.0
// Devices looked up in the shipped table, for the tests beside this file.
#pragma once

#include <cstdint>
#include <ostream>

#include "analyzer/cost/device_match.hpp"

namespace foretell::cost {

inline constexpr std::int64_t kGb = 1'000'000'000;

inline void PrintTo(MatchKind kind, std::ostream* out) { *out << to_string(kind); }

inline DeviceMatch match(const DeviceQuery& query) { return match_device(builtin_device_table(), query); }

}  // namespace foretell::cost
