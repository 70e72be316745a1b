// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/kernel_class.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace foretell::timeline {
namespace {

using enum KernelClass;

enum class Where : std::uint8_t { Anywhere, AtStart };

// Matches a name that holds `text`, and `also` if given; both in lower case. AtStart: `text` is where the
// function's own name begins, so that a type in its arguments can't match.
struct Rule {
  std::string_view text;
  KernelClass kernel_class;
  std::string_view also = {};
  Where where = Where::Anywhere;
};

// First match wins. The order is that of trust: prefixes that only one producer uses, then ATen's kernel
// templates (their functor is the work), then names of libraries, then words that many names hold.
// clang-format off
constexpr Rule kRules[] = {
    // Collectives; the name of the library also occurs in argument types.
    {"nccl", Communication, "", Where::AtStart},
    {"rccl", Communication, "", Where::AtStart},
    {"msccl", Communication, "", Where::AtStart},

    // Compilers name a kernel after the ops it fuses, so no word behind the prefix means anything.
    {"triton_tem", Attention, "attention", Where::AtStart},  // templates: only mm, convolution and attention
    {"triton_tem", Gemm, "", Where::AtStart},
    {"triton_mm", Gemm, "", Where::AtStart},
    {"triton_bmm", Gemm, "", Where::AtStart},
    {"triton_poi", Fused, "", Where::AtStart},
    {"triton_red", Fused, "", Where::AtStart},
    {"triton_per", Fused, "", Where::AtStart},
    {"triton_for", Fused, "", Where::AtStart},
    {"triton_spl", Fused, "", Where::AtStart},
    {"triton_fused", Fused, "", Where::AtStart},
    {"triton__0d", Fused, "", Where::AtStart},  // Inductor before it named kernels after ops
    {"nvfuser", Fused},
    {"gemm_fusion", Gemm, "", Where::AtStart},  // XLA
    {"fusion", Fused, "", Where::AtStart},
    {"loop_", Fused, "fusion", Where::AtStart},
    {"input_", Fused, "fusion", Where::AtStart},
    {"wrapped_", Fused, "", Where::AtStart},

    // ATen's templates.
    {"multi_tensor_apply", Optimizer},
    {"index_elementwise", Gather},
    {"scatter_gather", Gather},
    {"distribution_elementwise", Random},
    {"elementwise_kernel", Fill, "fillfunctor"},
    {"elementwise_kernel", Copy, "copy_kernel"},
    {"elementwise_kernel", Copy, "copy_device_to_device"},
    {"elementwise_kernel", Copy, "hfp8"},
    {"elementwise_kernel", Elementwise},
    {"_kernel_vectorized", Elementwise},  // compiled at run time: "sigmoid_kernel_vectorized4_kernel"
    {"native::reduce_kernel", Reduction},
    {"catarray", Gather},

    // Collectives and peer transfers outside the libraries.
    {"all_reduce", Communication},
    {"allreduce", Communication},
    {"cross_device_reduce", Communication},
    {"reduce_scatter", Communication},
    {"all_gather", Communication},
    {"allgather", Communication},
    {"all_to_all", Communication},
    {"alltoall", Communication},
    {"nvshmem", Communication},
    {"deep_ep", Communication},
    {"symm_mem", Communication},

    // Serving: caches and their page tables move data, whatever attention they belong to.
    {"reshape_and_cache", Gather},
    {"concat_and_cache", Gather},
    {"store_kv", Gather},
    {"kv_indices", Gather},
    {"page_indices", Gather},
    {"sage_quant", Copy},

    // Attention in one kernel.
    {"fmha", Attention},
    {"flash_fwd", Attention},
    {"flash_bwd", Attention},
    {"flash::", Attention},
    {"flashattn", Attention},
    {"flash_attn", Attention},
    {"attention", Attention},
    {"attn_", Attention},
    {"sageattn", Attention},
    {"sage_fwd", Attention},
    {"mha_fwd", Attention},
    {"mha_bwd", Attention},
    {"sdpa", Attention},
    {"batchprefill", Attention},
    {"batchdecode", Attention},
    {"singleprefill", Attention},
    {"_fwd_kernel_stage", Attention},  // decoding in two stages, written in Triton
    {"_fwd_grouped_kernel_stage", Attention},
    {"reduce_segments", Attention},  // joins the parts of a split attention

    // Recommendation: embedding bags, and the library whose name holds "gemm".
    {"fbgemm", Gemm, "cutlass"},
    {"fbgemm", Reduction, "qparam"},
    {"fbgemm", Copy, "quantize"},
    {"fbgemm", Copy, "to_float"},
    {"fbgemm", Copy, "float_to"},
    {"fbgemm", Gather},
    {"embedding_codegen", Gather},
    {"embedding_backward_codegen", Gather},
    {"pooled_embs", Gather},
    {"bounds_check_indices", Gather},
    {"linearize_index", Gather},

    // Mixture of experts: routing tables and the rows moved by them.
    {"moe::dev", Gather},
    {"moe_align", Gather},
    {"topkgating", Gather},
    {"topk_gating", Gather},
    {"moe_sum", Reduction},
    {"_routing", Fill, "memset"},
    {"_routing", Gather},
    {"finalize_matmul_scatter", Gather},
    {"fused_moe", Gemm},

    // Layout changes and expansions around library convolutions.
    {"nchwtonhwc", Copy},
    {"nhwctonchw", Copy},
    {"batched_transpose", Copy},
    {"im2col", Copy},
    {"im2d2col", Copy},
    {"col2im", Copy},
    {"flip_filter", Copy},
    {"subtensoropwithcast", Copy},
    {"subtensoropwithscalar", Fill},

    // Vector routines of BLAS libraries; their argument types hold "gemv" and "transpose".
    {"dot_kernel", Reduction, "", Where::AtStart},
    {"reduce_1block", Reduction, "", Where::AtStart},
    {"scal_kernel", Elementwise, "", Where::AtStart},

    // Matrix multiplication and convolution; a split or an epilogue of its own belongs to them.
    {"cijk_", Gemm},  // Tensile
    {"nvjet", Gemm, "", Where::AtStart},
    {"bmm_", Gemm, "", Where::AtStart},
    {"gemm", Gemm},
    {"gemv", Gemm},
    {"matmul", Gemm},
    {"splitk", Gemm},
    {"epilogue::impl", Gemm},
    {"convol", Gemm},
    {"conv_", Gemm},
    {"conv1d", Gemm},
    {"conv2d", Gemm},
    {"conv3d", Gemm},
    {"scudnn", Gemm},
    {"winograd", Gemm},
    {"dgrad", Gemm},
    {"wgrad", Gemm},
    {"fprop", Gemm},
    {"cask_cudnn", Gemm},
    {"fft1d_", Gemm, "", Where::AtStart},  // convolution by Fourier transform
    {"fft2d_", Gemm, "", Where::AtStart},
    {"pointwise_mult_and_sum_complex", Gemm},

    {"dropout", Random},
    {"bernoulli", Random},
    {"multinomial", Random},
    {"curand", Random},

    {"softmax", Softmax},
    {"nll_loss", Softmax},
    {"nllcriterion", Softmax},
    {"cross_entropy", Softmax},

    {"norm", Reduction},
    {"cudnn::bn_", Reduction},
    {"welford", Reduction},
    {"gammabeta", Reduction},
    {"rowwisemoments", Reduction},
    {"computeinternalgradients", Reduction},
    {"fusedparams", Reduction},

    {"rotary", Elementwise},
    {"rope_", Elementwise},
    {"_rope", Elementwise},
    {"act_and_mul", Elementwise},

    {"embedding", Gather},
    {"gather", Gather},
    {"scatter", Gather},
    {"indexselect", Gather},
    {"index_select", Gather},
    {"indexfunc", Gather},
    {"indexing_backward", Gather},
    {"searchsorted", Gather},
    {"to_dense_representation", Gather},
    {"compute_cuda_kernel", Gather},  // repeat_interleave
    {"future_token_ids", Gather},
    {"upsample", Gather},
    {"grid_sampl", Gather},
    {"interpolat", Gather},

    {"adagrad", Optimizer},
    {"adam", Optimizer},
    {"sgd", Optimizer},
    {"optimizer", Optimizer},

    {"pool", Reduction},
    {"rocprim", Elementwise, "transform_impl"},
    {"cub::device", Reduction},
    {"rocprim", Reduction},
    {"hipcub", Reduction},
    {"topk", Reduction},
    {"sort", Reduction},
    {"scan", Reduction},
    {"cumsum", Reduction},
    {"argmax", Reduction},
    {"sum_", Reduction, "", Where::AtStart},
    {"_sum_", Reduction},
    {"reduc", Reduction},

    {"memset", Fill},
    {"fill_kernel", Fill},
    {"fillfunctor", Fill},

    {"quant", Copy},
    {"transpose", Copy},
    {"permute", Copy},
    {"convert", Copy},
    {"cast_", Copy},
    {"_cast", Copy},
    {"copy", Copy},

    {"scalepackedtensor", Elementwise},
    {"bias", Elementwise},
    {"silu", Elementwise},
    {"gelu", Elementwise},
    {"swiglu", Elementwise},
    {"relu", Elementwise},
    {"sigmoid", Elementwise},
    {"elementwise", Elementwise},
    {"pointwise", Elementwise},
    {"position_kernel", Elementwise},
    {"tril", Elementwise},
    {"triu", Elementwise},
};
// clang-format on

// Names run to thousands of characters of template arguments. Observed: 268 kernels of all classes tell
// theirs in the first 180 (kernel_class_names.inc); what follows can only match by accident.
constexpr std::size_t kTellingCharacters = 256;

// Behind the return type, or behind the length in a mangled name: "_Z15ncclKernel...", "_ZN2ck...".
std::string_view function_start(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) {
    name.remove_prefix(kVoid.size());
  }
  constexpr std::string_view kMangled = "_z";
  if (name.starts_with(kMangled)) {
    name.remove_prefix(kMangled.size());
    if (name.starts_with('n')) {
      name.remove_prefix(1);
    }
    name.remove_prefix(std::min(name.find_first_not_of("0123456789"), name.size()));
  }
  return name;
}

