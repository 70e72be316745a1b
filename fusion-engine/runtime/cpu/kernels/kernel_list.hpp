// SPDX-License-Identifier: Apache-2.0
// The kernels by kind of op, for find_kernel.cpp.
#pragma once

#include <new>
#include <type_traits>

#include "fusion-engine/runtime/cpu/kernel.hpp"

namespace foretell::runtime::cpu::kernels {

extern const CpuKernel kElementwiseKernel;  // all rows, cast, gelu, silu, their gradients
extern const CpuKernel kSourceKernel;       // iota, random_uniform, random_normal, dropout
extern const CpuKernel kReductionKernel;    // sum, mean, amax, amin, var
extern const CpuKernel kArgmaxKernel;
extern const CpuKernel kPadKernel;
extern const CpuKernel kGatherKernel;
extern const CpuKernel kScatterAddKernel;
extern const CpuKernel kIndexCopyKernel;
extern const CpuKernel kRowsKernel;  // softmax, log_softmax, layer_norm, rms_norm, their gradients
extern const CpuKernel kNormWeightKernel;
extern const CpuKernel kImageNormKernel;  // group_norm, batch_norm
extern const CpuKernel kUpsampleKernel;
extern const CpuKernel kAttentionKernel;
extern const CpuKernel kCrossEntropyKernel;
extern const CpuKernel kCrossEntropyGradKernel;
extern const CpuKernel kCopyKernel;

// What lay_out put into call.layout, and a lay_out that puts there what `f` gives.
template <class Layout>
const Layout& layout_in(const KernelCall& call) {
  return *std::launder(reinterpret_cast<const Layout*>(call.layout));
}
template <auto f>
void lay_out(const KernelCall& call, std::byte* layout) {
  using Layout = decltype(f(call));
  static_assert(std::is_trivially_copyable_v<Layout> && sizeof(Layout) <= kMaxLayoutBytes);
  new (layout) Layout(f(call));
}

// Of kernels with one stage, and without scratch memory.
inline int one_stage(const KernelCall& /*call*/) { return 1; }
inline std::int64_t no_scratch(const KernelCall& /*call*/) { return 0; }

}  // namespace foretell::runtime::cpu::kernels
