// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_placer.hpp"

#include <algorithm>

namespace foretell::passes {
namespace {

constexpr std::int64_t kNotPlaced = -1;

}  // namespace

// Returns the block's height.
std::int64_t MemoryPlacer::find_forbidden(std::size_t block) {
  forbidden_.clear();
  std::int64_t height = 0;
  for (std::size_t own = overlaps_.first_of(block); own < overlaps_.first_of(block + 1); ++own) {
    const std::int64_t bytes = overlaps_.piece(own).piece.bytes;
    height = std::max(height, bytes);
    for (const std::uint32_t met : overlaps_.met_by(own)) {
      const auto& [other, piece] = overlaps_.piece(met);
      if (const std::int64_t offset = layout_.offsets[other]; offset != kNotPlaced) {
        forbidden_.push_back({.low = offset - bytes, .high = offset + piece.bytes, .block = other});
      }
    }
    looked_at_ += static_cast<std::int64_t>(overlaps_.met_by(own).size());
  }
  std::ranges::sort(forbidden_, {}, &Forbidden::low);
  return height;
}

MemoryPlacer::Place MemoryPlacer::find_place(Fit fit) const {
  Place above;  // all that was looked at
  Place best;
  std::int64_t least_room = std::numeric_limits<std::int64_t>::max();
  for (const Forbidden& next : forbidden_) {
    if (next.high <= above.offset) {
      continue;
    }
    if (const std::int64_t room = next.low - above.offset; room >= 0) {
      if (fit == Fit::First) {
        return above;
      }
      if (room < least_room) {
        least_room = room;
        best = above;
      }
    }
    above = {.offset = next.high, .below = next.block};
  }
  return least_room == std::numeric_limits<std::int64_t>::max() ? above : best;
}

const MemoryLayout* MemoryPlacer::place(std::span<const std::size_t> sequence, Fit fit, std::int64_t limit) {
  layout_.offsets.assign(overlaps_.blocks(), kNotPlaced);
  layout_.below.assign(overlaps_.blocks(), MemoryLayout::kNone);
  layout_.arena_bytes = 0;
  for (const std::size_t block : sequence) {
    const std::int64_t height = find_forbidden(block);
    const Place place = find_place(fit);
    layout_.offsets[block] = place.offset;
    layout_.below[block] = place.below;
    layout_.arena_bytes = std::max(layout_.arena_bytes, place.offset + height);
    if (layout_.arena_bytes > limit) {
      return nullptr;
    }
  }
  return &layout_;
}

}  // namespace foretell::passes
