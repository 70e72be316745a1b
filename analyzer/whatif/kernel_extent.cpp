// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_extent.hpp"

#include <cmath>

namespace foretell::whatif {
namespace {

// Where read_elementwise_traits() leaves the elements of a thread open: a sixteenth of the block's threads,
// or a half or a quarter of that (kernel_geometry.cpp says where it was seen).
constexpr double kMostPerThreadOfBlock = 1.0 / 16;
constexpr double kLeastPerThreadOfBlock = 1.0 / 64;

}  // namespace

bool Extent::overlaps(const Extent& other) const {
  if (scaled_threads > 0 && other.scaled_threads > 0) {
    return scaled_threads == other.scaled_threads;
  }
  return low <= other.high && other.low <= high;
}

Extent extent_of_geometry(const ElementwiseTraits& traits, double blocks, double threads_per_block) {
  if (!(blocks > 0) || !(threads_per_block > 0)) {
    return {};
  }
  if (traits.elements_per_thread > 0) {
    const double tile = threads_per_block * traits.elements_per_thread;
    return {.low = (blocks - 1) * tile + 1, .high = blocks * tile};
  }
  if (!(traits.bytes_per_element > 0)) {
    return {};  // not such a kernel
  }
  const double square = threads_per_block * threads_per_block;
  return {.low = (blocks - 1) * square * kLeastPerThreadOfBlock + 1,
          .high = blocks * square * kMostPerThreadOfBlock,
          .scaled_threads = blocks * threads_per_block};
}

bool is_row_count(const Extent& rows, const Extent& whole) {
  if (!rows.known()) {
    return false;
  }
  if (rows.scaled_threads > 0 && whole.scaled_threads > 0) {
    return rows.scaled_threads < whole.scaled_threads;
  }
  const bool exact = rows.low == rows.high && whole.low == whole.high;
  return rows.high < whole.low && (!exact || std::fmod(whole.high, rows.high) == 0);
}

}  // namespace foretell::whatif
