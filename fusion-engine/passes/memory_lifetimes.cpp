// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_lifetimes.hpp"

#include <algorithm>
#include <limits>

namespace foretell::passes {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

std::vector<Lifetime> lifetimes_of(const MemoryProblem& problem, std::span<const std::size_t> order) {
  std::vector<Lifetime> lifetimes(problem.buffer_bytes.size());
  for (std::size_t position = 0; position < order.size(); ++position) {
    const MemoryStep& step = problem.steps[order[position]];
    for (const std::size_t buffer : step.writes) {
      lifetimes[buffer] = {.first = position, .last = problem.kept[buffer] ? order.size() - 1 : position};
    }
    for (const std::size_t buffer : step.reads) {
      lifetimes[buffer].last = std::max(lifetimes[buffer].last, position);
    }
  }
  return lifetimes;
}

std::vector<std::pair<std::size_t, std::size_t>> choose_in_place(const MemoryProblem& problem,
                                                                 std::span<const std::size_t> order,
                                                                 std::span<const Lifetime> lifetimes) {
  std::vector<std::pair<std::size_t, std::size_t>> chosen;
  std::vector<MemoryStep::InPlace> taken;
  for (std::size_t position = 0; position < order.size(); ++position) {
    take_in_place(
        problem.steps[order[position]], taken,
        [&](std::size_t buffer) { return lifetimes[buffer].last == position; },
        [&](const MemoryStep::InPlace& pair) { chosen.emplace_back(pair.write, pair.read); });
  }
  return chosen;
}

std::vector<std::pair<std::size_t, std::size_t>> needed_in_place(
    const MemoryProblem& problem, std::span<const Lifetime> lifetimes,
    std::span<const std::pair<std::size_t, std::size_t>> in_place, std::vector<std::int64_t> live,
    std::int64_t max_live_bytes) {
  std::vector<std::pair<std::size_t, std::size_t>> needed;
  for (const auto& pair : in_place) {
    std::int64_t& here = live[lifetimes[pair.first].first];
    if (const std::int64_t apart = here + problem.buffer_bytes[pair.first]; apart <= max_live_bytes) {
      here = apart;
    } else {
      needed.push_back(pair);
    }
  }
  return needed;
}

std::vector<MemoryBlock> blocks_of(const MemoryProblem& problem, std::span<const std::size_t> order,
                                   std::span<const Lifetime> lifetimes,
                                   std::span<const std::pair<std::size_t, std::size_t>> in_place) {
  std::vector<std::size_t> next(problem.buffer_bytes.size(), kNone);
  std::vector<bool> begins(problem.buffer_bytes.size(), true);
  for (const auto& [write, read] : in_place) {
    next[read] = write;
    begins[write] = false;
  }
  std::vector<MemoryBlock> blocks;
  for (std::size_t root = 0; root < begins.size(); ++root) {
    if (!begins[root]) {
      continue;
    }
    MemoryBlock block;
    for (std::size_t buffer = root; buffer != kNone; buffer = next[buffer]) {
      const Lifetime& life = lifetimes[buffer];
      block.buffers.push_back(buffer);
      const std::size_t first = buffer == root ? life.first : life.first + 1;
      if (first <= life.last) {
        block.pieces.push_back({.first = first, .last = life.last, .bytes = problem.buffer_bytes[buffer]});
      }
    }
    blocks.push_back(std::move(block));
  }
  for (std::size_t position = 0; position < order.size(); ++position) {
    const std::int64_t bytes = problem.steps[order[position]].scratch_bytes;
    if (bytes > 0) {
      blocks.push_back({.pieces = {{.first = position, .last = position, .bytes = bytes}},
                        .buffers = {},
                        .step = order[position]});
    }
  }
  return blocks;
}

std::vector<std::int64_t> live_bytes(std::span<const MemoryBlock> blocks, std::size_t positions) {
  std::vector<std::int64_t> live(positions + 1, 0);
  for (const MemoryBlock& block : blocks) {
    for (const Piece& piece : block.pieces) {
      live[piece.first] += piece.bytes;
      live[piece.last + 1] -= piece.bytes;
    }
  }
  for (std::size_t position = 1; position < positions; ++position) {
    live[position] += live[position - 1];
  }
  live.resize(positions);
  return live;
}

}  // namespace foretell::passes
