// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "fusion-engine/probe/probes.hpp"

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
  const std::int64_t begin = now_ns();
  for (int i = 0; i < kCommands; ++i) {
    launch_empty(stream);
  }
  const std::int64_t end = now_ns();
  stream.synchronize();
  return static_cast<double>(end - begin) / kCommands;
}

// The team is held at a gate until all commands are there, so that the host's pace plays no part.
double drain_ns(Stream& stream, bool sync) {
  std::atomic<bool> open = sync;  // in sync form this thread would wait for itself
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
  const std::int64_t begin = now_ns();
  launch_empty(stream);
  stream.synchronize();
  return static_cast<double>(now_ns() - begin);
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_stream(runtime::cpu::CpuDevice& device, bool sync) {
  Stream& stream = *device.stream;
  std::vector<ProbedConstant> constants;
  constants.push_back(constant_of("enqueue_ns", "ns", take_samples([&] { return enqueue_ns(stream); }, {}),
                                  "host time of a launch into a ring with room"));
  constants.push_back(constant_of("drain_ns", "ns", take_samples([&] { return drain_ns(stream, sync); }, {}),
                                  "device time of an empty command behind others"));
  constants.push_back(constant_of("sync_ns", "ns", take_samples([&] { return sync_ns(stream); }, {}),
                                  "an empty command on an idle stream, and the host's wait for it"));
  return constants;
}

}  // namespace foretell::probe
