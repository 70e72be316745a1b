// SPDX-License-Identifier: Apache-2.0
#include "reports/memory_picture.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "reports/axis_ticks.hpp"

namespace foretell::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

MemoryPicture small_picture() {
  return {.title = "gated_block: a & b",
          .steps = {"matmul", "gelu", "mul"},
          .rectangles = {{.name = "p", .first_step = 0, .last_step = 1, .offset = 0, .bytes = 3 << 20},
                         {.name = "a", .first_step = 1, .last_step = 2, .offset = 3 << 20, .bytes = 1 << 20},
                         {.name = "y",
                          .first_step = 2,
                          .last_step = 2,
                          .offset = 0,
                          .bytes = 1 << 20,
                          .kind = MemoryKind::Output},
                         {.name = "scratch of matmul",
                          .first_step = 0,
                          .last_step = 0,
                          .offset = 3 << 20,
                          .bytes = 100,
                          .kind = MemoryKind::Scratch},
                         {.name = "empty", .first_step = 0, .last_step = 2}},
          .arena_bytes = 4 << 20,
          .max_live_bytes = 4 << 20,
          .given_peak_bytes = 5 << 20};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++times;
  }
  return times;
}

// FORETELL_UPDATE_GOLDEN=1 rewrites it.
TEST(MemoryPicture, IsTheGoldenOne) {
  const std::string path = FORETELL_REPORTS_TESTDATA "/memory_picture.svg";
  const std::string svg = render_memory_picture(small_picture());
  if (const char* update = std::getenv("FORETELL_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    std::ofstream(path) << svg;
  }
  std::ifstream file(path);
  EXPECT_EQ(svg, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(MemoryPicture, DrawsWhatHasBytes) {
  const std::string svg = render_memory_picture(small_picture());
  EXPECT_EQ(count(svg, "<title>"), 4);
  EXPECT_THAT(svg, Not(HasSubstr("<title>empty")));
  EXPECT_THAT(svg,
              HasSubstr("arena 4.00 MiB (1.00x), live at most 4.00 MiB, peak as given 5.00 MiB (1.25x)"));
  EXPECT_THAT(svg, HasSubstr("<title>a\n1.00 MiB at 3.00 MiB\nfrom step 1 gelu to 2 mul</title>"));
}

TEST(MemoryPicture, EscapesNames) {
  MemoryPicture picture = small_picture();
  picture.title = "<b>\"&\x01";
  picture.steps[0] = "a<b";
  picture.rectangles[0].name = "x>y";
  const std::string svg = render_memory_picture(picture);
  EXPECT_THAT(svg, HasSubstr(">&lt;b&gt;&quot;&amp;?</text>"));
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  EXPECT_THAT(svg, HasSubstr("<title>x&gt;y\n"));
}

TEST(MemoryPicture, ManyStepsHaveNumbersForNames) {
  MemoryPicture picture = small_picture();
  picture.steps.assign(3'000, "step");
  const std::string svg = render_memory_picture(picture);
  EXPECT_THAT(svg, HasSubstr(">2800</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">step</text>")));
}

TEST(MemoryPicture, OfNothing) {
  const std::string svg = render_memory_picture({});
  EXPECT_THAT(svg, HasSubstr("arena 0 B, live at most 0 B, peak as given 0 B; 0 steps"));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(AxisTicks, AreRound) {
  EXPECT_DOUBLE_EQ(tick_step(80, 8), 10);
  EXPECT_DOUBLE_EQ(tick_step(81, 8), 20);
  EXPECT_DOUBLE_EQ(tick_step(3.1, 8), 0.5);
  EXPECT_DOUBLE_EQ(tick_step(7.9, 1), 10);
}

TEST(AxisTicks, UnitsFitTheirBytes) {
  EXPECT_EQ(bytes_unit(0).name, "B");
  EXPECT_EQ(bytes_unit(1023).name, "B");
  EXPECT_EQ(bytes_unit(1024).name, "KiB");
  EXPECT_EQ(bytes_unit(std::int64_t{5} << 30).name, "GiB");
}

}  // namespace
}  // namespace foretell::reports
