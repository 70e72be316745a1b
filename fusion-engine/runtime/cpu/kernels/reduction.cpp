// SPDX-License-Identifier: Apache-2.0
// sum, mean, amax, amin, var. A block is summed in the compute type with fixed lanes, blocks in f64; integers
// in i64. With one chunk per result a unit finishes its tile; else there are stages: partial results (var: of
// the sum, then of the squared distances to the mean), and their combination.
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/reduction_layout.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

enum class Fold : std::uint8_t { Sum, Squares, Largest, Smallest };

// Partial results: double for floats, int64 for integers.
template <class T>
using Partial = std::conditional_t<std::is_same_v<T, std::int64_t>, std::int64_t, double>;

template <class T>
constexpr ir::DType kDType = std::is_same_v<T, float>    ? ir::DType::F32
                             : std::is_same_v<T, double> ? ir::DType::F64
                                                         : ir::DType::I64;

Fold fold_of(ir::OpKind op) {
  if (op == ir::OpKind::Amax) {
    return Fold::Largest;
  }
  return op == ir::OpKind::Amin ? Fold::Smallest : Fold::Sum;
}

template <class P>
P combine(Fold fold, P a, P b) {
  switch (fold) {
    case Fold::Largest: return a > b || a != a ? a : b;
    case Fold::Smallest: return a < b || a != a ? a : b;
    default: break;
  }
  if constexpr (std::is_same_v<P, std::int64_t>) {
    return static_cast<P>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

template <class T>
Partial<T> fold_block(Fold fold, const T* x, std::int64_t n, double center) {
  const auto& blocks = blocks_of<T>();
  switch (fold) {
    case Fold::Largest: return blocks.largest(x, n);
    case Fold::Smallest: return blocks.smallest(x, n);
    case Fold::Squares:
      if constexpr (!std::is_same_v<T, std::int64_t>) {
        return blocks.sum_of_squares(x, center, n);
      }
      break;
    case Fold::Sum: break;
  }
  return blocks.sum(x, n);
}

template <class T>
void fold_row(Fold fold, T* into, const T* x, const T* centers, std::int64_t n) {
  const auto& blocks = blocks_of<T>();
  switch (fold) {
    case Fold::Largest: blocks.largest_to(into, x, n); return;
    case Fold::Smallest: blocks.smallest_to(into, x, n); return;
    case Fold::Squares:
      if constexpr (!std::is_same_v<T, std::int64_t>) {
        blocks.add_squares_to(into, x, centers, n);
      }
      return;
    case Fold::Sum: blocks.add_to(into, x, n); return;
  }
}

// out[i] = the fold of elements [begin, end) of result first + i.
template <class T>
void fold_rows(const Tensor& operand, const ReductionLayout& layout, Fold fold, std::int64_t first,
               std::int64_t n, std::int64_t begin, std::int64_t end, const double* centers, Partial<T>* out) {
  Reader reader;
  reader.open(operand.data, operand.dtype, layout.reduced_axes, kDType<T>);
  for (std::int64_t i = 0; i < n; ++i) {
    reader.rebase(operand.at(position_of(layout.kept_axes, first + i).offset));
    const double center = centers == nullptr ? 0 : centers[i];
    Partial<T> total{};
    for (std::int64_t r = begin; r < end; r += kBlock) {
      const std::int64_t count = std::min(kBlock, end - r);
      const auto* x = static_cast<const T*>(reader.read(r, count));
      const Partial<T> part = fold_block(fold, x, count, center);
      total = r == begin ? part : combine(fold, total, part);
    }
    out[i] = total;
  }
}

// The same for a tile of columns. Sums are carried over to the wider type every few rows.
template <class T>
void fold_columns(const Tensor& operand, const ReductionLayout& layout, Fold fold, std::int64_t first,
                  std::int64_t n, std::int64_t begin, std::int64_t end, const double* centers,
                  Partial<T>* out) {
  constexpr std::int64_t kCarryRows = 64;
  alignas(kCacheLine) std::array<T, kBlock> row_total;
  alignas(kCacheLine) std::array<T, kBlock> row_centers;
  alignas(kCacheLine) std::array<T, kBlock> converted;
  for (std::int64_t i = 0; i < n && centers != nullptr; ++i) {
    row_centers[static_cast<std::size_t>(i)] = static_cast<T>(centers[i]);
  }
  const CastFunction cast = find_cast(operand.dtype, kDType<T>);
  const bool is_sum = fold == Fold::Sum || fold == Fold::Squares;
  const std::int64_t base = position_of(layout.kept_axes, first).offset;
  Position row = position_of(layout.reduced_axes, begin);
  for (std::int64_t r = begin; r < end;) {
    const std::int64_t stop = std::min(end, r + kCarryRows);
    const bool is_first = r == begin;
    std::fill_n(row_total.data(), n, T{});
    for (bool starts = !is_sum; r < stop; ++r, starts = false) {
      const std::byte* source = operand.at(base + row.offset);
      if (cast != nullptr) {
        cast(source, converted.data(), n);
        source = reinterpret_cast<const std::byte*>(converted.data());
      }
      const auto* x = reinterpret_cast<const T*>(source);
      if (starts) {
        std::copy_n(x, n, row_total.data());
      } else {
        fold_row(fold, row_total.data(), x, row_centers.data(), n);
      }
      if (layout.reduced_axes.rank > 0) {
        advance(layout.reduced_axes, row, 1);
      }
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const Partial<T> part = row_total[static_cast<std::size_t>(i)];
      out[i] = is_first ? part : combine(fold, out[i], part);
    }
  }
}

template <class T>
void fold_tile(const Tensor& operand, const ReductionLayout& layout, Fold fold, std::int64_t t,
               std::int64_t chunk, const double* centers, Partial<T>* out) {
  const std::int64_t begin = chunk * layout.chunk;
  const std::int64_t end = std::min(layout.count, begin + layout.chunk);
  const auto f = layout.by_columns ? fold_columns<T> : fold_rows<T>;
  f(operand, layout, fold, layout.tile_first(t), layout.tile_size(t), begin, end, centers, out);
}

// Divides by the count where the op asks for it, and stores.
template <class T>
void finish(const KernelCall& call, const ReductionLayout& layout, std::int64_t first, std::int64_t n,
            Partial<T>* values) {
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    double divisor = 1;
    if (call.op == ir::OpKind::Mean) {
      divisor = static_cast<double>(layout.count);
    } else if (call.op == ir::OpKind::Var) {
      divisor = static_cast<double>(layout.count - call.attributes->integer(ir::AttrKey::Correction));
    }
    for (std::int64_t i = 0; i < n && divisor != 1; ++i) {
      values[i] /= divisor;
    }
  }
  const ir::DType from = std::is_same_v<T, std::int64_t> ? ir::DType::I64 : ir::DType::F64;
  std::byte* to = call.output.data + first * static_cast<std::int64_t>(ir::size_bytes(call.output.dtype));
  if (const CastFunction cast = find_cast(from, call.output.dtype); cast != nullptr) {
    cast(values, to, n);
  } else {
    std::memcpy(to, values, static_cast<std::size_t>(n) * sizeof(*values));
  }
}

// Partial results of a stage lie as [tile][chunk][layout.tile] in the scratch memory.
template <class T>
Partial<T>* partials_of(const KernelCall& call, const ReductionLayout& layout, int stage, std::int64_t t) {
  auto* scratch = reinterpret_cast<Partial<T>*>(call.scratch);
  return scratch + (stage * layout.tiles + t) * layout.chunks * layout.tile;
}

template <class T>
void combine_chunks(const ReductionLayout& layout, Fold fold, const Partial<T>* partials, std::int64_t n,
                    Partial<T>* out) {
  std::copy_n(partials, n, out);
  for (std::int64_t c = 1; c < layout.chunks; ++c) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = combine(fold, out[i], partials[c * layout.tile + i]);
    }
  }
}

