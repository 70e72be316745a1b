// SPDX-License-Identifier: Apache-2.0
// Runs one op the eager way: check, allocate the result, launch. Used by the eager executor for all ops and
// by the fused one for those that no kernel took.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

class Dispatcher {
 public:
  Dispatcher(CpuDevice& device, const ir::Graph& graph);  // both outlive it
  ~Dispatcher();                                          // after all commands: they point to what it keeps

  // The result of node `id` over `operands`. A view shares its operand's memory (owned is false) unless the
  // layout does not allow it; else memory of the result is the allocator's, to be released by the caller.
  struct Dispatched {
    Tensor tensor;
    bool owned = true;
  };
  // `destination`: write the dense result there instead of allocating (state updated in place). Errors, all
  // with the graph's name and the node's id as `where`: BadInput where the shape check failed (our bug),
  // Unsupported for an op without a kernel or a library's refusal.
  Result<Dispatched> dispatch(ir::NodeId id, std::span<const Tensor> operands,
                              std::byte* destination = nullptr);

  StepCounters& counters();
  // What kernels reported since the last call, none of it being kept; after synchronize(). Errors: BadInput
  // for an index out of range, of the first node in the order of ids that met one, and its lowest position;
  // Environment for a library's failure.
  Result<void> take_error();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretell::runtime::cpu
