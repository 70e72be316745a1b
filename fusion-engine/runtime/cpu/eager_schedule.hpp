// SPDX-License-Identifier: Apache-2.0
// What the eager executor knows of a graph before it runs: order, last uses, and what happens to states.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::runtime::cpu {

struct EagerOp {
  const ir::Node* node = nullptr;
  std::size_t id = 0;
  std::size_t first_operand = 0;  // into EagerSchedule::operands
  std::size_t operand_count = 0;
  std::size_t first_release = 0;  // into EagerSchedule::releases
  std::size_t release_count = 0;
  std::optional<std::size_t> destination;  // input, by position, whose memory takes the result
};

// What is done with an output after the last op.
struct EagerOutput {
  std::size_t id = 0;
  std::optional<std::size_t> state;  // input, by position, that shows the output after the step
  // The value is in memory of a state that is about to be overwritten: it is first copied elsewhere.
  bool put_aside = false;
  bool copy_to_state = false;
};

// Nodes are numbers here: ids of the graph.
struct EagerSchedule {
  std::vector<EagerOp> ops;
  std::vector<std::size_t> operands;
  std::vector<std::size_t> releases;   // nodes whose memory no later op reads
  std::vector<std::size_t> kept;       // nodes whose memory outputs show until the next step
  std::vector<std::size_t> constants;  // live ones
  std::vector<EagerOutput> outputs;
};

// A state is written by the op itself, rather than copied, if that op makes new memory anyway; if no other op
// after it reads the state; if no output shows the old value; and if the op reads the state not at all, or as
// an elementwise op at the very index it writes, or as the operand whose rows it changes.
EagerSchedule make_eager_schedule(const ir::Graph& graph);

}  // namespace foretell::runtime::cpu
