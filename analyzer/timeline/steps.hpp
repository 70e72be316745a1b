// SPDX-License-Identifier: Apache-2.0
// The steady window: which stretches of the trace are one step of the workload.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

enum class StepKind : std::uint8_t {
  ProfilerStep,    // the framework's profiler marks its steps
  UserRange,       // a range of the user's that repeats
  KernelSequence,  // the kernels repeat in the same order
  Whole,           // none of these: the whole trace is one step
};
std::string_view to_string(StepKind kind);

struct Step {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;  // as marked
  // The time the step takes: as marked, but never less than its device work. Host marks that end earlier only
  // show that the host runs ahead of a busy device.
  std::int64_t step_ns = 0;
  // Union of the device activities launched within the step, wherever on the device's axis they ran; those
  // without a launch go by their own time.
  std::int64_t busy_ns = 0;
  std::int64_t kernel_sum_ns = 0;
  std::uint64_t kernels = 0;
  std::uint64_t launches = 0;  // kernel and graph launch calls
  // How much earlier on the host's axis its work is issued; 0 for marked steps, which are the host's.
  std::int64_t lead_ns = 0;
  bool warmup = false;
};

struct Steps {
  StepKind kind = StepKind::Whole;
  std::vector<Step> all;                // in order of time
  std::uint64_t overlapping_marks = 0;  // cut where the next step begins
  // False: most kernels neither link to a launch nor run inside a step, so device time per step is unknown.
  bool device_time_known = true;
  // Of the steps that are not warm-up:
  std::uint64_t steady = 0;
  std::int64_t step_ns = 0;  // median
  std::int64_t busy_ns = 0;  // median
};

// Warm-up: leading steps that lie beyond Tukey's upper fence (third quartile + 1.5 interquartile ranges) of
// the steps behind them, or that hold a compilation; never more than half of the steps,
// nor more than 32.
Steps find_steps(const profile::Profile& profile, const Links& links, const DurationAudit& audit);

// Index of the step in which the host was at `time_ns`, or steps.size().
std::size_t step_at(const std::vector<Step>& steps, std::int64_t time_ns);

// Index of the step that an activity belongs to, or steps.all.size(): by its launch, by its own time where it
// has none or where the steps were found among the kernels.
std::size_t step_of_activity(const profile::Profile& profile, const Links& links, const Steps& steps,
                             std::uint32_t activity);

}  // namespace foretell::timeline
