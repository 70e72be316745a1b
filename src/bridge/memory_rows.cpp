// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/memory_rows.hpp"

#include <utility>

namespace foretell::bridge {
namespace {

reports::MemoryKind kind_of(runtime::MemoryLayout::Kind kind) {
  switch (kind) {
    case runtime::MemoryLayout::Kind::Intermediate: return reports::MemoryKind::Intermediate;
    case runtime::MemoryLayout::Kind::Output: return reports::MemoryKind::Output;
    case runtime::MemoryLayout::Kind::Scratch: return reports::MemoryKind::Scratch;
  }
  return reports::MemoryKind::Intermediate;
}

}  // namespace

reports::MemoryRow memory_row(const runtime::MemoryLayout& layout) {
  return {.arena_bytes = layout.plan.arena_bytes,
          .max_live_bytes = layout.plan.max_live_bytes,
          .given_peak_bytes = layout.plan.given_peak_bytes,
          .order = std::string(layout.plan.order_name)};
}

reports::MemoryPicture memory_picture(const runtime::MemoryLayout& layout, std::string title) {
  reports::MemoryPicture picture{.title = std::move(title),
                                 .steps = layout.steps,
                                 .rectangles = {},
                                 .arena_bytes = layout.plan.arena_bytes,
                                 .max_live_bytes = layout.plan.max_live_bytes,
                                 .given_peak_bytes = layout.plan.given_peak_bytes};
  for (const runtime::MemoryLayout::Block& block : layout.blocks) {
    picture.rectangles.push_back({.name = block.name,
                                  .first_step = block.first_step,
                                  .last_step = block.last_step,
                                  .offset = block.offset,
                                  .bytes = block.bytes,
                                  .kind = kind_of(block.kind)});
  }
  return picture;
}

}  // namespace foretell::bridge
