// SPDX-License-Identifier: Apache-2.0
// Where a number comes from. Every reported number has one of these four origins.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretell {

enum class Provenance : std::uint8_t {
  Measured,  // read from the trace, or timed
  Probed,    // a constant timed on this machine
  Derived,   // computed from measured values
  Assumed,   // taken from a table, or a default
};

constexpr std::string_view to_string(Provenance provenance) {
  switch (provenance) {
    case Provenance::Measured: return "measured";
    case Provenance::Probed: return "probed";
    case Provenance::Derived: return "derived";
    case Provenance::Assumed: return "assumed";
  }
  return "assumed";
}

}  // namespace foretell
