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
  explicit Dispatcher(CpuDevice& device);
  ~Dispatcher();  // after all commands: they point to what it keeps
  Dispatcher(Dispatcher&&) noexcept;

  // The result of `node` over `operands`. A view shares its operand's memory (owned is false) unless the
  // layout does not allow it; else memory of the result is the allocator's, to be released by the caller.
  struct Dispatched {
    Tensor tensor;
    bool owned = true;
  };
  // `destination`: write the dense result there instead of allocating (state updated in place). Nodes outlive
  // the dispatcher: what is known of them is kept by address. Errors: shape check failed (our bug or a
  // changed graph), a library's refusal.
  Result<Dispatched> dispatch(const ir::Node& node, std::span<const Tensor> operands,
                              std::byte* destination = nullptr);

  StepCounters& counters();
  // What kernels reported since the last call; after synchronize(). Errors: BadInput for an index out of
  // range, Environment for a library's failure.
  Result<void> take_error();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretell::runtime::cpu
