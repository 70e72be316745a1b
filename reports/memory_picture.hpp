// SPDX-License-Identifier: Apache-2.0
// The memory of a step as a picture: steps to the right, addresses upward, what is live as rectangles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretell::reports {

enum class MemoryKind : std::uint8_t { Intermediate, Output, Scratch };

// One piece of memory while it is live; both steps included. One in place of another begins a step after that
// one's end, so that no two lie on each other.
struct MemoryRectangle {
  std::string name;
  std::size_t first_step = 0;
  std::size_t last_step = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  MemoryKind kind = MemoryKind::Intermediate;
};

struct MemoryPicture {
  std::string title;
  std::vector<std::string> steps;  // their names, in the order in which they run
  std::vector<MemoryRectangle> rectangles;
  std::int64_t arena_bytes = 0;
  std::int64_t max_live_bytes = 0;    // no arena can be smaller
  std::int64_t given_peak_bytes = 0;  // of the given order, nothing in place
};

// A standalone SVG. Each rectangle tells its name, steps, size and place when pointed at; where there is room
// its name stands in it. Names are UTF-8.
std::string render_memory_picture(const MemoryPicture& picture);

}  // namespace foretell::reports
