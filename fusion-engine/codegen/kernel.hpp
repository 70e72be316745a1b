// SPDX-License-Identifier: Apache-2.0
// The binary interface between generated kernels and the executors, and the source of a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::codegen {

// Raised when executors begin to call kernels differently, or kernels rely on something new. It stands in the
// generated text and in the cache's keys.
inline constexpr int kKernelInterface = 2;

// Runs units [begin, end) of one stage. `buffers`: the group's inputs (start of each operand's `buffer`), its
// outputs, then the scratch memory if there is any. Units of a stage are independent; stages follow one
// another. An output's memory may be an input's, element by element (a state updated in place): no
// `restrict`.
using KernelEntry = void (*)(void* const* buffers, std::int64_t begin, std::int64_t end);

struct KernelStage {
  std::string symbol;  // extern "C"
  std::int64_t units = 0;
};

struct KernelSource {
  std::string name;
  std::string text;  // C++ of all stages, without the preamble
  std::vector<KernelStage> stages;
  std::int64_t scratch_bytes = 0;
};

struct CodegenOptions {
  int vector_bytes = 64;  // of the widest vector the target has: 16, 32 or 64
  // Outputs of at least this size are written with streaming stores (above the last-level cache they would
  // evict what is still needed, and pay a read for ownership).
  std::int64_t streaming_bytes = INT64_MAX;
  friend bool operator==(const CodegenOptions&, const CodegenOptions&) = default;
};

}  // namespace foretell::codegen
