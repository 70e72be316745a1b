// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/machine_state.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "fusion-engine/runtime/proc_stat.hpp"

namespace foretell::runtime {
namespace {

class ThisMachine final : public MachineState {
 public:
  explicit ThisMachine(cpu::Stream& stream) : stream_(stream) {
    if (!stream.worker_cpus().empty()) {
      processors_.insert(stream.worker_cpus().begin(), stream.worker_cpus().end());
      processors_.insert(::sched_getcpu());
    }
  }

  std::int64_t now_ns() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  Disturbance disturbance() override {
    rusage usage = {};
    ::getrusage(RUSAGE_THREAD, &usage);
    std::ifstream file("/proc/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return {.involuntary_switches = usage.ru_nivcsw + stream_.involuntary_switches(),
            .steal_ticks = steal_ticks(text, processors_)};
  }

  void wait(std::int64_t duration_ns) override {
    // The machine is busy: whoever disturbs us is given time to finish before the next attempt.
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns));
  }

 private:
  cpu::Stream& stream_;
  std::set<int> processors_;
};

}  // namespace

std::unique_ptr<MachineState> this_machine(cpu::Stream& stream) {
  return std::make_unique<ThisMachine>(stream);
}

}  // namespace foretell::runtime
