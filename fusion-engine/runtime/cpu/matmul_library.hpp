// SPDX-License-Identifier: Apache-2.0
// The matrix library (oneDNN), as products of two matrices on one thread. Its exceptions end here.
//
// The stream's workers run blocks of a product side by side, each with the library on its own thread: a
// second pool of threads would spin on the workers' cores after each product, and have to be placed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "fusion-engine/ir/dtype.hpp"
#include "fusion-engine/runtime/cpu/matmul_blocks.hpp"
#include "src/base/result.hpp"

namespace foretell::runtime::cpu {

class MatmulLibrary {
 public:
  explicit MatmulLibrary(int team_size);
  ~MatmulLibrary();

  // c[m,n] = a[m,k] * b[k,n] of one dtype, c by rows. Layouts as is_library_layout says; m, n, k >= 1.
  struct Shape {
    ir::DType dtype = ir::DType::F32;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    MatrixLayout a;
    MatrixLayout b;
    std::int64_t c_row_stride = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  class Product;

  // Whether the library multiplies the dtype faster than a plain loop on this machine.
  bool has(ir::DType dtype);
  // Made at first use, then kept. Errors (Unsupported): what the library says.
  Result<Product*> prepare(const Shape& shape);
  // Memory each run needs, 64-byte aligned.
  static std::size_t scratch_bytes(const Product& product);
  // On the worker `rank`. A failure is stored in `status`, as the library's number.
  static void run(Product& product, int rank, const std::byte* a, const std::byte* b, std::byte* c,
                  std::byte* scratch, std::atomic<int>& status);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretell::runtime::cpu
