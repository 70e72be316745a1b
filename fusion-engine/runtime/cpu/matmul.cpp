// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/matmul.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/conversion.hpp"
#include "fusion-engine/runtime/cpu/matmul_f64.hpp"

namespace foretell::runtime::cpu {
namespace {

struct F64Work {
  MatmulBlocks blocks;
  const std::byte* a;
  const std::byte* b;
  std::byte* c;

  void operator()(const Lane& lane) const {
    const std::int64_t units = blocks.units();
    for (std::int64_t unit = lane.begin(units); unit < lane.end(units); ++unit) {
      const MatmulBlocks::Block block = blocks.block(unit);
      multiply_f64(
          block.m, block.n, blocks.k,
          {reinterpret_cast<const double*>(a) + block.a_offset, blocks.a.row_stride, blocks.a.column_stride},
          {reinterpret_cast<const double*>(b) + block.b_offset, blocks.b.row_stride, blocks.b.column_stride},
          reinterpret_cast<double*>(c) + block.c_offset, blocks.n);
    }
  }
};

struct LibraryWork {
  MatmulBlocks blocks;
  // By whether the block is a last one along m, along n: those may be smaller.
  std::array<std::array<MatmulLibrary::Product*, 2>, 2> products;
  std::int64_t element_bytes;
  const std::byte* a;
  const std::byte* b;
  std::byte* c;
  std::byte* scratch;
  std::size_t scratch_bytes;  // of a lane
  std::atomic<int>* status;

  void operator()(const Lane& lane) const {
    const std::int64_t units = blocks.units();
    for (std::int64_t unit = lane.begin(units); unit < lane.end(units); ++unit) {
      const MatmulBlocks::Block block = blocks.block(unit);
      MatmulLibrary::Product* const product =
          products[block.m < blocks.block_m ? 1 : 0][block.n < blocks.block_n ? 1 : 0];
      MatmulLibrary::run(*product, lane.rank, a + block.a_offset * element_bytes,
                         b + block.b_offset * element_bytes, c + block.c_offset * element_bytes,
                         scratch + static_cast<std::size_t>(lane.rank) * scratch_bytes, *status);
    }
  }
};

}  // namespace

Matmul::Matmul(CpuDevice& device) : device_(device), library_(device.stream->team_size()) {}

Result<void> Matmul::launch_library(const Tensor& a, const Tensor& b, const MatmulBlocks& blocks,
                                    const Tensor& result) {
  FORETELL_CHECK(blocks.block_m > 0 && blocks.block_n > 0);  // the result has elements
  LibraryWork work{.blocks = blocks,
                   .products = {},
                   .element_bytes = static_cast<std::int64_t>(ir::size_bytes(result.dtype)),
                   .a = a.data,
                   .b = b.data,
                   .c = result.data,
                   .scratch = nullptr,
                   .scratch_bytes = 0,
                   .status = &status_};
  for (const bool last_m : {false, true}) {
    for (const bool last_n : {false, true}) {
      const std::int64_t m = last_m ? blocks.m % blocks.block_m : blocks.block_m;
      const std::int64_t n = last_n ? blocks.n % blocks.block_n : blocks.block_n;
      if (m == 0 || n == 0) {
        continue;
      }
      FORETELL_ASSIGN_OR_RETURN(MatmulLibrary::Product* const product,
                                library_.prepare({.dtype = result.dtype,
                                                  .m = m,
                                                  .n = n,
                                                  .k = blocks.k,
                                                  .a = blocks.a,
                                                  .b = blocks.b,
                                                  .c_row_stride = blocks.n}));
      work.products[last_m ? 1 : 0][last_n ? 1 : 0] = product;
      work.scratch_bytes =
          std::max(work.scratch_bytes, (MatmulLibrary::scratch_bytes(*product) + 63) / 64 * 64);
    }
  }
  const std::size_t scratch_bytes =
      work.scratch_bytes * static_cast<std::size_t>(device_.stream->team_size());
  if (scratch_bytes > 0) {
    work.scratch = device_.allocator->allocate(scratch_bytes);
  }
  device_.stream->launch(work);
  if (scratch_bytes > 0) {
    device_.allocator->release(work.scratch, scratch_bytes);
  }
  return {};
}

Result<void> Matmul::launch(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b,
                            const Tensor& result, StepCounters& counters) {
  if (result.elements() == 0) {
    return {};
  }
  const bool is_f64 = result.dtype == ir::DType::F64;
  if (!is_f64 && result.dtype != ir::DType::F32 && !library_.has(result.dtype)) {
    return launch_in_f32(device_, std::array{a, b}, result, counters,
                         [&](const auto& operands, const Tensor& wide) {
                           return launch(operands[0], operands[1], transpose_a, transpose_b, wide, counters);
                         });
  }
  const auto count = [&] {
    ++counters.launches;
    counters.bytes_read += bytes_read(a) + bytes_read(b);
    counters.bytes_written += result.size_bytes();
  };
  MatmulBlocks blocks =
      make_matmul_blocks(a, b, transpose_a, transpose_b, result.shape, device_.stream->team_size());
  if (blocks.k == 0) {
    launch_zeros(device_, result);
    count();
    return {};
  }
  if (is_f64) {
    device_.stream->launch(F64Work{.blocks = blocks, .a = a.data, .b = b.data, .c = result.data});
    count();
    return {};
  }
  const bool copy_a = !is_library_layout(blocks.a, blocks.m, blocks.k);
  const bool copy_b = !is_library_layout(blocks.b, blocks.k, blocks.n);
  std::array<Tensor, 2> operands{a, b};
  std::array<std::byte*, 2> copies{};
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (i == 0 ? copy_a : copy_b) {
      copies[i] = device_.allocator->allocate(bytes_of(operands[i]));
      operands[i] = launch_conversion(device_, operands[i], operands[i].dtype, copies[i], counters);
    }
  }
  if (copy_a || copy_b) {
    blocks = make_matmul_blocks(operands[0], operands[1], transpose_a, transpose_b, result.shape,
                                device_.stream->team_size());
  }
  auto launched = launch_library(operands[0], operands[1], blocks, result);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (copies[i] != nullptr) {
      device_.allocator->release(copies[i], bytes_of(operands[i]));
    }
  }
  count();
  return launched;
}

Result<void> Matmul::take_error() {
  const int status = status_.exchange(0, std::memory_order_relaxed);
  if (status != 0) {
    return fail(ErrorCode::Environment, "matmul", "oneDNN failed with status " + std::to_string(status));
  }
  return {};
}

}  // namespace foretell::runtime::cpu
