// SPDX-License-Identifier: Apache-2.0
// One result element from one element of each operand: rows of the table, casts, and the two activations that
// frameworks run as one op, forward and backward.
#include <algorithm>
#include <array>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"
#include "src/base/check.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

// Rows of at most this many operations stream as they compute. Longer ones, and narrow types, whose vectors
// are half a cache line, are faster computed into a block in the cache, which is then streamed
// (docs/measurements/eager-kernels.md).
constexpr int kCheapFlops = 2;

// What the block function is, what types it reads and writes, and whether it streams by itself.
struct Plan {
  BlockFunction function = nullptr;
  std::array<ir::DType, 3> operands{};
  ir::DType result = ir::DType::F32;
  bool streams = false;
};

template <class T>
BlockFunction activation(const FloatBlocks<T>& blocks, const KernelCall& call) {
  switch (call.op) {
    case ir::OpKind::Silu: return blocks.silu;
    case ir::OpKind::SiluGrad: return blocks.silu_grad;
    default: break;
  }
  const bool approximate = call.attributes->flag(ir::AttrKey::Approximate);
  if (call.op == ir::OpKind::GeluGrad) {
    return approximate ? blocks.gelu_tanh_grad : blocks.gelu_grad;
  }
  return approximate ? blocks.gelu_tanh : blocks.gelu;
}

Plan plan_of(const KernelCall& call) {
  const ir::OpInfo& row = ir::info(call.op);
  const bool is_select = row.types == ir::TypeRule::Select;
  const auto function_of = [&](ir::DType type) -> BlockFunction {
    if (ir::is_elementwise(call.op)) {
      return isa().elementwise[static_cast<std::size_t>(call.op)][static_cast<std::size_t>(type)];
    }
    return type == ir::DType::F64 ? activation(isa().f64, call) : activation(isa().f32, call);
  };
  // In the type it is stored in, if there is a function for it.
  ir::DType type = call.inputs[is_select ? 1 : 0].dtype;
  if (!ir::is_elementwise(call.op) || function_of(type) == nullptr) {
    type = ir::compute_type(type);
  }
  Plan plan{.function = nullptr, .operands = {type, type, type}, .result = type};
  if (is_select) {
    plan.operands[0] = ir::DType::Bool;
  }
  if (row.types == ir::TypeRule::Compare) {
    plan.result = ir::DType::Bool;
  }
  const bool is_cheap = ir::is_elementwise(call.op) && row.flops <= kCheapFlops;
  plan.streams = call.stream_output && is_cheap && ir::size_bytes(type) >= 4;
  plan.function = function_of(type);
  FORETELL_CHECK(plan.function != nullptr);
  return plan;
}

// A cast reads its operand as the result's type: then there is nothing left to compute.
void run_cast(const KernelCall& call, std::int64_t first, std::int64_t last) {
  const Tensor& x = call.inputs[0];
  const CastFunction cast = find_cast(x.dtype, call.output.dtype);
  Reader reader;
  reader.open(x, call.output.shape, x.dtype);
  Writer writer(call.output.data, call.output.dtype, call.output.dtype, call.stream_output);
  const auto bytes = static_cast<std::size_t>(ir::size_bytes(x.dtype));
  const std::int64_t step = reader.is_direct() && writer.is_direct() ? kUnit : kBlock;
  for (std::int64_t i = first; i < last; i += step) {
    const std::int64_t n = std::min(step, last - i);
    const void* source = reader.read(i, n);
    if (cast != nullptr) {
      cast(source, writer.target(i), n);
    } else {
      gather_run(static_cast<const std::byte*>(source), 1, bytes, n,
                 static_cast<std::byte*>(writer.target(i)));
    }
    const Reader::Stretch next = reader.stretch(i + n, std::min(step, last - i - n));
    writer.commit(i, n, {.data = next.data, .bytes = next.bytes});
  }
  writer.finish();
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin * kUnit;
  const std::int64_t last = std::min(end * kUnit, call.output.elements());
  if (call.op == ir::OpKind::Cast) {
    run_cast(call, first, last);
    return;
  }
  const Plan plan = plan_of(call);
  std::array<Reader, 3> readers;
  std::array<const void*, 3> in{};
  bool all_direct = true;
  for (std::size_t k = 0; k < call.input_count; ++k) {
    readers[k].open(call.inputs[k], call.output.shape, plan.operands[k]);
    all_direct = all_direct && readers[k].is_direct();
  }
  Writer writer(call.output.data, call.output.dtype, plan.result, call.stream_output && !plan.streams);
  const std::int64_t step = all_direct && writer.is_direct() ? kUnit : kBlock;
  for (std::int64_t i = first; i < last; i += step) {
    const std::int64_t n = std::min(step, last - i);
    for (std::size_t k = 0; k < call.input_count; ++k) {
      in[k] = readers[k].read(i, n);
    }
    plan.function(in[0], in[1], in[2], writer.target(i), n, plan.streams);
    writer.commit(i, n);
  }
  if (plan.streams) {
    isa().stream_fence();
  }
  writer.finish();
}

std::int64_t units(const KernelCall& call, int /*stage*/) { return units_of(call.output.elements(), kUnit); }

}  // namespace

const CpuKernel kElementwiseKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
