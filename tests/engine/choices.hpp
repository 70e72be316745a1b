// SPDX-License-Identifier: Apache-2.0
// Random decisions that are the same everywhere: the standard's distributions differ between libraries.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "src/base/check.hpp"

namespace foretell::tests {

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : engine_(seed) {}

  // In [0, count).
  std::size_t below(std::size_t count) {
    FORETELL_CHECK(count > 0);
    return static_cast<std::size_t>(engine_() % count);
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace foretell::tests
