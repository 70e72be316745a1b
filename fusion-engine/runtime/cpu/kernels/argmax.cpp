// SPDX-License-Identifier: Apache-2.0
// The lowest index of the largest element; NaN counts as larger than all, the first one wins.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/reduction_layout.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x);
  } else {
    return false;
  }
}
template <class T>
bool is_larger(T x, T than) {
  return !is_nan(than) && (x > than || is_nan(x));
}

// A block is searched only where it holds something larger than what was seen.
template <class T>
void search_rows(const Tensor& operand, const ReductionLayout& layout, ir::DType as, std::int64_t first,
                 std::int64_t n, std::int64_t* out) {
  Reader reader;
  reader.open(operand.data, operand.dtype, layout.reduced_axes, as);
  for (std::int64_t i = 0; i < n; ++i) {
    reader.rebase(operand.at(position_of(layout.kept_axes, first + i).offset));
    std::int64_t best = 0;
    T best_value{};
    for (std::int64_t r = 0; r < layout.count; r += kBlock) {
      const std::int64_t count = std::min(kBlock, layout.count - r);
      const auto* x = static_cast<const T*>(reader.read(r, count));
      const T largest = blocks_of<T>().largest(x, count);
      if (r > 0 && !is_larger(largest, best_value)) {
        continue;
      }
      const auto* found = std::find_if(x, x + count, [&](T v) { return v == largest || is_nan(v); });
      best = r + (found - x);
      best_value = *found;
    }
    out[i] = best;
  }
}

template <class T>
void search_columns(const Tensor& operand, const ReductionLayout& layout, ir::DType as, std::int64_t first,
                    std::int64_t n, std::int64_t* out) {
  alignas(kCacheLine) std::array<T, kBlock> best;
  alignas(kCacheLine) std::array<T, kBlock> converted;
  const CastFunction cast = find_cast(operand.dtype, as);
  const std::int64_t base = position_of(layout.kept_axes, first).offset;
  Position row = position_of(layout.reduced_axes, 0);
  for (std::int64_t r = 0; r < layout.count; ++r) {
    const std::byte* source = operand.at(base + row.offset);
    if (cast != nullptr) {
      cast(source, converted.data(), n);
      source = reinterpret_cast<const std::byte*>(converted.data());
    }
    const auto* x = reinterpret_cast<const T*>(source);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const bool better = r == 0 || is_larger(x[i], best[i]);
      best[i] = better ? x[i] : best[i];
      out[i] = better ? r : out[i];
    }
    if (layout.reduced_axes.rank > 0) {
      advance(layout.reduced_axes, row, 1);
    }
  }
}

ReductionLayout layout_of(const KernelCall& call) {
  const std::int64_t axis = call.attributes->integer(ir::AttrKey::Axis);
  return reduction_layout(call.inputs[0], std::span(&axis, 1));
}

template <class T>
void run_as(const KernelCall& call, ir::DType as, std::int64_t begin, std::int64_t end) {
  const auto& layout = layout_in<ReductionLayout>(call);
  auto* out = reinterpret_cast<std::int64_t*>(call.output.data);
  for (std::int64_t t = begin; t < end; ++t) {
    const std::int64_t first = layout.tile_first(t);
    const auto search = layout.by_columns ? search_columns<T> : search_rows<T>;
    search(call.inputs[0], layout, as, first, layout.tile_size(t), out + first);
  }
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  const ir::DType dtype = call.inputs[0].dtype;
  if (dtype == ir::DType::F64) {
    run_as<double>(call, ir::DType::F64, begin, end);
  } else if (ir::is_float(dtype)) {
    run_as<float>(call, ir::DType::F32, begin, end);
  } else {
    run_as<std::int64_t>(call, ir::DType::I64, begin, end);
  }
}

std::int64_t units(const KernelCall& call, int /*stage*/) { return layout_in<ReductionLayout>(call).tiles; }

}  // namespace

const CpuKernel kArgmaxKernel{lay_out<layout_of>, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
