// SPDX-License-Identifier: Apache-2.0
// A program with all that can be known before it runs: which memory each step reads and writes, when
// memory is released, what is copied at the end. A slot is a piece of memory whose address may change from
// step to step: slot i is that of node i, the ones after the nodes are for copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/runtime/cpu/program.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// A value in the memory of a slot. `layout.data` is empty.
struct Reading {
  std::size_t slot = 0;
  std::int64_t offset_bytes = 0;
  Tensor layout;
};

struct ProgramStep {
  passes::PlanStep planned;            // an op or a kernel of the plan
  std::string name;                    // "matmul", "fused0(add, relu)"
  std::vector<std::size_t> reads;      // slots; of a kernel by input, of an op by operand
  std::vector<std::size_t> results;    // slots; of a kernel by output
  std::vector<std::size_t> allocates;  // of the results, but for those in a state's memory
  std::size_t scratch_bytes = 0;       // of a kernel
  std::vector<Reading> operands;       // of an op
  std::vector<std::size_t> releases;   // slots used here for the last time
  std::int64_t bytes_read = 0;         // of a kernel
  std::int64_t bytes_written = 0;

  bool is_kernel() const { return planned.kind == passes::PlanStep::Kind::Kernel; }
};

// Of a value to a dense slot, at the end of a step.
struct FinalCopy {
  Reading from;
  std::size_t to = 0;
  bool allocates = false;
};

struct ProgramSteps {
  std::vector<ProgramStep> steps;
  // In order: old values of states that are shown or go to another state are put aside, then states are
  // updated.
  std::vector<FinalCopy> copies;
  std::vector<Reading> outputs;                              // by position; of a state, the state
  std::vector<std::size_t> kept;                             // slots released when the next step begins
  std::vector<std::size_t> slot_bytes;                       // by slot
  std::vector<std::pair<std::size_t, std::size_t>> aliases;  // (slot, state's slot): written in place
  std::vector<ir::NodeId> constants;                         // that something reads from memory
};

ProgramSteps resolve_steps(const Program& program);

}  // namespace foretell::runtime::cpu
