// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/step_doubt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"

namespace foretell::timeline {

using namespace profile;

std::string doubt_of_single_events(const Profile& profile, const Evidence& evidence) {
  if (evidence.facts.kernels == 1) {
    return "a single kernel is too little to conclude from";
  }
  if (evidence.steps.kind != StepKind::Whole || evidence.split.steps.empty()) {
    return {};
  }
  const StepSplit& window = evidence.split.steps.front();
  const std::int64_t length = window.end_ns - window.begin_ns;
  const CompileEvents& compiles = profile.compile_events;
  for (std::size_t row = 0; row < compiles.size(); ++row) {
    if (compiles.kind[row] == CompileKind::Compilation &&
        static_cast<double>(compiles.duration_ns[row]) > kDoubtfulShare * static_cast<double>(length)) {
      return "compilation lies inside the window: record after some warm-up steps";
    }
  }
  for (const DeviceTiles& device : evidence.tiles) {
    for (const Tile& tile : device.tiles) {
      const std::int64_t inside =
          std::min(tile.end_ns, window.end_ns) - std::max(tile.begin_ns, window.begin_ns);
      if (tile.idle && tile.idle_class != IdleClass::Profiler && inside > length / 2) {
        return fmt::format(
            "a single gap of {} (idle class {}{}) is most of the trace, and no step repeats",
            format_duration(inside), to_string(tile.idle_class),
            tile.call == kNoRow
                ? std::string()
                : fmt::format(", in {}", printable(profile.text(profile.api_calls.name[tile.call]))));
      }
    }
  }
  return {};
}

}  // namespace foretell::timeline
