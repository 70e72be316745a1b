// SPDX-License-Identifier: Apache-2.0
// Which blocks of a memory problem are live together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "fusion-engine/passes/memory_lifetimes.hpp"

namespace foretell::passes {

// By piece, since the pieces of a block are of several sizes; pieces of no bytes are left out.
class MemoryOverlaps {
 public:
  explicit MemoryOverlaps(std::span<const MemoryBlock> blocks);

  struct Placed {
    std::size_t block = 0;
    Piece piece;
  };

  [[nodiscard]] std::size_t blocks() const { return first_of_block_.size() - 1; }
  // Of pieces that meet, each from both sides.
  [[nodiscard]] std::int64_t pairs() const { return std::ssize(met_); }
  // The numbers of the pieces of a block are [first_of(block), first_of(block + 1)).
  [[nodiscard]] std::size_t first_of(std::size_t block) const { return first_of_block_[block]; }
  [[nodiscard]] const Placed& piece(std::size_t number) const { return pieces_[number]; }
  // Pieces of other blocks that are live at a position where this one is.
  [[nodiscard]] std::span<const std::uint32_t> met_by(std::size_t number) const {
    return std::span(met_).subspan(first_met_[number], first_met_[number + 1] - first_met_[number]);
  }

 private:
  std::vector<Placed> pieces_;
  std::vector<std::size_t> first_of_block_;
  std::vector<std::uint32_t> met_;
  std::vector<std::size_t> first_met_;
};

}  // namespace foretell::passes
