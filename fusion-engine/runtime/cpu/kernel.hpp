// SPDX-License-Identifier: Apache-2.0
// The eager kernels: one op, precompiled, vectorised, for every dtype and layout.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fusion-engine/ir/attributes.hpp"
#include "fusion-engine/ir/op_table.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

inline constexpr std::size_t kMaxKernelInputs = 5;
// As much as a command has room for beside a call with one input.
inline constexpr std::size_t kMaxLayoutBytes = 384;
inline constexpr int kMaxKernelStages = 3;  // var: means, squared distances, results

// All of a call but its inputs: what a command with fewer of them carries.
struct KernelHead {
  ir::OpKind op{};
  std::uint8_t input_count = 0;
  const ir::Attributes* attributes = nullptr;  // the node's; outlives the call
  Tensor output;                               // dense, but for copies
  bool stream_output = false;                  // write past the caches
  std::byte* scratch = nullptr;                // scratch_bytes() of it, 64-byte aligned
  // A kernel that meets an index out of range (ir::takes_index) stores the lowest such position of the
  // index operand, plus one, here; 0 before: there is none. No memory out of bounds is touched.
  std::int64_t* error = nullptr;
  // What the kernel's lay_out wrote for this call; whoever runs it owns the memory.
  const std::byte* layout = nullptr;
};
struct KernelCall : KernelHead {
  std::array<Tensor, kMaxKernelInputs> inputs;
};

// Work is cut into stages, a stage into independent units; a team's lanes take ranges of units. The result
// does not depend on how units are shared out.
struct CpuKernel {
  // Of kernels whose way through memory takes some working out: once per launch, to kMaxLayoutBytes that the
  // other functions then find in call.layout. Null: there is nothing to work out. Such kernels have one
  // input.
  void (*lay_out)(const KernelCall& call, std::byte* layout);
  int (*stages)(const KernelCall& call);
  std::int64_t (*units)(const KernelCall& call, int stage);
  std::int64_t (*scratch_bytes)(const KernelCall& call);
  void (*run)(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end);
};

// Whether the result lies where operand 0 does, so that only the rows that change are touched
// (ir::updates_first_operand).
inline bool writes_over_operand(const KernelCall& call) {
  return ir::updates_first_operand(call.op) && call.output.data == call.inputs[0].data;
}

// The kernel of an op: all but inputs, constants, views, concat, matmul and
// convolutions. nullptr for those.
const CpuKernel* find_kernel(ir::OpKind op);
// output = inputs[0], both of any strides, equal shapes and dtypes: materialises views, writes parts of a
// concat.
const CpuKernel& copy_kernel();

// The instruction set the kernels were chosen for on this machine: "avx512", "avx2", "sse2".
std::string_view kernel_isa();
// Bytes of its vectors: 64, 32, 16.
int kernel_vector_bytes();

}  // namespace foretell::runtime::cpu
