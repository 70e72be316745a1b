// SPDX-License-Identifier: Apache-2.0
// What all executors share: they run the steps of one graph over the same inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/memory_layout.hpp"
#include "src/base/result.hpp"

namespace foretell::runtime {

// Of one step.
struct StepCounters {
  std::int64_t dispatches = 0;  // ops or kernels the host went through
  std::int64_t launches = 0;    // commands given to the stream; of a replay one a segment
  std::int64_t replayed = 0;    // commands within replays
  std::int64_t allocations = 0;
  std::int64_t system_allocations = 0;
  std::int64_t bytes_read = 0;       // operands of all launches (each once per launch)
  std::int64_t bytes_written = 0;    // results of all launches
  std::int64_t bytes_converted = 0;  // of those: reading and writing for a library's missing dtype
};

struct OpTime {
  ir::NodeId node{};  // the op, or the last node of a fused kernel
  std::string name;   // "matmul", "fused0(add, relu)"
  std::int64_t device_ns = 0;
  std::int64_t host_ns = 0;  // of enqueueing it, without waits for the device
  std::int64_t bytes = 0;    // read and written
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual std::string_view name() const = 0;  // "eager", "full"
  // States back to what the inputs began with, so that steps can be repeated; waits for pending ones.
  virtual void reset() {}
  // Enqueues one step. Results are there after synchronize(); they live until the next step.
  // Errors (BadInput): an index out of range is found by the kernel and reported by synchronize() instead.
  virtual Result<void> step() = 0;
  virtual Result<void> synchronize() = 0;
  virtual ir::HostTensor output(std::size_t index) const = 0;     // after synchronize(); a copy
  virtual StepCounters counters() const = 0;                      // of the last step
  virtual const MemoryLayout* memory() const { return nullptr; }  // of planned memory
  // One step with a time stamp between ops: slower than step(), so its sum is not a step's time. Copies into
  // states at the step's end are one row, the last, if there are any.
  virtual Result<std::vector<OpTime>> time_ops() = 0;
};

}  // namespace foretell::runtime
