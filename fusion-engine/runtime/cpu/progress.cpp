// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/progress.hpp"

#include <chrono>

namespace foretell::runtime::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Tells the core that this is a wait, so that its other thread may run faster.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace

bool Progress::spin(std::uint64_t target, std::int64_t spin_ns) const {
  constexpr int kLooksPerClock = 16;  // a pause takes 10 to 50 ns, reading the clock 15 to 30
  if (spin_ns <= 0) {
    return false;
  }
  const Clock::time_point deadline = Clock::now() + std::chrono::nanoseconds(spin_ns);
  do {
    for (int look = 0; look < kLooksPerClock; ++look) {
      if (get() >= target) {
        return true;
      }
      relax();
    }
  } while (Clock::now() < deadline);
  return false;
}

void Progress::park(std::uint64_t target) {
  for (;;) {
    const std::uint32_t epoch = epoch_.load();
    std::uint64_t parked_for = parked_for_.load();
    while (parked_for > target && !parked_for_.compare_exchange_weak(parked_for, target)) {
    }
    if (value_.load() >= target) {
      return;  // who advances next wakes nobody for nothing, once
    }
    epoch_.wait(epoch);
  }
}

// Wakes all: who waits for more parks again.
void Progress::wake() {
  parked_for_.store(kNobody);
  epoch_.fetch_add(1);
  epoch_.notify_all();
}

}  // namespace foretell::runtime::cpu
