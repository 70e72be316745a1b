// SPDX-License-Identifier: Apache-2.0
// Row-major walks through an index space that keep one position per tensor read or written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fusion-engine/ir/shape.hpp"

namespace foretell::interp {

// Where a tensor's elements lie while a walk goes over a space: element 0's position and a stride per axis.
struct Track {
  ir::Dims strides;
  std::int64_t start = 0;
};

// The track of a dense tensor of `shape` seen as `space`, to which it broadcasts.
inline Track broadcast_track(const ir::Shape& shape, const ir::Shape& space) {
  const ir::Dims dense = ir::dense_strides(shape);
  Track track;
  for (std::size_t i = 0; i < space.rank(); ++i) {
    const bool has_axis = i + shape.rank() >= space.rank();
    const std::size_t axis = has_axis ? i + shape.rank() - space.rank() : 0;
    track.strides.push_back(has_axis && shape[axis] != 1 ? dense[axis] : 0);
  }
  return track;
}

// Calls visit(positions) for each index of `space`, last axis fastest; positions[k] is that of tracks[k].
template <std::size_t N, class Visit>
void walk(const ir::Shape& space, const std::array<Track, N>& tracks, Visit visit) {
  std::array<std::int64_t, N> positions{};
  for (std::size_t k = 0; k < N; ++k) {
    positions[k] = tracks[k].start;
  }
  std::array<std::int64_t, ir::kMaxRank> index{};
  const std::int64_t count = ir::elements(space);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(positions);
    for (std::size_t axis = space.rank(); axis-- > 0;) {
      ++index[axis];
      for (std::size_t k = 0; k < N; ++k) {
        positions[k] += tracks[k].strides[axis];
      }
      if (index[axis] < space[axis]) {
        break;
      }
      index[axis] = 0;
      for (std::size_t k = 0; k < N; ++k) {
        positions[k] -= tracks[k].strides[axis] * space[axis];
      }
    }
  }
}

}  // namespace foretell::interp
