// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/content_hash.hpp"

#include <fmt/format.h>

namespace foretell::codegen {

ContentHash content_hash(std::string_view text, ContentHash before) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88U) + 0x13bU;
  Wide state = (Wide{before.high} << 64U) | before.low;
  for (const char c : text) {
    state = (state ^ static_cast<unsigned char>(c)) * kPrime;
  }
  return {.high = static_cast<std::uint64_t>(state >> 64U), .low = static_cast<std::uint64_t>(state)};
}

std::string to_string(const ContentHash& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

}  // namespace foretell::codegen
