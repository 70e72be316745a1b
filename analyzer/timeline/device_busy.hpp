// SPDX-License-Identifier: Apache-2.0
// How long a device was busy between two times: built once, then asked often.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"

namespace foretell::timeline {

class DeviceBusy {
 public:
  // Kernels, copies and sets, with the audit's durations.
  DeviceBusy(const profile::Profile& profile, const DurationAudit& audit);

  // Union of the device's work within [begin, end); 0 for a device without work or row kNoRow.
  [[nodiscard]] std::int64_t busy_ns(std::uint32_t device, std::int64_t begin_ns, std::int64_t end_ns) const;
  // Row of the first device with work; kNoRow: none.
  [[nodiscard]] std::uint32_t first_active() const;

 private:
  struct Stretch {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t before_ns = 0;  // busy time of the stretches before it
  };
  static std::int64_t busy_through(const Stretch& stretch) {
    return stretch.before_ns + stretch.end_ns - stretch.begin_ns;
  }
  static std::int64_t busy_until(const std::vector<Stretch>& stretches, std::int64_t time_ns);

  std::vector<std::vector<Stretch>> of_device_;
};

}  // namespace foretell::timeline
