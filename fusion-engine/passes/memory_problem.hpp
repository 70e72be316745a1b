// SPDX-License-Identifier: Apache-2.0
// A memory problem made ready for planning.
#pragma once

#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::passes {

// Aborts unless the problem is as plan_memory expects it.
void require_legal(const MemoryProblem& problem);

// With all sizes in whole multiples of the alignment. Of the pairs in place those that are wanted, allowed
// and fit are left; in the order in which they are taken: the largest result first, in the smallest memory
// that it fits in.
MemoryProblem prepared(const MemoryProblem& problem, const MemoryPlanOptions& options);

// Whether all sizes together are a number, so that nothing that is added up later overflows.
bool fits_in_int64(const MemoryProblem& problem);

}  // namespace foretell::passes
