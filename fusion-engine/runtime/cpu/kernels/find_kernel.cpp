// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"

namespace foretell::runtime::cpu {

const CpuKernel* find_kernel(ir::OpKind op) {
  using enum ir::OpKind;
  switch (op) {
    case Cast:
    case Gelu:
    case Silu:
    case GeluGrad:
    case SiluGrad: return &kernels::kElementwiseKernel;
    case Iota:
    case RandomUniform:
    case RandomNormal:
    case Dropout: return &kernels::kSourceKernel;
    case Sum:
    case Mean:
    case Amax:
    case Amin:
    case Var: return &kernels::kReductionKernel;
    case Argmax: return &kernels::kArgmaxKernel;
    case Pad: return &kernels::kPadKernel;
    case Gather: return &kernels::kGatherKernel;
    case ScatterAdd: return &kernels::kScatterAddKernel;
    case IndexCopy: return &kernels::kIndexCopyKernel;
    case Softmax:
    case LogSoftmax:
    case LayerNorm:
    case RmsNorm:
    case SoftmaxGrad:
    case LogSoftmaxGrad:
    case LayerNormGrad:
    case RmsNormGrad: return &kernels::kRowsKernel;
    case LayerNormWeightGrad:
    case RmsNormWeightGrad: return &kernels::kNormWeightKernel;
    case GroupNorm:
    case BatchNorm: return &kernels::kImageNormKernel;
    case UpsampleNearest: return &kernels::kUpsampleKernel;
    case Attention: return &kernels::kAttentionKernel;
    case CrossEntropy: return &kernels::kCrossEntropyKernel;
    case CrossEntropyGrad: return &kernels::kCrossEntropyGradKernel;
    default: return ir::is_elementwise(op) ? &kernels::kElementwiseKernel : nullptr;
  }
}

const CpuKernel& copy_kernel() { return kernels::kCopyKernel; }

}  // namespace foretell::runtime::cpu
