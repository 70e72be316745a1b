// SPDX-License-Identifier: Apache-2.0
// Gives blocks their offsets, one after another, in a sequence that is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "fusion-engine/passes/memory_overlaps.hpp"

namespace foretell::passes {

enum class Fit : std::uint8_t {
  First,  // the lowest offset that is free
  Best,   // the smallest gap between others that is large enough, else above them
};

struct MemoryLayout {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::vector<std::int64_t> offsets;  // by block
  std::vector<std::size_t> below;     // by block: the one on which it lies; kNone: at the bottom
  std::int64_t arena_bytes = 0;
};

class MemoryPlacer {
 public:
  // `overlaps` must outlive it.
  explicit MemoryPlacer(const MemoryOverlaps& overlaps) : overlaps_(overlaps) {}

  // Nothing if the arena would be above `limit`; the layout is then of no use.
  const MemoryLayout* place(std::span<const std::size_t> sequence, Fit fit,
                            std::int64_t limit = std::numeric_limits<std::int64_t>::max());

  // Pairs of pieces that were looked at so far: the measure of its work.
  [[nodiscard]] std::int64_t looked_at() const { return looked_at_; }

 private:
  // Offsets at which the block in hand would overlap with `block`: low < offset < high.
  struct Forbidden {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::size_t block = 0;
  };

  struct Place {
    std::int64_t offset = 0;
    std::size_t below = MemoryLayout::kNone;
  };

  std::int64_t find_forbidden(std::size_t block);
  [[nodiscard]] Place find_place(Fit fit) const;

  const MemoryOverlaps& overlaps_;
  MemoryLayout layout_;
  std::vector<Forbidden> forbidden_;
  std::int64_t looked_at_ = 0;
};

}  // namespace foretell::passes
