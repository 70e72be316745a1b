// SPDX-License-Identifier: Apache-2.0
// Kernels that reduce. Two schedules:
//   rows     trailing axes are reduced: the lanes walk along them, each with accumulators of its own, and
//            are combined at the end of each walk.
//   columns  axes behind the reduced ones stay: the lanes walk those, a tile at a time, with accumulators
//            in memory.
// Either may be split when there are few units and much to reduce: chunks of the reduced axes are units too,
// each walk is a stage and leaves one partial result per chunk. Chunks depend on shapes alone, so results do
// not depend on the team.
#pragma once

#include <string>
#include <vector>

#include "fusion-engine/codegen/lower_emitter.hpp"
#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

// In words, for the kernel's comment.
struct ReductionSchedule {
  std::string all;
  std::vector<std::string> stages;  // what each does; empty if there is one
};

// Appends the stages.
ReductionSchedule lower_reduction(Emitter& emitter, ir::loop::Kernel& kernel);

}  // namespace foretell::codegen
