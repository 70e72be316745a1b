// SPDX-License-Identifier: Apache-2.0
#include "reports/all.hpp"

#include <gmock/gmock.h>

#include <set>

#include "reports/test_model.hpp"

namespace foretell::reports {
namespace {

using testing::HasSubstr;

TEST(Renderers, NamesAndSuffixesAreDistinct) {
  std::set<std::string_view> names;
  std::set<std::string_view> suffixes;
  for (const Renderer& renderer : all_renderers()) {
    names.insert(renderer.name);
    suffixes.insert(renderer.suffix);
    EXPECT_TRUE(renderer.suffix.starts_with('.')) << renderer.name;
  }
  EXPECT_EQ(names.size(), all_renderers().size());
  EXPECT_EQ(suffixes.size(), all_renderers().size());
}

// One model through every format: nothing that a reader needs may be lost in one of them.
class EveryFormat : public testing::TestWithParam<Renderer> {};

TEST_P(EveryFormat, SaysWhatMatters) {
  const std::string said =
      GetParam().render({.traces = {test_trace(), test_unread()}, .peak_memory_bytes = {}}, {});

  for (const std::string_view part : {"decode.json.gz",
                                      "Some GPU",
                                      "not in the table",
                                      "partial",
                                      "sampled: counts can't be concluded",
                                      "1 string repaired",
                                      "What it holds.",
                                      "Whether to trust it.",
                                      "What a step is.",
                                      "ProfilerStep#1",
                                      "aten::add",
                                      "18446744073709551617",
                                      "dram_achievable_gbps",
                                      "assumed",
                                      "nowhere.json",
                                      "no such file",
                                      "the device waits 220 ns of the 500 ns step",
                                      "1.79",
                                      "elementwise",
                                      "Linear_1",
                                      "process 42, thread 43",
                                      "aten::mul"}) {
    EXPECT_THAT(said, HasSubstr(std::string(part)));
  }
  EXPECT_TRUE(said.ends_with('\n'));
}

TEST_P(EveryFormat, IsTheSameForTheSameModel) {
  const ReportModel model{.traces = {test_trace()}, .peak_memory_bytes = 1};

  EXPECT_EQ(GetParam().render(model, {}), GetParam().render(model, {}));
}

INSTANTIATE_TEST_SUITE_P(Renderers, EveryFormat,
                         testing::ValuesIn(all_renderers().begin(), all_renderers().end()),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace foretell::reports
