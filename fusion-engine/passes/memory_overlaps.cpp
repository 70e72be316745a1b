// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_overlaps.hpp"

#include <algorithm>
#include <numeric>

namespace foretell::passes {

MemoryOverlaps::MemoryOverlaps(std::span<const MemoryBlock> blocks) {
  first_of_block_.push_back(0);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    for (const Piece& piece : blocks[block].pieces) {
      if (piece.bytes > 0) {
        pieces_.push_back({.block = block, .piece = piece});
      }
    }
    first_of_block_.push_back(pieces_.size());
  }
  std::vector<std::uint32_t> by_first(pieces_.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  std::ranges::stable_sort(by_first, {}, [&](std::uint32_t i) { return pieces_[i].piece.first; });

  const auto for_each_pair = [&](auto visit) {
    std::vector<std::uint32_t> live;
    for (const std::uint32_t one : by_first) {
      std::erase_if(
          live, [&](std::uint32_t other) { return pieces_[other].piece.last < pieces_[one].piece.first; });
      for (const std::uint32_t other : live) {
        if (pieces_[other].block != pieces_[one].block) {
          visit(one, other);
          visit(other, one);
        }
      }
      live.push_back(one);
    }
  };
  first_met_.resize(pieces_.size() + 1, 0);
  for_each_pair([&](std::uint32_t one, std::uint32_t) { ++first_met_[one + 1]; });
  std::partial_sum(first_met_.begin(), first_met_.end(), first_met_.begin());
  met_.resize(first_met_.back());
  std::vector<std::size_t> next = first_met_;
  for_each_pair([&](std::uint32_t one, std::uint32_t other) { met_[next[one]++] = other; });
}

}  // namespace foretell::passes
