// SPDX-License-Identifier: Apache-2.0
// The lowest index of the largest element; NaN counts as larger than all, the first one wins.
#include <algorithm>
#include <array>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/reduction_layout.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

template <class T>
bool is_larger(T x, T than) {
  return than == than && (x > than || x != x);
}

template <class T>
T largest_of(const T* x, std::int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    return isa().f32.largest(x, n);
  } else if constexpr (std::is_same_v<T, double>) {
    return isa().f64.largest(x, n);
  } else {
    return isa().i64.largest(x, n);
  }
}

const std::byte* at(const Tensor& tensor, std::int64_t offset) {
  return tensor.data + offset * static_cast<std::int64_t>(ir::size_bytes(tensor.dtype));
}

// A block is searched only where it holds something larger than what was seen.
template <class T>
void search_rows(const ReductionLayout& layout, ir::DType as, std::int64_t first, std::int64_t n,
                 std::int64_t* out) {
  Reader reader;
  reader.open(layout.reduced, layout.reduced.shape, as);
  for (std::int64_t i = 0; i < n; ++i) {
    reader.rebase(at(layout.kept, position_of(layout.kept_axes, first + i).offset));
    std::int64_t best = 0;
    T best_value{};
    for (std::int64_t r = 0; r < layout.count; r += kBlock) {
      const std::int64_t count = std::min(kBlock, layout.count - r);
      const auto* x = static_cast<const T*>(reader.read(r, count));
      const T largest = largest_of(x, count);
      if (r > 0 && !is_larger(largest, best_value)) {
        continue;
      }
      const auto* found = std::find_if(x, x + count, [&](T v) { return v == largest || v != v; });
      best = r + (found - x);
      best_value = *found;
    }
    out[i] = best;
  }
}

template <class T>
void search_columns(const ReductionLayout& layout, ir::DType as, std::int64_t first, std::int64_t n,
                    std::int64_t* out) {
  alignas(kCacheLine) std::array<T, kBlock> best;
  alignas(kCacheLine) std::array<T, kBlock> converted;
  const CastFunction cast = find_cast(layout.kept.dtype, as);
  const std::int64_t base = position_of(layout.kept_axes, first).offset;
  Position row = position_of(layout.reduced_axes, 0);
  for (std::int64_t r = 0; r < layout.count; ++r) {
    const std::byte* source = at(layout.kept, base + row.offset);
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
  return reduction_layout(call.inputs[0], {call.attributes->integer(ir::AttrKey::Axis)});
}

template <class T>
void run_as(const KernelCall& call, ir::DType as, std::int64_t begin, std::int64_t end) {
  const ReductionLayout layout = layout_of(call);
  auto* out = reinterpret_cast<std::int64_t*>(call.output.data);
  for (std::int64_t t = begin; t < end; ++t) {
    const std::int64_t first = layout.tile_first(t);
    const auto search = layout.by_columns ? search_columns<T> : search_rows<T>;
    search(layout, as, first, layout.tile_size(t), out + first);
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

std::int64_t units(const KernelCall& call, int /*stage*/) { return layout_of(call).tiles; }

}  // namespace

const CpuKernel kArgmaxKernel{one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
