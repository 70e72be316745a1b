// SPDX-License-Identifier: Apache-2.0
// The library's convolutions (oneDNN), one thread to a block. Its exceptions end here.
//
// It is fast where channels are the innermost axis and weights lie as it likes; over the plain layout it
// falls back to matrices of windows, two to three times slower (a fortieth of the speed where each channel is
// its own group). So a run first lays out the operands in scratch memory, each image padded, and each block's
// result is laid out back where the thread that computed it still has it in its cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "fusion-engine/ir/dtype.hpp"
#include "fusion-engine/runtime/cpu/convolution_blocks.hpp"
#include "fusion-engine/runtime/cpu/stream.hpp"
#include "src/base/result.hpp"

namespace foretell::runtime::cpu {

class ConvolutionLibrary {
 public:
  explicit ConvolutionLibrary(int team_size);
  ~ConvolutionLibrary();

  // An op over dense tensors of one dtype; the batch isn't empty.
  struct Shape {
    ir::OpKind op{};
    ir::DType dtype = ir::DType::F32;
    ir::Convolution of;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  class Plan;

  // Whether the library has all three ops of the dtype, faster than a plain loop, on this machine.
  bool has(ir::DType dtype);
  // Made at first use, then kept. Errors (Unsupported): what the library says.
  Result<Plan*> prepare(const Shape& shape);
  // Memory a run of the whole team needs, 64-byte aligned.
  static std::size_t scratch_bytes(const Plan& plan);

  struct Addresses {
    const std::byte* a = nullptr;  // operands in the op's order
    const std::byte* b = nullptr;
    std::byte* result = nullptr;
    std::byte* scratch = nullptr;
  };
  // On every worker of the team. A failure is stored in `status`, as the library's number.
  static void run(Plan& plan, const Lane& lane, const Addresses& at, std::atomic<int>& status);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretell::runtime::cpu
