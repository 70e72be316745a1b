// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_offsets_search.hpp"

#include <algorithm>

#include "fusion-engine/ir/split_mix.hpp"

namespace foretell::passes {
namespace {

constexpr std::uint64_t kSeed = 1;

class LayoutSearch {
 public:
  LayoutSearch(const MemoryOverlaps& overlaps, MemorySequence sequence)
      : overlaps_(overlaps), placer_(overlaps), sequence_(std::move(sequence)), turn_(overlaps.blocks()) {
    for (std::size_t turn = 0; turn < sequence_.size(); ++turn) {
      turn_[sequence_[turn]] = turn;
    }
    layout_ = *placer_.place(sequence_, Fit::First);
  }

  MemorySequence run(std::int64_t good_enough, std::int64_t budget) {
    while (layout_.arena_bytes > good_enough && placer_.looked_at() + drawn_ < budget) {
      const std::size_t block = any_of(pile());
      find_earlier(block);
      if (earlier_.empty()) {
        continue;
      }
      const std::size_t other = any_of(earlier_);
      swap_turns(block, other);
      if (const MemoryLayout* layout = placer_.place(sequence_, Fit::First, layout_.arena_bytes)) {
        layout_ = *layout;
      } else {
        swap_turns(block, other);
      }
    }
    return std::move(sequence_);
  }

 private:
  std::size_t any_of(const std::vector<std::size_t>& blocks) {
    return blocks[static_cast<std::size_t>(ir::random_bits(kSeed, drawn_++) % blocks.size())];
  }

  // A block that ends with the arena, the one it lies on, and so on to the bottom.
  std::vector<std::size_t> pile() {
    std::vector<std::size_t> tops;
    for (std::size_t number = 0; number < overlaps_.first_of(overlaps_.blocks()); ++number) {
      const auto& [block, piece] = overlaps_.piece(number);
      if (layout_.offsets[block] + piece.bytes == layout_.arena_bytes) {
        tops.push_back(block);
      }
    }
    std::vector<std::size_t> result;
    for (std::size_t block = any_of(tops); block != MemoryLayout::kNone; block = layout_.below[block]) {
      result.push_back(block);
    }
    return result;
  }

  void find_earlier(std::size_t block) {
    earlier_.clear();
    for (std::size_t own = overlaps_.first_of(block); own < overlaps_.first_of(block + 1); ++own) {
      for (const std::uint32_t met : overlaps_.met_by(own)) {
        const std::size_t other = overlaps_.piece(met).block;
        if (turn_[other] < turn_[block]) {
          earlier_.push_back(other);
        }
      }
    }
  }

  void swap_turns(std::size_t a, std::size_t b) {
    std::swap(sequence_[turn_[a]], sequence_[turn_[b]]);
    std::swap(turn_[a], turn_[b]);
  }

  const MemoryOverlaps& overlaps_;
  MemoryPlacer placer_;
  MemorySequence sequence_;
  std::vector<std::size_t> turn_;  // by block
  MemoryLayout layout_;            // of the sequence
  std::vector<std::size_t> earlier_;
  std::int64_t drawn_ = 0;
};

}  // namespace

MemorySequence search_sequence(const MemoryOverlaps& overlaps, MemorySequence sequence,
                               std::int64_t good_enough, std::int64_t budget) {
  return LayoutSearch(overlaps, std::move(sequence)).run(good_enough, budget);
}

}  // namespace foretell::passes
