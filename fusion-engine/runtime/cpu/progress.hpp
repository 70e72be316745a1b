// SPDX-License-Identifier: Apache-2.0
// A count that only grows, and threads that wait for it: they spin for a while, then park (futex). The stream
// is built of these.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "src/base/check.hpp"

namespace foretell::runtime::cpu {

// How long to spin before parking. A parked thread costs the one that wakes it about 10 us (the system call
// and the interrupt to the other core) and comes back about 25 us later: medians on a two-core virtual
// machine, the 90th percentile being 12 and 45 us. Spinning for as long as parking would cost loses at most a
// factor of two against knowing the future (Karlin et al., SODA 1990), so: about the sum of both.
inline constexpr std::int64_t kSpinNs = 50'000;

class Progress {
 public:
  // What was written before the count was advanced to a value is visible to who has seen that value.
  std::uint64_t get() const { return value_.load(std::memory_order_acquire); }

  // One thread at a time; `value` is larger than before. A system call only if somebody parked is waiting for
  // it.
  void advance(std::uint64_t value) {
    const std::uint64_t before = value_.exchange(value);
    FORETELL_CHECK(before < value);
    if (value >= parked_for_.load()) {
      wake();
    }
  }

  // Until the count has reached `target`. Spins for about `spin_ns` first; 0 parks at once.
  void wait(std::uint64_t target, std::int64_t spin_ns) {
    if (get() < target && !spin(target, spin_ns)) {
      park(target);
    }
  }

 private:
  static constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

  bool spin(std::uint64_t target, std::int64_t spin_ns) const;
  void park(std::uint64_t target);
  void wake();

  // All three in total order: either the waiter's check sees the new value, or the other side sees that it
  // waits.
  alignas(64) std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint64_t> parked_for_{kNobody};  // smallest target of those that are parked
  std::atomic<std::uint32_t> epoch_{0};             // changes with each wake-up: what the kernel compares
};

}  // namespace foretell::runtime::cpu
