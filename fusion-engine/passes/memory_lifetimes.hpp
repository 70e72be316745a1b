// SPDX-License-Identifier: Apache-2.0
// When each buffer of an order is live, which take the memory of another, and how much is live at once. Sizes
// are taken as they are: rounding is done before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes {

// Positions in the order, both included.
struct Lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
};

// By buffer: from its writer to its last reader, to the end if it is kept.
std::vector<Lifetime> lifetimes_of(const MemoryProblem& problem, std::span<const std::size_t> order);

// Calls take(pair) for the pairs in place of a step that are taken, in their order: those whose `read` ends
// there, ends(read), and neither of whose buffers is in a pair before. `taken` is working memory.
template <class Ends, class Take>
void take_in_place(const MemoryStep& step, std::vector<MemoryStep::InPlace>& taken, Ends ends, Take take) {
  taken.clear();
  for (const MemoryStep::InPlace& pair : step.in_place) {
    const bool is_free = std::ranges::none_of(taken, [&](const MemoryStep::InPlace& other) {
      return other.read == pair.read || other.write == pair.write;
    });
    if (is_free && ends(pair.read)) {
      taken.push_back(pair);
      take(pair);
    }
  }
}

// (write, read) pairs of a problem that was prepared.
std::vector<std::pair<std::size_t, std::size_t>> choose_in_place(const MemoryProblem& problem,
                                                                 std::span<const std::size_t> order,
                                                                 std::span<const Lifetime> lifetimes);

// Those without which more than `max_live_bytes` would be live, given what is live with all of them, by
// position.
std::vector<std::pair<std::size_t, std::size_t>> needed_in_place(
    const MemoryProblem& problem, std::span<const Lifetime> lifetimes,
    std::span<const std::pair<std::size_t, std::size_t>> in_place, std::vector<std::int64_t> live,
    std::int64_t max_live_bytes);

// Something that takes one place in the arena: a buffer, or the scratch of a step. What is in place of
// another begins a position after that one's end, so that at no position both count.
struct Piece {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t bytes = 0;
};

// Pieces that share an offset, in time order, each no larger than the one before. One, but for chains of
// buffers in place of each other.
struct MemoryBlock {
  std::vector<Piece> pieces;
  std::vector<std::size_t> buffers;  // empty: scratch
  std::size_t step = 0;              // of scratch
};

std::vector<MemoryBlock> blocks_of(const MemoryProblem& problem, std::span<const std::size_t> order,
                                   std::span<const Lifetime> lifetimes,
                                   std::span<const std::pair<std::size_t, std::size_t>> in_place);

// By position.
std::vector<std::int64_t> live_bytes(std::span<const MemoryBlock> blocks, std::size_t positions);

}  // namespace foretell::passes
