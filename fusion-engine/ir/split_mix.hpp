// SPDX-License-Identifier: Apache-2.0
// The random numbers that inputs are filled with: SplitMix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, OOPSLA 2014). Its state is a multiple of the increment, so any number of a
// sequence may be had at once.
#pragma once

#include <cstdint>

namespace foretell::ir {

// Number i, from 0 on, of the sequence of `seed`.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::int64_t i) {
  std::uint64_t z = seed + static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// Its top 53 bits as a number in [-1, 1). Exact, so a store to a narrower type rounds once. (Signed integers
// have a vector conversion to double on more machines than unsigned ones.)
constexpr double uniform(std::uint64_t seed, std::int64_t i) {
  return static_cast<double>(static_cast<std::int64_t>(random_bits(seed, i) >> 11U)) * 0x1p-52 - 1.0;
}

// In [low, high); the same as above where that is [-1, 1).
constexpr double uniform(std::uint64_t seed, std::int64_t i, double low, double high) {
  return low / 2 + high / 2 + (high / 2 - low / 2) * uniform(seed, i);
}

}  // namespace foretell::ir
