// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/generate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "fusion-engine/codegen/compiler.hpp"
#include "fusion-engine/codegen/print_cpp.hpp"
#include "fusion-engine/codegen/test_directory.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/fuse.hpp"

namespace foretell::codegen {
namespace {

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

struct GoldenCase {
  std::string name;
  CodegenOptions options;
};
std::ostream& operator<<(std::ostream& out, const GoldenCase& row) { return out << row.name; }

// The generated source of testdata/NAME.graph is testdata/NAME.golden; FORETELL_UPDATE_GOLDEN=1 rewrites it.
class Golden : public testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, Source) {
  const std::filesystem::path base = std::filesystem::path(FORETELL_CODEGEN_TESTDATA) / GetParam().name;
  std::string text;
  for (const KernelSource& kernel :
       generate(read_text(base.string() + ".graph"), "fused", GetParam().options)) {
    text += kernel.text;
  }
  ASSERT_FALSE(text.empty());
  const std::string golden = base.string() + ".golden";
  if (const char* update = std::getenv("FORETELL_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    write_text(golden, text);
  }
  EXPECT_EQ(text, read_text(golden));
}

INSTANTIATE_TEST_SUITE_P(Graphs, Golden,
                         testing::Values(GoldenCase{"broadcast", {}}, GoldenCase{"chain", {}},
                                         GoldenCase{"layer_norm", {}}, GoldenCase{"loss", {}},
                                         GoldenCase{"softmax_columns", {}}, GoldenCase{"softmax_rows", {}},
                                         GoldenCase{"streamed", {.streaming_bytes = 1 << 20}}),
                         [](const auto& row) { return row.param.name; });

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

TEST(GenerateKernel, ComparesBoolsByLogic) {
  // Which number a target takes for true is its printer's business: no comparison of bools reaches it.
  constexpr std::string_view kBools =
      "graph g\n"
      "a = input(to=bool, shape=[64])\n"
      "b = input(to=bool, shape=[64])\n"
      "y = lt(a, b)\n"
      "z = ge(a, b)\n"
      "w = eq(a, b)\n"
      "return y=y, z=z, w=w\n";
  const std::string text = generate(kBools, "f").at(0).text;
  EXPECT_NE(text.find("logical_and(not"), std::string::npos) << text;
  EXPECT_NE(text.find("logical_or(not"), std::string::npos) << text;
  EXPECT_NE(text.find("logical_xor(not"), std::string::npos) << text;
  EXPECT_EQ(text.find("less"), std::string::npos) << text;
  EXPECT_EQ(text.find("equal("), std::string::npos) << text;
}

TEST(TranslationUnits, AreCutForTheProcessors) {
  std::vector<KernelSource> kernels(50);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i] = {.name = "k" + std::to_string(i), .text = "// kernel " + std::to_string(i) + "\n"};
  }
  EXPECT_EQ(translation_units(kernels, 1).size(), 1U);
  EXPECT_EQ(translation_units(kernels, 2).size(), 2U);
  EXPECT_EQ(translation_units(kernels, 64).size(), 6U);  // a second preamble costs more than few kernels
  EXPECT_EQ(translation_units(std::span(kernels).first(7), 64).size(), 1U);
  std::string all;
  for (const std::string& unit : translation_units(kernels, 3)) {
    all += unit;
  }
  for (const KernelSource& kernel : kernels) {
    EXPECT_NE(all.find(kernel.text), std::string::npos) << kernel.name;
  }
  EXPECT_EQ(translation_units(std::vector<KernelSource>(250), 1).size(), 3U);  // a compiler's memory
}

TEST(TranslationUnit, IsRefusedByCompilersThatAreTooOld) {
  const auto compiler = find_compiler();
  ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
  const TestDirectory directory;
  const std::string old =
      "#undef __GNUC__\n#define __GNUC__ 11\n#undef __clang_major__\n#define __clang_major__ 18\n";
  const auto result = compile(*compiler, old + std::string(preamble()), directory / "x.so", directory.path());
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("fusion-engine/codegen/simd/types.hpp:"), std::string::npos)
      << result.error().message;
  EXPECT_NE(result.error().message.find("too old for generated kernels"), std::string::npos);
}

TEST(PrintCppDeathTest, CombinesCopiesInPairs) {
  namespace loop = ir::loop;
  loop::Kernel kernel{.name = "k", .lanes = 16};
  kernel.stages.push_back(
      {.body = {{loop::Accumulator{.name = "acc0", .initial = "zero", .copies = 3}},
                {loop::Let{.name = "sum0",
                           .value = loop::Combine{.op = ir::OpKind::Add, .accumulator = "acc0"}}}}});
  EXPECT_DEATH(print_cpp(kernel), "has_single_bit");
}

}  // namespace
}  // namespace foretell::codegen