bool matches(const Rule& rule, std::string_view name, std::string_view start) {
  const bool found =
      rule.where == Where::AtStart ? start.starts_with(rule.text) : name.find(rule.text) != name.npos;
  return found && (rule.also.empty() || name.find(rule.also) != name.npos);
}

}  // namespace

std::string_view to_string(KernelClass kernel_class) {
  switch (kernel_class) {
    case Gemm: return "gemm";
    case Attention: return "attention";
    case Elementwise: return "elementwise";
    case Reduction: return "reduction";
    case Softmax: return "softmax";
    case Copy: return "copy";
    case Fill: return "fill";
    case Gather: return "gather";
    case Optimizer: return "optimizer";
    case Random: return "random";
    case Communication: return "communication";
    case Fused: return "fused";
    case Unknown:
    case kCount: break;
  }
  return "unknown";
}

bool is_compute_library(KernelClass kernel_class) {
  return kernel_class == Gemm || kernel_class == Attention;
}

bool is_fusible(KernelClass kernel_class) {
  switch (kernel_class) {
    case Elementwise:
    case Reduction:
    case Softmax:
    case Copy:
    case Fill:
    case Random:
    case Optimizer: return true;
    case Gemm:
    case Attention:
    case Gather:
    case Communication:
    case Fused:
    case Unknown:
    case kCount: break;
  }
  return false;
}

