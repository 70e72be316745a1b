// SPDX-License-Identifier: Apache-2.0
// Where the time of a step went on the device: busy + idle classes = step, to the nanosecond.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/timeline/idle.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

using BusyTimes = std::array<std::int64_t, static_cast<std::size_t>(BusyClass::kCount)>;

// One step on the device's axis: from the start of its mark, or the end of the work launched before it if
// that is later, to the end of its mark or of its own work. A mean over the active devices.
struct StepSplit {
  std::int64_t begin_ns = 0, end_ns = 0;
  BusyTimes busy_ns{};
  IdleTimes idle_ns{};  // sum(busy) + sum(idle) = end - begin
};

// The typical step of one device.
struct DeviceSplit {
  std::uint32_t device = 0;  // row of Profile::devices
  std::int64_t busy_ns = 0;
  IdleTimes idle_ns{};  // busy + sum(idle) = Split::step_ns
};

struct Split {
  bool known = false;            // false: no device work, or device time per step is unknown
  std::vector<StepSplit> steps;  // one per Steps::all
  // The typical steady step: `step_ns` is that of Steps (the median), or the bare time where one was given
  // that can be used; the classes are medians over the steady steps, scaled so that busy + idle = step
  // exactly.
  std::int64_t step_ns = 0;
  std::int64_t busy_ns = 0;
  BusyTimes busy{};     // sums to busy_ns
  IdleTimes idle_ns{};  // sums to step_ns - busy_ns
  std::vector<DeviceSplit> devices;
  // Left out of a whole trace taken as one step: its beginning, in which issued work waited for work that was
  // launched before the trace begins and is not in it.
  std::int64_t skipped_ns = 0;
  // A given bare time is used unless it is less than the device's work, or more than the traced step.
  bool wall_used = false, wall_below_busy = false, wall_above_step = false;
  std::int64_t distortion_ns =
      0;  // traced step - bare step: what the profiler added; 0: not given or not used
};

Split split_steps(const Steps& steps, const std::vector<DeviceTiles>& devices,
                  const profile::Profile& profile, const Links& links, const DurationAudit& audit,
                  std::optional<std::int64_t> wall_ns);

}  // namespace foretell::timeline
