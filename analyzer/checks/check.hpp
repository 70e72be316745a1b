// SPDX-License-Identifier: Apache-2.0
// A check: one question about a trace, answered from evidence. A pure function of what was read and computed;
// its id, title and texts are data (all.cpp), from which the manual page is generated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "analyzer/whatif/groups.hpp"
#include "analyzer/whatif/kernel_work.hpp"

namespace foretell::checks {

// An overhead binds when removing all of it would make the step at least 1 / (1 - kBindsShare) = 1.11 times
// faster: below that, the variation between runs and the guards of compiled code eat what was gained.
inline constexpr double kBindsShare = 0.1;

enum class Verdict : std::uint8_t { Binds, Clear, Unknown };
std::string_view to_string(Verdict verdict);  // "binds", "clear", "unknown"

// A number a finding rests on. Names carry the unit: "idle_ns", "device_busy_ratio".
struct Quantity {
  std::string name;
  double value = 0;
  Provenance provenance = Provenance::Measured;
};

// One place in the trace that shows it.
struct Example {
  std::string what;         // op, kernel or call
  std::string where;        // source line where stacks are there, else the enclosing range; may be empty
  std::string id;           // "correlation 17", "step ProfilerStep#3"; may be empty
  std::uint64_t count = 1;  // how many of its kind per step or in the trace, as the reason says
  std::int64_t time_ns = 0;
};

struct Finding {
  Verdict verdict = Verdict::Unknown;
  std::string reason;  // one sentence; for Unknown: why it can't be told
  std::vector<Quantity> evidence;
  std::vector<Example> examples;  // at most kMostExamples, dearest first
  // Amdahl: step / (step - all that this overhead costs), alone and for nothing in return. A ceiling, never a
  // prediction.
  std::optional<double> ceiling;
  std::string remedy;                  // one sentence; empty: the table's
  std::vector<std::string> reasoning;  // for --explain: how the verdict came about, a sentence a line
};
inline constexpr std::size_t kMostExamples = 8;

struct View {
  const profile::Profile& profile;
  const timeline::Timeline& timeline;
  const whatif::KernelWork& work;
  const whatif::FusionGroups& groups;
  const cost::Device& device;                 // that does most of the work
  std::span<const cost::Constant> constants;  // of the device, then of launches, allocation, profiler
  std::optional<std::int64_t> wall_ns;        // bare time of one step, given
  std::optional<double> input_bytes;          // non-static inputs of a step, given
};

struct Check {
  std::string_view id;
  std::string_view title;   // a question: "Launch bound?"
  std::string_view remedy;  // what to do when it binds
  // What summary.binds says when this check binds; "unknown" where what it found has no known cause; empty:
  // it never does.
  std::string_view overhead;
  Finding (*run)(const View& view);
};

// The five questions in order, then those beside them. A check is a file that defines one of these.
std::span<const Check* const> all_checks();

}  // namespace foretell::checks
