// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/op_stamps.hpp"

#include <utility>

#include "fusion-engine/runtime/clock.hpp"
#include "src/base/check.hpp"

namespace foretell::runtime::cpu {
namespace {

std::int64_t bytes_of(const StepCounters& counters) { return counters.bytes_read + counters.bytes_written; }

}  // namespace

OpStamps::OpStamps(Stream& stream, std::size_t most) : stream_(stream), device_ns_(most + 1) {
  times_.reserve(most);
  stream_.record_time(device_ns_.data());
}

void OpStamps::begin(const StepCounters& counters) {
  begin_bytes_ = bytes_of(counters);
  begin_blocked_ns_ = stream_.blocked_ns();
  begin_ns_ = now_ns();
}

void OpStamps::end(ir::NodeId node, std::string name, const StepCounters& counters) {
  const std::int64_t end_ns = now_ns();
  FORETELL_CHECK(times_.size() + 1 < device_ns_.size());
  times_.push_back({.node = node,
                    .name = std::move(name),
                    .host_ns = end_ns - begin_ns_ - (stream_.blocked_ns() - begin_blocked_ns_),
                    .bytes = bytes_of(counters) - begin_bytes_});
  stream_.record_time(&device_ns_[times_.size()]);
}

std::vector<OpTime> OpStamps::times() {
  for (std::size_t i = 0; i < times_.size(); ++i) {
    times_[i].device_ns = device_ns_[i + 1] - device_ns_[i];
  }
  return std::move(times_);
}

}  // namespace foretell::runtime::cpu
