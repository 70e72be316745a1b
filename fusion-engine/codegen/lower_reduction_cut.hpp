// SPDX-License-Identifier: Apache-2.0
// How a reduction's space is cut into units. Depends on shapes alone, so that results do not depend on the
// team.
#pragma once

#include <cstdint>

#include "fusion-engine/codegen/lower_nest.hpp"

namespace foretell::codegen {

struct ReductionCut {
  bool columns = false;    // the lanes walk the axes behind the reduced ones
  std::int64_t tile = 1;   // columns of a unit: whole vectors, or all
  std::int64_t rows = 1;   // steps of the last outer dimension in a unit
  bool split = false;      // the first reduced dimension is cut into chunks, too
  std::int64_t chunk = 0;  // its steps in a chunk: whole vectors
  std::int64_t chunks = 1;
};

ReductionCut cut_reduction(const Nest& nest, int lanes);

}  // namespace foretell::codegen
