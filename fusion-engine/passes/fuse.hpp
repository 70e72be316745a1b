// SPDX-License-Identifier: Apache-2.0
// producers and consumers, and independent siblings -> one kernel, where data flow allows and bytes are
// saved.
#pragma once

#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::passes {

struct FuseOptions {
  // Bytes a core's private cache keeps for one unit of work: a reduction whose row fits is read from memory
  // once and then from cache. Probed or taken from the operating system by the caller; without, 1 MiB is
  // assumed, the size of a second-level cache of server cores since 2017 (Skylake-SP, Zen 4; others have 0.5
  // to 2).
  std::int64_t private_cache_bytes = 1 << 20;
  // Ops of a kernel: bounds register pressure and compile time. Assumed, not measured: four times the 16
  // vector registers of AVX2; whole layers (norm, activation, residual, optimizer step) have up to about 40
  // ops.
  std::size_t max_nodes = 64;
  bool horizontal = true;  // also fuse independent siblings
};

// After the pipeline: assumes no composite ops and no dead nodes.
FusionPlan fuse(const ir::Graph& graph, const FuseOptions& options = {});

}  // namespace foretell::passes
