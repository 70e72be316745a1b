// SPDX-License-Identifier: Apache-2.0
// Ops whose elements depend on their position: iota, the random ones, dropout.
#include <algorithm>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

void fill_iota(const KernelCall& call, std::int64_t first, std::int64_t n, std::int64_t* out) {
  const auto axis = static_cast<std::size_t>(call.attributes->integer(ir::AttrKey::Axis));
  const std::int64_t inner = ir::dense_strides(call.output.shape)[axis];
  const std::int64_t extent = call.output.shape[axis];
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = (first + i) / inner % extent;
  }
}

template <class T>
void fill_random(const FloatBlocks<T>& blocks, ir::OpKind op, const RandomBlock& block, const void* x, T* out,
                 std::int64_t n) {
  if (op == ir::OpKind::Dropout) {
    blocks.dropout(block, static_cast<const T*>(x), out, n);
  } else if (op == ir::OpKind::RandomNormal) {
    blocks.normal(block, out, n);
  } else {
    blocks.uniform(block, out, n);
  }
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const bool is_iota = call.op == ir::OpKind::Iota;
  const bool is_dropout = call.op == ir::OpKind::Dropout;
  const ir::DType type = is_iota ? ir::DType::I64 : ir::compute_type(call.output.dtype);
  RandomBlock block{};
  if (!is_iota) {
    block.seed = static_cast<std::uint64_t>(call.attributes->integer(ir::AttrKey::Seed));
    block.counter = static_cast<std::uint64_t>(call.attributes->integer(ir::AttrKey::Counter));
    block.probability = is_dropout ? call.attributes->real(ir::AttrKey::Probability) : 0;
  }
  Reader reader;
  if (is_dropout) {
    reader.open(call.inputs[0], call.output.shape, type);
  }
  Writer writer(call.output.data, call.output.dtype, type, call.stream_output);
  const std::int64_t last = std::min(end * kUnit, call.output.elements());
  for (std::int64_t i = begin * kUnit; i < last; i += kBlock) {
    const std::int64_t n = std::min(kBlock, last - i);
    block.first = static_cast<std::uint64_t>(i);
    const void* x = is_dropout ? reader.read(i, n) : nullptr;
    void* out = writer.target(i);
    if (is_iota) {
      fill_iota(call, i, n, static_cast<std::int64_t*>(out));
    } else if (type == ir::DType::F64) {
      fill_random(isa().f64, call.op, block, x, static_cast<double*>(out), n);
    } else {
      fill_random(isa().f32, call.op, block, x, static_cast<float*>(out), n);
    }
    writer.commit(i, n);
  }
  writer.finish();
}

std::int64_t units(const KernelCall& call, int /*stage*/) { return units_of(call.output.elements(), kUnit); }

}  // namespace

const CpuKernel kSourceKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
