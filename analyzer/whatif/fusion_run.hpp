// SPDX-License-Identifier: Apache-2.0
// A run of kernels that one kernel could replace, as it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/whatif/fusion_member.hpp"
#include "analyzer/whatif/groups.hpp"

namespace foretell::whatif {

class FusionRun {
 public:
  // False: `next` belongs to another run, and this one is as it was. The caller sees to it that both lie on
  // one stream, in one step, with nothing between them.
  bool extend(const FusionMember& next);
  void clear();

  [[nodiscard]] const std::vector<FusionMember>& members() const { return members_; }
  // Two members at least. `usable_l2_bytes` 0: unknown.
  [[nodiscard]] FusionGroup group(std::int64_t kernel_floor_ns, double usable_l2_bytes) const;

 private:
  enum class Fit : std::uint8_t { No, Whole, Rows, Ambiguous };
  [[nodiscard]] Fit fit(const FusionMember& next) const;
  [[nodiscard]] Fit fit_extents(const Extent& next) const;

  std::vector<FusionMember> members_;
  Extent whole_;            // of the full-size members
  Extent rows_;             // of what follows a reduction, once seen
  bool reduced_ = false;    // a reduction ran since the last other full-size member
  bool ambiguous_ = false;  // a member is here only since it ran next to, and as long as, the one before
};

// Idle time between two neighbours, never negative.
std::int64_t gap_between(const FusionMember& before, const FusionMember& after);

}  // namespace foretell::whatif
