// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/memory_rows.hpp"

#include <gtest/gtest.h>

namespace foretell::bridge {
namespace {

using runtime::MemoryLayout;

MemoryLayout small_layout() {
  MemoryLayout layout;
  layout.steps = {"add", "matmul"};
  layout.blocks = {{.name = "%2", .first_step = 0, .last_step = 1, .offset = 0, .bytes = 100},
                   {.name = "scratch",
                    .first_step = 1,
                    .last_step = 1,
                    .offset = 128,
                    .bytes = 64,
                    .kind = MemoryLayout::Kind::Scratch},
                   {.name = "%3",
                    .first_step = 1,
                    .last_step = 1,
                    .offset = 192,
                    .bytes = 64,
                    .kind = MemoryLayout::Kind::Output}};
  layout.plan.order_name = "given";
  layout.plan.arena_bytes = 256;
  layout.plan.max_live_bytes = 240;
  layout.plan.given_peak_bytes = 300;
  return layout;
}

TEST(MemoryRow, HasTheThreeFiguresAndTheOrder) {
  const reports::MemoryRow row = memory_row(small_layout());
  EXPECT_EQ(row.arena_bytes, 256);
  EXPECT_EQ(row.max_live_bytes, 240);
  EXPECT_EQ(row.given_peak_bytes, 300);
  EXPECT_EQ(row.order, "given");
}

TEST(MemoryPicture, HasEveryBlockWithItsKind) {
  const reports::MemoryPicture picture = memory_picture(small_layout(), "chain, full");
  EXPECT_EQ(picture.title, "chain, full");
  EXPECT_EQ(picture.steps.size(), 2U);
  ASSERT_EQ(picture.rectangles.size(), 3U);
  EXPECT_EQ(picture.rectangles[0].kind, reports::MemoryKind::Intermediate);
  EXPECT_EQ(picture.rectangles[1].kind, reports::MemoryKind::Scratch);
  EXPECT_EQ(picture.rectangles[2].kind, reports::MemoryKind::Output);
  EXPECT_EQ(picture.rectangles[1].offset, 128);
  EXPECT_EQ(picture.rectangles[0].last_step, 1U);
  EXPECT_EQ(picture.given_peak_bytes, 300);
}

}  // namespace
}  // namespace foretell::bridge
