// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "analyzer/checks/check.hpp"

// One line per check, in the order of the report.
#define FORETELL_CHECKS(X) \
  X(kLaunch)               \
  X(kFusion)               \
  X(kCompiled)             \
  X(kRecompiles)           \
  X(kSteadyState)          \
  X(kHostSyncs)            \
  X(kPageableCopies)       \
  X(kDataLoading)          \
  X(kHostWork)             \
  X(kDriverAllocations)    \
  X(kCommunication)        \
  X(kTinyKernels)          \
  X(kAlreadyGraphed)       \
  X(kPauses)               \
  X(kPrecision)            \
  X(kProfilerDistortion)   \
  X(kTiming)

namespace foretell::checks {

#define FORETELL_DECLARE(check) extern const Check check;
FORETELL_CHECKS(FORETELL_DECLARE)
#undef FORETELL_DECLARE

std::span<const Check* const> all_checks() {
#define FORETELL_ADDRESS(check) &check,
  static constexpr std::array kChecks{FORETELL_CHECKS(FORETELL_ADDRESS)};
#undef FORETELL_ADDRESS
  return kChecks;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Binds: return "binds";
    case Verdict::Clear: return "clear";
    case Verdict::Unknown: return "unknown";
  }
  return "unknown";
}

}  // namespace foretell::checks
