// SPDX-License-Identifier: Apache-2.0
// producers and consumers, and independent siblings -> one kernel, where data flow allows and bytes are
// saved.
#pragma once

#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::passes {

struct FuseOptions {
  // Bytes a core's private cache keeps for one unit of work: a reduction whose row fits is read from memory
  // once and then from cache. `probed` or taken from the operating system by the caller.
  std::int64_t private_cache_bytes = 1 << 20;
  std::size_t max_nodes = 64;  // per kernel: bounds register pressure and compile time
  bool horizontal = true;      // also fuse independent siblings
};

// After the pipeline: assumes no composite ops and no dead nodes.
FusionPlan fuse(const ir::Graph& graph, const FuseOptions& options = {});

}  // namespace foretell::passes
