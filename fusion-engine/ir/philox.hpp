// SPDX-License-Identifier: Apache-2.0
// The counter-based generator of the random ops: Philox4x32-10 (Salmon et al., SC 2011, section 3.3).
//
// Element i of random_uniform(seed, counter) is word i % 4 of the block whose counter words are
// (i/4 low, i/4 high, counter low, counter high) and whose key is (seed low, seed high).
#pragma once

#include <array>
#include <cstdint>

namespace foretell::ir {

constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

// Uniform in [0, 1): the top 24 bits of the word, exact in f32 and f64 (narrower floats round it).
constexpr float random_uniform(std::uint64_t seed, std::uint64_t counter, std::uint64_t i) {
  const std::uint64_t block = i / 4;
  const auto words = philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32U),
                             static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U)},
                            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  return static_cast<float>(words[i % 4] >> 8U) * 0x1p-24F;
}

}  // namespace foretell::ir
