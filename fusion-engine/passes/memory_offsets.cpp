// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_offsets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "fusion-engine/passes/memory_offsets_search.hpp"
#include "fusion-engine/passes/memory_overlaps.hpp"

namespace foretell::passes {
namespace {

// Pairs of pieces that are looked at: two tenths of a second or so.
constexpr std::int64_t kSearchBudget = std::int64_t{1} << 23;
constexpr std::int64_t kLeastLayouts = 16;  // that a search sees, else it hardly finds anything

double bytes_of(const MemoryBlock& block) { return static_cast<double>(block.pieces.front().bytes); }
double first_of(const MemoryBlock& block) { return static_cast<double>(block.pieces.front().first); }
double lifetime_of(const MemoryBlock& block) {
  return static_cast<double>(block.pieces.back().last - block.pieces.front().first + 1);
}

// What is largest is placed first.
using Priority = double (*)(const MemoryBlock&);
constexpr std::array<Priority, 5> kPriorities{
    bytes_of,
    [](const MemoryBlock& block) { return bytes_of(block) * std::sqrt(lifetime_of(block)); },
    [](const MemoryBlock& block) { return bytes_of(block) * lifetime_of(block); },
    lifetime_of,
    [](const MemoryBlock& block) { return -first_of(block); },
};

MemorySequence sequence_by(std::span<const MemoryBlock> blocks, Priority priority) {
  MemorySequence sequence(blocks.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  std::ranges::stable_sort(sequence, std::greater{},
                           [&](std::size_t block) { return priority(blocks[block]); });
  return sequence;
}

std::int64_t layouts_within(std::int64_t budget, const MemoryOverlaps& overlaps) {
  return budget / (1 + overlaps.pairs());
}

class LayoutChoice {
 public:
  LayoutChoice(std::span<const MemoryBlock> blocks, std::int64_t max_live_bytes)
      : blocks_(blocks),
        good_enough_(good_enough_bytes(max_live_bytes)),
        margin_(good_enough_ - max_live_bytes),
        overlaps_(blocks) {
    best_.arena_bytes = std::numeric_limits<std::int64_t>::max();
  }

  [[nodiscard]] bool is_good_enough() const { return best_.arena_bytes <= good_enough_; }

  void try_all_sequences() {
    for (const Priority priority : kPriorities) {
      sequences_.push_back(sequence_by(blocks_, priority));
      for (const Fit fit : {Fit::First, Fit::Best}) {
        if (!is_good_enough() && placer_.looked_at() < kSearchBudget && place(sequences_.back(), fit)) {
          std::swap(sequences_.front(), sequences_.back());
        }
      }
    }
  }

  // First without the blocks smaller than the margin, which fill what the others leave: that is a lot less
  // work. Then with all, from the best of what was found.
  void search() {
    std::vector<MemoryBlock> large(blocks_.begin(), blocks_.end());
    for (MemoryBlock& block : large) {
      if (is_small(block)) {
        block.pieces.clear();
      }
    }
    const MemoryOverlaps overlaps(large);
    const std::int64_t searches = std::clamp<std::int64_t>(
        layouts_within(kSearchBudget, overlaps) / kLeastLayouts, 1, std::ssize(sequences_));
    const MemorySequence by_size = sequence_by(blocks_, bytes_of);
    MemorySequence best = sequences_.front();
    for (auto sequence = sequences_.begin(); sequence != sequences_.begin() + searches && !is_good_enough();
         ++sequence) {
      std::erase_if(*sequence, [&](std::size_t block) { return is_small(blocks_[block]); });
      MemorySequence found =
          search_sequence(overlaps, std::move(*sequence), good_enough_, kSearchBudget / searches);
      std::ranges::copy_if(by_size, std::back_inserter(found),
                           [&](std::size_t block) { return is_small(blocks_[block]); });
      if (place(found, Fit::First)) {
        best = std::move(found);
      }
    }
    if (!is_good_enough() && layouts_within(kSearchBudget, overlaps_) >= kLeastLayouts) {
      place(search_sequence(overlaps_, std::move(best), good_enough_, kSearchBudget), Fit::First);
    }
  }

  MemoryLayout take() { return std::move(best_); }

 private:
  [[nodiscard]] bool is_small(const MemoryBlock& block) const {
    return block.pieces.front().bytes <= margin_;
  }

  bool place(const MemorySequence& sequence, Fit fit) {
    const MemoryLayout* layout = placer_.place(sequence, fit, best_.arena_bytes - 1);
    if (layout != nullptr) {
      best_ = *layout;
    }
    return layout != nullptr;
  }

  std::span<const MemoryBlock> blocks_;
  std::int64_t good_enough_;
  std::int64_t margin_;
  MemoryOverlaps overlaps_;
  MemoryPlacer placer_{overlaps_};
  MemoryLayout best_;
  std::vector<MemorySequence> sequences_;  // that of the best layout first
};

}  // namespace

MemoryLayout place_blocks(std::span<const MemoryBlock> blocks, std::int64_t max_live_bytes, Effort effort) {
  LayoutChoice choice(blocks, max_live_bytes);
  choice.try_all_sequences();
  if (effort == Effort::Search && !choice.is_good_enough()) {
    choice.search();
  }
  return choice.take();
}

}  // namespace foretell::passes
