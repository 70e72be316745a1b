// SPDX-License-Identifier: Apache-2.0
// FNV-1a with 128 bits (Fowler, Noll, Vo; draft-eastlake-fnv, section 5): names cache entries and finds
// damage in them. Each step is a bijection of the state, so two texts that differ in one byte never have the
// same hash; for the rest a collision has probability 2^-128 a pair. It is not meant to withstand an
// attacker, who could write a matching hash into the file anyway: that nobody else may write to the cache is
// checked apart (kernel_cache.hpp). Nor may a collision of names hurt: an entry holds the whole text it was
// made from, and it is compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretell::codegen {

struct ContentHash {
  std::uint64_t high = 0x6c62272e07bb0142U;
  std::uint64_t low = 0x62b821756295c58dU;
  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

// The hash of `text`, or of `before` followed by `text` where the first is the hash of `before`.
ContentHash content_hash(std::string_view text, ContentHash before = {});
// 32 lower-case hexadecimal digits.
std::string to_string(const ContentHash& hash);

}  // namespace foretell::codegen
