// SPDX-License-Identifier: Apache-2.0
// How to record a trace that leaves nothing partial: numbered lines, so that a verdict can name the one that
// would have helped.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace foretell::timeline {

enum class Recipe : std::uint8_t {
  Activities,       // host and device
  Schedule,         // wait, warm-up, a few steps
  Lean,             // nothing that slows the host
  Detail,           // shapes and lines, apart from the timing
  SyncEvents,       // waits on the device's side
  Synchronize,      // where, and where not
  ShortWindow,      // so that no buffer overflows
  OneProfiler,      // at a time
  WholeFile,        // written to its end
  CurrentVersions,  // of profiler and driver
  GraphCapture,     // what replays leave out
  BareTime,         // of a step without the profiler
  NsysTrace,
  NsysSteps,
  NsysRange,
  NsysExport,
  OneFilePerRank,
  SameSteps,
  EveryRank,
  kCount,
};

struct RecipeLine {
  Recipe recipe;
  std::string_view id;       // "R1": never given to another line
  std::string_view section;  // heading of the lines that share it
  std::string_view text;     // one line
};

// Every line once, in order.
std::span<const RecipeLine> all_recipe_lines();
std::string_view recipe_id(Recipe recipe);

}  // namespace foretell::timeline
