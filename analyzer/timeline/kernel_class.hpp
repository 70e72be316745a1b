// SPDX-License-Identifier: Apache-2.0
// What kind of work a device activity does, by its name: a table of rules, one line each, first match wins
// (kernel_class.cpp). Copies and sets are classed by their kind of record.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/profile/profile.hpp"

namespace foretell::timeline {

enum class KernelClass : std::uint8_t {
  Gemm,           // matrix multiplication and convolution, from a library or not
  Attention,      // one fused attention kernel, forward or backward
  Elementwise,    // pointwise, broadcasting included
  Reduction,      // reductions, norms, pooling, scans and sorts
  Softmax,        // softmax, log-softmax, cross entropy
  Copy,           // copies and casts, memcpy records included
  Fill,           // constant fills, memset records included
  Gather,         // gather, scatter, index, embedding, concatenation, resampling
  Optimizer,      // parameter updates, foreach and fused multi-tensor kernels
  Random,         // random numbers and dropout masks
  Communication,  // collectives and peer transfers
  Fused,          // made by a compiler: Triton, Inductor, nvFuser, XLA
  Unknown,
  kCount,
};
inline constexpr std::size_t kKernelClasses = static_cast<std::size_t>(KernelClass::kCount);
std::string_view to_string(KernelClass kernel_class);  // as in JSON: "gemm"

// Library kernels that graph mode leaves as they are: gemm and attention.
bool is_compute_library(KernelClass kernel_class);
// Bound by the bytes they move, and a compiler may fuse them: elementwise, reduction, softmax, copy, fill,
// random, optimizer.
bool is_fusible(KernelClass kernel_class);

KernelClass classify_kernel(std::string_view name);

// Per row of profile.activities; Sync records are Unknown.
Column<KernelClass> classify_activities(const profile::Profile& profile);

}  // namespace foretell::timeline
