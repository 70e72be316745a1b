// SPDX-License-Identifier: Apache-2.0
// Better offsets by changing the sequence in which blocks are placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fusion-engine/passes/memory_overlaps.hpp"
#include "fusion-engine/passes/memory_placer.hpp"

namespace foretell::passes {

using MemorySequence = std::vector<std::size_t>;  // blocks

// Hill climbing: of the pile of blocks that reaches the arena's end, one swaps its turn with a block that is
// placed before it and is live with it; the swap stays unless the arena grows. Choices are drawn from a fixed
// seed. Ends at an arena of `good_enough`, or when about `budget` pairs of pieces were looked at. Returns the
// last sequence, for Fit::First.
MemorySequence search_sequence(const MemoryOverlaps& overlaps, MemorySequence sequence,
                               std::int64_t good_enough, std::int64_t budget);

}  // namespace foretell::passes
