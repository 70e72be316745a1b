// SPDX-License-Identifier: Apache-2.0
// Where an executor with planned memory keeps its intermediates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fusion-engine/passes/memory_plan.hpp"

namespace foretell::runtime {

struct MemoryLayout {
  enum class Kind : std::uint8_t { Intermediate, Output, Scratch };
  // Alive from the first step to the last, both counted. One whose place another takes ends a step before it.
  struct Block {
    std::string name;  // "%12", "scratch"
    std::size_t first_step = 0;
    std::size_t last_step = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    Kind kind = Kind::Intermediate;
  };
  std::vector<std::string> steps;  // in the order of execution
  std::vector<Block> blocks;
  passes::MemoryPlan plan;
};

}  // namespace foretell::runtime
