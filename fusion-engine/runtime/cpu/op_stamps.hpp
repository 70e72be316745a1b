// SPDX-License-Identifier: Apache-2.0
// What Executor::time_ops records: time stamps of host and stream between the ops of a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/stream.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

class OpStamps {
 public:
  // For at most `most` ops. The stream writes into it: it lives until all has run.
  OpStamps(Stream& stream, std::size_t most);
  OpStamps(const OpStamps&) = delete;
  OpStamps& operator=(const OpStamps&) = delete;

  // Around what enqueues an op. `counters` are the step's so far.
  void begin(const StepCounters& counters);
  void end(ir::NodeId node, std::string name, const StepCounters& counters);
  // After synchronize(), once. An op's device time is that between its end and the end of the one before.
  std::vector<OpTime> times();

 private:
  Stream& stream_;
  std::vector<std::int64_t> device_ns_;  // never grows: the stream has the addresses
  std::vector<OpTime> times_;
  std::int64_t begin_ns_ = 0;
  std::int64_t begin_blocked_ns_ = 0;
  std::int64_t begin_bytes_ = 0;
};

}  // namespace foretell::runtime::cpu
