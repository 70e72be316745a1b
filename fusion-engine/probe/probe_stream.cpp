// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <utility>

#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/runtime/clock.hpp"

namespace foretell::probe {
namespace {

using runtime::cpu::Lane;
using runtime::cpu::Stream;

constexpr int kCommands = 256;  // a quarter of the ring: the host never waits for room
static_assert(kCommands < static_cast<int>(Stream::kCapacity));

void launch_empty(Stream& stream) {
  stream.launch([](const Lane&) {});
}

double enqueue_ns(Stream& stream) {
  const std::int64_t begin = runtime::now_ns();
  for (int i = 0; i < kCommands; ++i) {
    launch_empty(stream);
  }
  const std::int64_t end = runtime::now_ns();
  stream.synchronize();
  return static_cast<double>(end - begin) / kCommands;
}

// The team is held at a gate until all commands are there, so that the host's pace plays no part.
double drain_ns(Stream& stream) {
  std::atomic<bool> open = stream.one_lane();  // this thread would wait for itself
  std::atomic<bool>* const gate = &open;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  stream.launch([gate](const Lane&) {
    while (!gate->load(std::memory_order_acquire)) {
    }
  });
  stream.record_time(&begin);
  for (int i = 0; i < kCommands; ++i) {
    launch_empty(stream);
  }
  stream.record_time(&end);
  open.store(true, std::memory_order_release);
  stream.synchronize();
  return static_cast<double>(end - begin) / kCommands;
}

double sync_ns(Stream& stream) {
  const std::int64_t begin = runtime::now_ns();
  launch_empty(stream);
  stream.synchronize();
  return static_cast<double>(runtime::now_ns() - begin);
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_stream(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  Stream& stream = *device.stream;
  FORETELL_ASSIGN_OR_RETURN(auto enqueue, sampler.constant(
                                              "enqueue_ns", "ns", [&] { return enqueue_ns(stream); },
                                              "host time of a launch into a ring with room"));
  FORETELL_ASSIGN_OR_RETURN(auto drain, sampler.constant(
                                            "drain_ns", "ns", [&] { return drain_ns(stream); },
                                            "device time of an empty command behind others"));
  FORETELL_ASSIGN_OR_RETURN(auto waiting,
                            sampler.constant(
                                "sync_ns", "ns", [&] { return sync_ns(stream); },
                                "an empty command on an idle stream, and the host's wait for it"));
  return std::vector{std::move(enqueue), std::move(drain), std::move(waiting)};
}

}  // namespace foretell::probe
