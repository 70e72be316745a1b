// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/machine_state.hpp"

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/proc_stat.hpp"

namespace foretell::runtime {
namespace {

class ThisMachine final : public MachineState {
 public:
  explicit ThisMachine(cpu::Stream& stream) : stream_(stream) {
    const std::vector<int> processors = stream.processors();
    processors_.insert(processors.begin(), processors.end());
  }

  std::int64_t now_ns() override { return runtime::now_ns(); }
  std::int64_t blocked_ns() override { return stream_.blocked_ns(); }

  Disturbance disturbance_before() override {
    Disturbance total;
    total.involuntary_switches = stream_.involuntary_switches();
    total.steal_ticks = stolen();
    total.involuntary_switches += switches_of_this_thread();
    return total;
  }
  Disturbance disturbance_after() override {
    Disturbance total;
    total.involuntary_switches = switches_of_this_thread();
    total.steal_ticks = stolen();
    total.involuntary_switches += stream_.involuntary_switches();
    return total;
  }

  void wait(std::int64_t duration_ns) override {
    // The machine is busy: whoever disturbs us is given time to finish before the next attempt.
    std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns));
  }

 private:
  static std::int64_t switches_of_this_thread() {
    rusage usage = {};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
  }
  std::int64_t stolen() const {
    std::ifstream file("/proc/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return steal_ticks(text, processors_);
  }

  cpu::Stream& stream_;
  std::set<int> processors_;
};

}  // namespace

std::unique_ptr<MachineState> this_machine(cpu::Stream& stream) {
  return std::make_unique<ThisMachine>(stream);
}

}  // namespace foretell::runtime