template <class P>
void divide_by(P* values, std::int64_t n, std::int64_t count) {
  for (std::int64_t i = 0; i < n; ++i) {
    values[i] /= static_cast<P>(count);
  }
}

template <class T>
void run_whole(const KernelCall& call, const ReductionLayout& layout, std::int64_t t) {
  std::array<Partial<T>, kUnit> values;
  const std::int64_t n = layout.tile_size(t);
  fold_tile<T>(call.inputs[0], layout, fold_of(call.op), t, 0, nullptr, values.data());
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    if (call.op == ir::OpKind::Var) {
      std::array<double, kUnit> centers;
      std::copy_n(values.data(), n, centers.data());
      divide_by(centers.data(), n, layout.count);
      fold_tile<T>(call.inputs[0], layout, Fold::Squares, t, 0, centers.data(), values.data());
    }
  }
  finish<T>(call, layout, layout.tile_first(t), n, values.data());
}

int stages_of(const KernelCall& call, const ReductionLayout& layout) {
  if (layout.chunks == 1) {
    return 1;
  }
  return call.op == ir::OpKind::Var ? 3 : 2;
}

template <class T>
void run_stage(const KernelCall& call, const ReductionLayout& layout, int stage, std::int64_t unit) {
  std::array<Partial<T>, kBlock> values;  // a tile with more than one chunk is no larger
  const bool is_var = call.op == ir::OpKind::Var;
  if (stage + 1 == stages_of(call, layout)) {
    const std::int64_t n = layout.tile_size(unit);
    combine_chunks<T>(layout, fold_of(call.op), partials_of<T>(call, layout, is_var ? 1 : 0, unit), n,
                      values.data());
    finish<T>(call, layout, layout.tile_first(unit), n, values.data());
    return;
  }
  const std::int64_t t = unit / layout.chunks;
  const std::int64_t chunk = unit % layout.chunks;
  Partial<T>* out = partials_of<T>(call, layout, stage, t) + chunk * layout.tile;
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    if (stage == 1) {
      const std::int64_t n = layout.tile_size(t);
      combine_chunks<T>(layout, Fold::Sum, partials_of<T>(call, layout, 0, t), n, values.data());
      divide_by(values.data(), n, layout.count);
      fold_tile<T>(call.inputs[0], layout, Fold::Squares, t, chunk, values.data(), out);
      return;
    }
  }
  fold_tile<T>(call.inputs[0], layout, fold_of(call.op), t, chunk, nullptr, out);
}

