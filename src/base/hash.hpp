// SPDX-License-Identifier: Apache-2.0
// FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv, section 5): the same on every machine and in
// every build, which std::hash does not promise. For tables and seeds; where a collision would do harm,
// codegen/content_hash.hpp has 128 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretell {

inline constexpr std::uint64_t kEmptyHash = 0xCBF29CE484222325U;

// The hash of what `before` is the hash of, with `next` behind it: a byte, or a whole number taken at once,
// whose high bits reach the high bits of the hash only.
constexpr std::uint64_t fnv1a(std::uint64_t next, std::uint64_t before) {
  return (before ^ next) * 0x100000001B3U;
}

constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = kEmptyHash) {
  for (const char c : text) {
    before = fnv1a(static_cast<unsigned char>(c), before);
  }
  return before;
}

}  // namespace foretell
