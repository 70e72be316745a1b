// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/op_work.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/whatif/library_work.hpp"
#include "analyzer/whatif/op_arguments.hpp"

namespace foretell::whatif {
namespace {

using timeline::KernelClass;

// The rules. "Read" and "written" are all tensors among the arguments.
enum class Rule : std::uint8_t {
  None,          // sizes can't be told from the arguments
  Map,           // all read; written: their broadcast shape, or the largest where they don't broadcast
  Compare,       // the same, written as bool
  Normalise,     // all read; written: the largest
  Sum,           // every argument passes once: results that are small, or given as an argument
  Fill,          // the largest is written
  Adam,          // all read; parameters and both moments (as large as the first argument) written
  Twice,         // all read and written: concatenation
  Lookup,        // rows of the first argument chosen by the second
  GatherAlong,   // elements chosen by an index tensor as large as the result
  ScatterFrom,   // the last tensor is read, and written to places given by the one before it
  ScatterAdd,    // the same, the places read before
  MatMul,        // A[.., m, k] x B[.., k, n]
  MatMulBias,    // the same behind a first argument that is added
  Linear,        // A[.., k] x B[n, k]
  Conv,          // input, weight; stride before padding
  ConvPadFirst,  // input, weight; padding before stride
  ConvBackward,  // gradient, input, weight; a mask of three says which gradients are wanted
  ConvBackwardInputFirst,       // input, gradient, weight
  ConvBackwardData,             // -, gradient, weight
  AttentionHeadsFirst,          // q, k, v as [batch, heads, length, width]
  AttentionLengthFirst,         // q, k, v as [batch, length, heads, width]
  AttentionBackwardHeadsFirst,  // the same behind the gradient
  AttentionBackwardLengthFirst,
};

struct OpRule {
  std::string_view name;
  Rule rule;
};

// Ops that their kernels' class alone would put wrong.
constexpr auto kOpRules = std::to_array<OpRule>({
    {"aten::copy_", Rule::Sum},
    {"aten::_foreach_copy_", Rule::Sum},
    {"aten::fill_", Rule::Fill},
    {"aten::zero_", Rule::Fill},
    {"aten::normal_", Rule::Fill},
    {"aten::uniform_", Rule::Fill},
    {"aten::random_", Rule::Fill},
    {"aten::bernoulli_", Rule::Fill},
    {"aten::exponential_", Rule::Fill},
    {"aten::eq", Rule::Compare},
    {"aten::ne", Rule::Compare},
    {"aten::lt", Rule::Compare},
    {"aten::le", Rule::Compare},
    {"aten::gt", Rule::Compare},
    {"aten::ge", Rule::Compare},
    {"aten::isnan", Rule::Compare},
    {"aten::logical_and", Rule::Compare},
    {"aten::logical_or", Rule::Compare},
    {"aten::logical_not", Rule::Compare},
    {"aten::_fused_adam_", Rule::Adam},
    {"aten::_fused_adamw_", Rule::Adam},
    {"aten::_foreach_norm", Rule::Sum},
    {"aten::nll_loss_forward", Rule::Sum},
    {"aten::nll_loss2d_forward", Rule::Sum},
    {"aten::linalg_vector_norm", Rule::Sum},
    {"aten::norm", Rule::Sum},
    {"aten::batch_norm_stats", Rule::Sum},
    {"aten::cumsum", Rule::Map},
    {"aten::sort", Rule::None},
    {"aten::topk", Rule::Sum},
    // Their result is as large as an argument that they don't read.
    {"aten::max_pool2d_with_indices_backward", Rule::Sum},
    {"aten::_adaptive_avg_pool2d_backward", Rule::Sum},
    {"aten::avg_pool2d_backward", Rule::Sum},

    {"aten::cat", Rule::Twice},
    {"aten::_cat", Rule::Twice},
    {"aten::stack", Rule::Twice},
    {"aten::embedding", Rule::Lookup},
    {"aten::index_select", Rule::Lookup},
    {"aten::gather", Rule::GatherAlong},
    {"aten::scatter_", Rule::ScatterFrom},
    {"aten::scatter", Rule::ScatterFrom},
    {"aten::scatter_add_", Rule::ScatterAdd},
    {"aten::index_copy_", Rule::ScatterFrom},
    {"aten::index_add_", Rule::ScatterAdd},

    {"aten::mm", Rule::MatMul},
    {"aten::bmm", Rule::MatMul},
    {"aten::matmul", Rule::MatMul},
    {"aten::mv", Rule::MatMul},
    {"aten::dot", Rule::MatMul},
    {"aten::_scaled_mm", Rule::MatMul},
    {"aten::_int_mm", Rule::MatMul},
    {"aten::addmm", Rule::MatMulBias},
    {"aten::_addmm_activation", Rule::MatMulBias},
    {"aten::addmm_", Rule::MatMulBias},
    {"aten::baddbmm", Rule::MatMulBias},
    {"aten::baddbmm_", Rule::MatMulBias},
    {"aten::addmv", Rule::MatMulBias},
    {"aten::addmv_", Rule::MatMulBias},
    {"aten::linear", Rule::Linear},
    {"aiter::gemm_a16w16", Rule::Linear},
    {"vllm::rocm_unquantized_gemm", Rule::Linear},

    {"aten::conv1d", Rule::Conv},
    {"aten::conv2d", Rule::Conv},
    {"aten::conv3d", Rule::Conv},
    {"aten::convolution", Rule::Conv},
    {"aten::_convolution", Rule::Conv},
    {"aten::cudnn_convolution", Rule::ConvPadFirst},
    {"aten::cudnn_convolution_relu", Rule::Conv},
    {"aten::miopen_convolution", Rule::ConvPadFirst},
    {"aten::convolution_backward", Rule::ConvBackward},
    {"aten::cudnn_convolution_backward", Rule::ConvBackwardInputFirst},
    {"aten::cudnn_convolution_backward_input", Rule::ConvBackwardData},

    {"aten::scaled_dot_product_attention", Rule::AttentionHeadsFirst},
    {"aten::_scaled_dot_product_flash_attention", Rule::AttentionHeadsFirst},
    {"aten::_scaled_dot_product_efficient_attention", Rule::AttentionHeadsFirst},
    {"aten::_scaled_dot_product_cudnn_attention", Rule::AttentionHeadsFirst},
    {"aten::_flash_attention_forward", Rule::AttentionLengthFirst},
    {"aten::_efficient_attention_forward", Rule::AttentionLengthFirst},
    {"flash_attn::_flash_attn_forward", Rule::AttentionLengthFirst},
    {"aiter::fmha_v3_fwd", Rule::AttentionLengthFirst},
    {"aten::_scaled_dot_product_flash_attention_backward", Rule::AttentionBackwardHeadsFirst},
    {"aten::_scaled_dot_product_efficient_attention_backward", Rule::AttentionBackwardHeadsFirst},
    {"aten::_scaled_dot_product_cudnn_attention_backward", Rule::AttentionBackwardHeadsFirst},
    {"aten::_flash_attention_backward", Rule::AttentionBackwardLengthFirst},
    {"aten::_efficient_attention_backward", Rule::AttentionBackwardLengthFirst},
    {"flash_attn::_flash_attn_backward", Rule::AttentionBackwardLengthFirst},
});

// What is left to the class of the kernel. Outside ATen the outputs are usually among the arguments (Triton
// kernels, extension ops that write in place), so each is counted once; an op that makes its own output is
// then counted too low, never too high. Ops of gathering kernels take whole tables as arguments.
Rule rule_of_class(std::string_view op, KernelClass kernel_class) {
  const bool is_aten = op.starts_with("aten::");
  const auto has = [&](std::string_view part) { return op.find(part) != op.npos; };
  switch (kernel_class) {
    case KernelClass::Elementwise: return is_aten ? Rule::Map : Rule::Sum;
    case KernelClass::Random: return is_aten ? Rule::Map : Rule::None;  // dropout; generators are listed
    case KernelClass::Optimizer: return is_aten ? Rule::Normalise : Rule::None;
    case KernelClass::Reduction:
      return is_aten && (has("norm") || has("_backward")) ? Rule::Normalise : Rule::Sum;
    case KernelClass::Softmax:
      return is_aten && (has("softmax") || has("_backward")) ? Rule::Normalise : Rule::Sum;
    case KernelClass::Fill: return is_aten ? Rule::Fill : Rule::None;
    case KernelClass::Fused: return op.starts_with("triton_") ? Rule::Sum : Rule::None;
    case KernelClass::Copy:
    case KernelClass::Gather:
    case KernelClass::Gemm:
    case KernelClass::Attention:
    case KernelClass::Communication:
    case KernelClass::Unknown:
    case KernelClass::kCount: break;
  }
  return Rule::None;
}

OpWork lookup(const OpArguments& in) {
  const Argument* const table = in.tensor(0, 1);
  // index_select(self, dim, index) has a number between.
  const Argument* const second = in.tensor(1, 0);
  const Argument* const index = second != nullptr ? second : in.tensor(2, 0);
  if (table == nullptr || index == nullptr) {
    return {};
  }
  const bool along_other_dim =
      second == nullptr && !in.all()[1].concrete.empty() && in.all()[1].concrete != "0";
  const double rows = static_cast<double>(table->tensors.front().front());
  if (along_other_dim || rows <= 0) {
    return {};
  }
  const double chosen = in.bytes_of(*table) / rows * index->elements();
  return {.bytes = in.bytes_of(*index) + 2 * chosen, .dtype = in.dtype_of(*table)};
}

// Index tensors follow the number that names the dimension.
OpWork gather_along(const OpArguments& in) {
  const Argument* const source = in.tensor(0, 0);
  const Argument* const index = in.tensor(2, 0);
  if (source == nullptr || index == nullptr) {
    return {};
  }
  const double chosen = index->elements() * size_bytes(in.dtype_of(*source));
  return {.bytes = in.bytes_of(*index) + 2 * chosen, .dtype = in.dtype_of(*source)};
}

OpWork scatter_from(const OpArguments& in, double passes) {
  const Argument* const index = in.tensor(2, 0);
  const Argument* const source = in.tensor(3, 0);
  if (index == nullptr || source == nullptr) {
    return {};
  }
  return {.bytes = in.bytes_of(*index) + passes * in.bytes_of(*source), .dtype = in.dtype_of(*source)};
}

}  // namespace

OpWork compute_op_work(std::string_view op, const std::vector<Argument>& arguments, KernelClass kernel_class,
                       DType fallback) {
  const auto* const listed = std::ranges::find(kOpRules, op, &OpRule::name);
  const Rule rule = listed == kOpRules.end() ? rule_of_class(op, kernel_class) : listed->rule;
  const OpArguments in(arguments, fallback);
  const auto bytes_only = [&](double bytes) { return OpWork{.bytes = bytes, .dtype = fallback}; };
  switch (rule) {
    case Rule::None: return {};
    case Rule::Map: return bytes_only(in.sum_bytes() + in.result_bytes(std::nullopt));
    case Rule::Compare: return bytes_only(in.sum_bytes() + in.result_bytes(DType::Bool));
    case Rule::Normalise: return bytes_only(in.sum_bytes() + in.largest_bytes());
    case Rule::Sum: return bytes_only(in.sum_bytes());
    case Rule::Fill: return bytes_only(in.largest_bytes());
    case Rule::Adam: {
      constexpr double kWritten = 3;
      return arguments.empty() ? OpWork{}
                               : bytes_only(in.sum_bytes() + kWritten * in.bytes_of(arguments.front()));
    }
    case Rule::Twice: return bytes_only(2 * in.sum_bytes());
    case Rule::Lookup: return lookup(in);
    case Rule::GatherAlong: return gather_along(in);
    case Rule::ScatterFrom: return scatter_from(in, 2);
    case Rule::ScatterAdd: return scatter_from(in, 3);
    case Rule::MatMul: return multiply(in, 0, false);
    case Rule::MatMulBias: return multiply(in, 1, false);
    case Rule::Linear: return multiply(in, 0, true);
    case Rule::Conv: return convolve(in, false);
    case Rule::ConvPadFirst: return convolve(in, true);
    case Rule::ConvBackward: return convolve_backward(in, 0, 2, count_wanted_gradients(in));
    case Rule::ConvBackwardInputFirst: return convolve_backward(in, 1, 2, count_wanted_gradients(in));
    case Rule::ConvBackwardData: return convolve_backward(in, 1, 2, 1);
    case Rule::AttentionHeadsFirst: return attend(in, 0, 2);
    case Rule::AttentionLengthFirst: return attend(in, 0, 1);
    case Rule::AttentionBackwardHeadsFirst: return attend(in, 1, 2);
    case Rule::AttentionBackwardLengthFirst: return attend(in, 1, 1);
  }
  return {};
}

}  // namespace foretell::whatif