ReductionLayout layout_of(const KernelCall& call) {
  return reduction_layout(call.inputs[0], call.attributes->ints(ir::AttrKey::Axes));
}

template <class T>
void run_as(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) {
  const auto& layout = layout_in<ReductionLayout>(call);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    if (layout.chunks == 1) {
      run_whole<T>(call, layout, unit);
    } else {
      run_stage<T>(call, layout, stage, unit);
    }
  }
}

void run(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) {
  const ir::DType dtype = call.inputs[0].dtype;
  if (dtype == ir::DType::F64) {
    run_as<double>(call, stage, begin, end);
  } else if (ir::is_float(dtype)) {
    run_as<float>(call, stage, begin, end);
  } else {
    run_as<std::int64_t>(call, stage, begin, end);
  }
}

int stages(const KernelCall& call) { return stages_of(call, layout_in<ReductionLayout>(call)); }

std::int64_t units(const KernelCall& call, int stage) {
  const auto& layout = layout_in<ReductionLayout>(call);
  return stage + 1 == stages_of(call, layout) ? layout.tiles : layout.tiles * layout.chunks;
}

std::int64_t scratch_bytes(const KernelCall& call) {
  const auto& layout = layout_in<ReductionLayout>(call);
  const std::int64_t passes = stages_of(call, layout) - 1;
  return passes * layout.tiles * layout.chunks * layout.tile * 8;
}

}  // namespace

const CpuKernel kReductionKernel{lay_out<layout_of>, stages, units, scratch_bytes, run};

}  // namespace foretell::runtime::cpu::kernels
