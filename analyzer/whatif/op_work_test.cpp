// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/op_work.hpp"

#include <gtest/gtest.h>

namespace foretell::whatif {
namespace {

using timeline::KernelClass;

struct Case {
  std::string_view op;
  KernelClass kernel_class;
  std::string_view dims, types, concrete;
  double bytes, flops;
};

constexpr std::string_view kFloats = R"(["float", "float", "float", "float", "float"])";
constexpr std::string_view kHalves = R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half"])";

constexpr Case kCases[] = {
    // Elementwise: inputs at their own size, the result at the broadcast one.
    {"aten::add", KernelClass::Elementwise, "[[8, 1], [4], []]", R"(["float", "float", "Scalar"])", "",
     4 * (8 + 4 + 32), 0},
    {"aten::mul_", KernelClass::Elementwise, "[[8, 4], []]", R"(["c10::BFloat16", "double"])", "",
     2 * 32 + 8 + 2 * 32, 0},
    {"aten::mul", KernelClass::Elementwise, "[[8], [8]]", R"(["c10::BFloat16", "float"])", "",
     2 * 8 + 4 * 8 + 4 * 8, 0},
    {"aten::gt", KernelClass::Elementwise, "[[8], []]", R"(["float", "Scalar"])", "", 4 * 8 + 8, 0},
    {"aten::where", KernelClass::Elementwise, "[[8], [8], []]", R"(["bool", "float", "float"])", "",
     8 + 4 * 8 + 4 + 4 * 8, 0},
    {"aten::copy_", KernelClass::Copy, "[[8, 4], [8, 4], []]", R"(["c10::Half", "float", "Scalar"])", "",
     2 * 32 + 4 * 32, 0},
    {"aten::fill_", KernelClass::Fill, "[[8, 4], []]", R"(["float", "Scalar"])", "", 4 * 32, 0},
    {"aten::native_dropout", KernelClass::Random, "[[8], [], []]", R"(["float", "Scalar", "Scalar"])", "",
     4 * 16, 0},
    // Reductions and norms.
    {"aten::sum", KernelClass::Reduction, "[[64, 32], [], [], []]", R"(["float", "", "", ""])", "", 4 * 2048,
     0},
    {"aten::native_layer_norm", KernelClass::Reduction, "[[64, 32], [], [32], [32], []]",
     R"(["float", "", "float", "float", "Scalar"])", "", 4 * (2048 + 64 + 2048), 0},
    {"aten::_softmax", KernelClass::Softmax, "[[64, 32], [], []]", R"(["float", "Scalar", "Scalar"])", "",
     4 * 4096, 0},
    {"aten::nll_loss_forward", KernelClass::Softmax, "[[64, 32], [64]]", R"(["float", "long"])", "",
     4 * 2048 + 8 * 64, 0},
    {"aten::_foreach_add_", KernelClass::Optimizer, "[[[8], [4]], [[8], [4]], []]",
     R"(["TensorList", "TensorList", "Scalar"])", "", 4 * 36, 0},
    {"aten::_fused_adam_", KernelClass::Optimizer, "[[[8]], [[8]], [[8]], [[8]]]",
     R"(["TensorList", "TensorList", "TensorList", "TensorList"])", "", 4 * 7 * 8, 0},
    // Gathering.
    {"aten::cat", KernelClass::Gather, "[[[8, 4], [8, 2]], []]", R"(["TensorList", "Scalar"])", "",
     2 * 4 * 48, 0},
    {"aten::embedding", KernelClass::Gather, "[[1000, 16], [5], [], [], []]",
     R"(["float", "long", "Scalar", "Scalar", "Scalar"])", "", 8 * 5 + 2 * 4 * 80, 0},
    {"aten::index_select", KernelClass::Gather, "[[1000, 16], [], [5]]", R"(["float", "Scalar", "int"])",
     R"(["", "0", ""])", 4 * 5 + 2 * 4 * 80, 0},
    {"aten::index_select", KernelClass::Gather, "[[1000, 16], [], [5]]", R"(["float", "Scalar", "int"])",
     R"(["", "1", ""])", 0, 0},
    {"aten::gather", KernelClass::Gather, "[[50, 4], [], [6, 4], []]", R"(["float", "Scalar", "long", ""])",
     "", 8 * 24 + 2 * 4 * 24, 0},
    {"aten::scatter_add_", KernelClass::Gather, "[[50], [], [6], [6]]",
     R"(["float", "Scalar", "long", "float"])", "", 8 * 6 + 3 * 4 * 6, 0},
    // Products.
    {"aten::mm", KernelClass::Gemm, "[[4, 8], [8, 16]]", kFloats, "", 4 * (32 + 128 + 64), 2 * 4 * 8 * 16},
    {"aten::addmm", KernelClass::Gemm, "[[16], [4, 8], [8, 16]]", kHalves, "", 2 * (16 + 32 + 128 + 64),
     2 * 4 * 8 * 16},
    {"aten::bmm", KernelClass::Gemm, "[[3, 4, 8], [3, 8, 16]]", kFloats, "", 4 * 3 * (32 + 128 + 64),
     2 * 3 * 4 * 8 * 16},
    {"aten::matmul", KernelClass::Gemm, "[[3, 4, 8], [8, 16]]", kFloats, "", 4 * (96 + 128 + 192),
     2 * 3 * 4 * 8 * 16},
    {"aten::linear", KernelClass::Gemm, "[[3, 4, 8], [16, 8], [16]]", kFloats, "", 4 * (96 + 128 + 192),
     2 * 3 * 4 * 8 * 16},
    {"aten::mv", KernelClass::Gemm, "[[4, 8], [8]]", kFloats, "", 4 * (32 + 8 + 4), 2 * 32},
    {"aten::mm", KernelClass::Gemm, "[[4, 8], [9, 16]]", kFloats, "", 0, 0},
    {"aten::mm", KernelClass::Gemm, "[[4, 0], [0, 16]]", kFloats, "", 0, 0},
    {"aten::mm", KernelClass::Gemm, "[[4, 8]]", kFloats, "", 0, 0},
    // Convolutions: 2 x results x weights of one result.
    {"aten::convolution", KernelClass::Gemm, "[[2, 3, 8, 8], [5, 3, 3, 3], [], [], [], [], [], [], []]",
     R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
     R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])", 4 * (384 + 135 + 160),
     2 * (2 * 5 * 4 * 4) * 27},
    {"aten::cudnn_convolution", KernelClass::Gemm, "[[2, 3, 8, 8], [5, 3, 3, 3], [], [], [], []]",
     R"(["float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar"])",
     R"(["", "", "[1, 1]", "[2, 2]", "[1, 1]", "1"])", 4 * (384 + 135 + 160), 2 * (2 * 5 * 4 * 4) * 27},
    {"aten::convolution", KernelClass::Gemm, "[[2, 3, 8, 8], [3, 5, 3, 3], [], [], [], [], []]",
     R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar"])",
     R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True"])", 4 * (384 + 135), 2 * 384 * 45},
    {"aten::conv2d", KernelClass::Gemm, "[[2, 3, 8, 8], [5, 3, 3, 3], [], [], [], [], []]", kFloats, "", 0,
     0},
    {"aten::conv2d", KernelClass::Gemm, "[[2, 3, 8, 8], [5, 3, 3, 3], [], [], []]",
     R"(["float", "float", "ScalarList", "ScalarList", "ScalarList"])", R"(["", "", "[0]", "[1]", "[1]"])", 0,
     0},
    {"aten::convolution_backward", KernelClass::Gemm, "[[2, 5, 4, 4], [2, 3, 8, 8], [5, 3, 3, 3], []]",
     R"(["float", "float", "float", "ScalarList"])", R"(["", "", "", "[True, True, False]"])",
     2 * 4 * (160 + 384 + 135), 2 * 2 * 160 * 27},
    {"aten::convolution_backward", KernelClass::Gemm, "[[2, 5, 4, 4], [2, 3, 8, 8], [5, 3, 3, 3], []]",
     R"(["float", "float", "float", "ScalarList"])", R"(["", "", "", "[False, True, True]"])",
     4 * (160 + 384 + 135), 2 * 160 * 27},
    // Attention: batch 2, 3 heads, 5 queries, 7 keys, width 4.
    {"aten::_scaled_dot_product_flash_attention", KernelClass::Attention,
     "[[2, 3, 5, 4], [2, 3, 7, 4], [2, 3, 7, 4]]", kHalves, "", 2 * (120 + 168 + 168 + 120),
     4 * 2 * 3 * 5 * 7 * 4},
    {"aten::_flash_attention_forward", KernelClass::Attention, "[[2, 5, 3, 4], [2, 7, 3, 4], [2, 7, 3, 4]]",
     kHalves, "", 2 * (120 + 168 + 168 + 120), 4 * 2 * 3 * 5 * 7 * 4},
    {"aten::_flash_attention_backward", KernelClass::Attention,
     "[[2, 5, 3, 4], [2, 5, 3, 4], [2, 7, 3, 4], [2, 7, 3, 4], [2, 5, 3, 4]]", kHalves, "",
     2 * 2 * (120 + 168 + 168 + 120), 2.5 * 4 * 2 * 3 * 5 * 7 * 4},
    {"aten::_flash_attention_forward", KernelClass::Attention, "[[10, 3, 4], [14, 3, 4], [14, 3, 4]]",
     kHalves, "", 0, 0},
    // Outside ATen.
    {"triton_poi_fused_add_0", KernelClass::Fused, "[[8], [8], []]", R"(["float", "float", "Scalar"])", "",
     4 * 16, 0},
    {"CompiledFunction", KernelClass::Fused, "[[8], [8]]", kFloats, "", 0, 0},
    {"vllm::silu_and_mul", KernelClass::Elementwise, "[[8], [16]]", kHalves, "", 2 * 24, 0},
    {"serving::store_cache", KernelClass::Gather, "[[8], [100000]]", kHalves, "", 0, 0},
    {"nccl:all_reduce", KernelClass::Communication, "[[8]]", kFloats, "", 0, 0},
    {"aten::add", KernelClass::Elementwise, "", "", "", 0, 0},
};

