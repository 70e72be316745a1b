// SPDX-License-Identifier: Apache-2.0
// Arithmetic on extents, which are not negative.
#pragma once

#include <cstdint>

namespace foretell::codegen {

constexpr std::int64_t divide_up(std::int64_t extent, std::int64_t block) {
  return (extent + block - 1) / block;
}
// To a multiple of `block`.
constexpr std::int64_t round_up(std::int64_t extent, std::int64_t block) {
  return divide_up(extent, block) * block;
}

}  // namespace foretell::codegen