KernelClass classify_kernel(std::string_view name) {
  std::array<char, kTellingCharacters> lower;
  const std::size_t length = std::min(name.size(), lower.size());
  std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view telling(lower.data(), length);
  const std::string_view start = function_start(telling);
  const auto rule =
      std::ranges::find_if(kRules, [&](const Rule& each) { return matches(each, telling, start); });
  return rule == std::ranges::end(kRules) ? Unknown : rule->kernel_class;
}

Column<KernelClass> classify_activities(const profile::Profile& profile) {
  const profile::DeviceActivities& activities = profile.activities;
  std::vector<KernelClass> by_name(profile.strings.size(), kCount);  // kCount: not asked yet
  Column<KernelClass> classes;
  classes.reserve(activities.size());
  for (std::size_t row = 0; row < activities.size(); ++row) {
    switch (activities.kind[row]) {
      case profile::ActivityKind::Memcpy: classes.push_back(Copy); break;
      case profile::ActivityKind::Memset: classes.push_back(Fill); break;
      case profile::ActivityKind::Sync: classes.push_back(Unknown); break;
      case profile::ActivityKind::Kernel: {
        KernelClass& known = by_name[index_of(activities.name[row])];
        if (known == kCount) {
          known = classify_kernel(profile.text(activities.name[row]));
        }
        classes.push_back(known);
        break;
      }
    }
  }
  return classes;
}

}  // namespace foretell::timeline