TEST(OpWork, BytesAndFlopsOfEachFamily) {
  for (const Case& each : kCases) {
    const auto arguments = parse_arguments(each.dims, each.types, each.concrete);
    const OpWork work = compute_op_work(each.op, arguments, each.kernel_class, DType::Float32);
    EXPECT_EQ(work.bytes, each.bytes) << each.op << ' ' << each.dims << ' ' << each.concrete;
    EXPECT_EQ(work.flops, each.flops) << each.op << ' ' << each.dims << ' ' << each.concrete;
  }
}

TEST(OpWork, TypeOfTheKernelStandsInForOneThatIsNotRecorded) {
  const auto arguments = parse_arguments("[[8], [8]]", "[]", "");
  EXPECT_EQ(compute_op_work("aten::add", arguments, KernelClass::Elementwise, DType::BFloat16).bytes, 2 * 24);
  EXPECT_EQ(compute_op_work("aten::add", arguments, KernelClass::Elementwise, DType::Unknown).bytes, 0);
}

TEST(OpWork, ProductsBelongToTheirLibraryKernels) {
  const auto arguments = parse_arguments("[[4, 8], [8, 16]]", kHalves, "");
  const OpWork work = compute_op_work("aten::mm", arguments, KernelClass::Copy, DType::Float32);
  EXPECT_TRUE(work.of_library_only);
  EXPECT_EQ(work.dtype, DType::Float16);
}

}  // namespace
}  // namespace foretell::whatif
