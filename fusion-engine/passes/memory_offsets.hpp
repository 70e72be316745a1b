// SPDX-License-Identifier: Apache-2.0
// Offsets in an arena for blocks of known lifetimes (dynamic storage allocation; finding the smallest arena
// is NP-hard: Garey and Johnson, problem SR2).
#pragma once

#include <cstdint>
#include <span>

#include "fusion-engine/passes/memory_lifetimes.hpp"
#include "fusion-engine/passes/memory_placer.hpp"

namespace foretell::passes {

// A hundredth above what is live at once at most: better is not looked for.
constexpr std::int64_t good_enough_bytes(std::int64_t max_live_bytes) {
  return max_live_bytes + max_live_bytes / 100;
}

enum class Effort : std::uint8_t {
  Sequences,  // several sequences of placing (by size, by size times lifetime, ...); the smallest arena is
              // taken
  Search,     // where that is not good enough, a search of bounded work from there on
};

MemoryLayout place_blocks(std::span<const MemoryBlock> blocks, std::int64_t max_live_bytes, Effort effort);

}  // namespace foretell::passes
