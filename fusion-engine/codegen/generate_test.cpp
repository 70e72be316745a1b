// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/generate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/fuse.hpp"

namespace foretell::codegen {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::vector<KernelSource> generate(std::string_view text, std::string_view prefix,
                                   const CodegenOptions& options = {}) {
  const auto graph = ir::parse(text);
  EXPECT_TRUE(graph.has_value()) << graph.error().message;
  std::vector<KernelSource> kernels;
  if (graph) {
    for (const passes::FusionGroup& group : passes::fuse(*graph).groups) {
      kernels.push_back(
          generate_kernel(*graph, group, std::string(prefix) + std::to_string(kernels.size()), options));
    }
  }
  return kernels;
}

// The generated source of testdata/NAME.graph is testdata/NAME.golden; FORETELL_UPDATE_GOLDEN=1 rewrites it.
class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Source) {
  const std::filesystem::path base = std::filesystem::path(FORETELL_CODEGEN_TESTDATA) / GetParam();
  std::string text;
  for (const KernelSource& kernel : generate(read(base.string() + ".graph"), "fused")) {
    text += kernel.text;
  }
  ASSERT_FALSE(text.empty());
  const std::string golden = base.string() + ".golden";
  if (const char* update = std::getenv("FORETELL_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    std::ofstream(golden, std::ios::binary) << text;
  }
  EXPECT_EQ(text, read(golden));
}

INSTANTIATE_TEST_SUITE_P(Graphs, Golden,
                         testing::Values("broadcast", "chain", "layer_norm", "loss", "softmax_columns"),
                         [](const auto& row) { return row.param; });

constexpr std::string_view kSmall =
    "graph g\n"
    "x = input(to=f32, shape=[64,100])\n"
    "s = sum(x, axes=[1], keep_dims=true)\n"
    "y = div(x, s)\n"
    "return y=y\n";

TEST(GenerateKernel, NameAppearsInSymbolsOnly) {
  const KernelSource a = generate(kSmall, "one").at(0);
  const KernelSource b = generate(kSmall, "other").at(0);
  std::string renamed = a.text;
  for (std::size_t at = renamed.find("one0"); at != std::string::npos; at = renamed.find("one0", at)) {
    renamed.replace(at, 4, "other0");
  }
  EXPECT_EQ(renamed, b.text);
  EXPECT_EQ(a.stages.at(0).symbol, "one0");
}

TEST(GenerateKernel, LargeOutputsAreStreamed) {
  EXPECT_EQ(generate(kSmall, "f").at(0).text.find("stream("), std::string::npos);
  const std::string streamed = generate(kSmall, "f", {.streaming_bytes = 64 * 100 * 4}).at(0).text;
  EXPECT_NE(streamed.find("stream("), std::string::npos);
  EXPECT_NE(streamed.find("stream_fence();"), std::string::npos);
}

TEST(GenerateKernel, LanesFollowVectorAndWidestType) {
  constexpr std::string_view kDouble =
      "graph g\n"
      "x = input(to=f32, shape=[64])\n"
      "y = cast(x, to=f64)\n"
      "return y=y\n";
  EXPECT_NE(generate(kSmall, "f", {.vector_bytes = 32}).at(0).text.find("f32x8"), std::string::npos);
  EXPECT_NE(generate(kDouble, "f", {.vector_bytes = 32}).at(0).text.find("convert<f64x4>"),
            std::string::npos);
}

TEST(GenerateKernel, EmptyTensorsHaveNoUnits) {
  constexpr std::string_view kEmpty =
      "graph g\n"
      "x = input(to=f32, shape=[0,5])\n"
      "y = relu(x)\n"
      "return y=y\n";
  EXPECT_EQ(generate(kEmpty, "f").at(0).stages.at(0).units, 0);
}

TEST(GenerateKernel, ChunksOfALongReductionLeaveScratch) {
  constexpr std::string_view kLong =
      "graph g\n"
      "x = input(to=f64, shape=[1000000])\n"
      "y = sum(x, axes=[0])\n"
      "return y=y\n";
  const KernelSource kernel = generate(kLong, "f").at(0);
  ASSERT_EQ(kernel.stages.size(), 2U);
  EXPECT_EQ(kernel.stages[0].symbol, "f0_0");
  EXPECT_EQ(kernel.scratch_bytes, kernel.stages[0].units * 8);
  EXPECT_EQ(kernel.stages[1].units, 1);
}

}  // namespace
}  // namespace foretell::codegen
