// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/matmul_library.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

#include "fusion-engine/runtime/cpu/library_call.hpp"
#include "fusion-engine/runtime/cpu/one_thread.hpp"

namespace foretell::runtime::cpu {
namespace {

// Along an axis of one element any stride will do; the library wants one that looks dense.
dnnl::memory::desc describe(ir::DType dtype, std::int64_t rows, std::int64_t columns, MatrixLayout layout) {
  if (columns == 1 && layout.row_stride != 1) {
    layout.column_stride = 1;
  }
  if (rows == 1) {
    layout.row_stride = layout.column_stride == 1 ? columns : 1;
  }
  if (columns == 1 && layout.column_stride != 1) {
    layout.column_stride = layout.row_stride == 1 ? rows : 1;
  }
  return {{rows, columns}, library_type(dtype), {layout.row_stride, layout.column_stride}};
}

dnnl::matmul::primitive_desc describe(const MatmulLibrary::Shape& shape, const dnnl::engine& engine) {
  const dnnl::matmul::desc operation(
      describe(shape.dtype, shape.m, shape.k, shape.a), describe(shape.dtype, shape.k, shape.n, shape.b),
      describe(shape.dtype, shape.m, shape.n, {.row_stride = shape.c_row_stride, .column_stride = 1}));
  return {operation, with_own_scratch(), engine};
}

struct ShapeHash {
  std::size_t operator()(const MatmulLibrary::Shape& shape) const {
    std::size_t hash = static_cast<std::size_t>(shape.dtype);
    for (const std::int64_t value : {shape.m, shape.n, shape.k, shape.a.row_stride, shape.a.column_stride,
                                     shape.b.row_stride, shape.b.column_stride, shape.c_row_stride}) {
      hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
      hash ^= hash >> 32U;
    }
    return hash;
  }
};

}  // namespace

class MatmulLibrary::Product {
 public:
  Product(const dnnl::matmul::primitive_desc& description, const dnnl::engine& engine, int team_size)
      : call(dnnl::matmul(description), description.scratchpad_desc(),
             {{DNNL_ARG_SRC, description.src_desc()},
              {DNNL_ARG_WEIGHTS, description.weights_desc()},
              {DNNL_ARG_DST, description.dst_desc()}},
             engine, team_size) {}

  LibraryCall call;
};

struct MatmulLibrary::State {
  int team_size = 1;
  dnnl::engine engine;
  std::unordered_map<ir::DType, bool> has;
  std::unordered_map<Shape, std::unique_ptr<Product>, ShapeHash> products;
};

MatmulLibrary::MatmulLibrary(int team_size) : state_(std::make_unique<State>()) {
  state_->team_size = team_size;
}
MatmulLibrary::~MatmulLibrary() = default;

bool MatmulLibrary::has(ir::DType dtype) {
  if (const auto known = state_->has.find(dtype); known != state_->has.end()) {
    return known->second;
  }
  bool found = false;
  if (library_type(dtype) != dnnl::memory::data_type::undef) {
    try {
      const OneThread one_thread;
      if (!state_->engine) {
        state_->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
      }
      const Shape probe{.dtype = dtype,
                        .m = 64,
                        .n = 64,
                        .k = 64,
                        .a = {.row_stride = 64, .column_stride = 1},
                        .b = {.row_stride = 64, .column_stride = 1},
                        .c_row_stride = 64};
      // Where it has nothing better it offers its reference, a plain loop: "ref:any".
      found = !std::string_view(describe(probe, state_->engine).impl_info_str()).starts_with("ref");
    } catch (const dnnl::error&) {
      found = false;
    }
  }
  state_->has.emplace(dtype, found);
  return found;
}

Result<MatmulLibrary::Product*> MatmulLibrary::prepare(const Shape& shape) {
  if (const auto known = state_->products.find(shape); known != state_->products.end()) {
    return known->second.get();
  }
  try {
    const OneThread one_thread;
    if (!state_->engine) {
      state_->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
    }
    auto product =
        std::make_unique<Product>(describe(shape, state_->engine), state_->engine, state_->team_size);
    return state_->products.emplace(shape, std::move(product)).first->second.get();
  } catch (const dnnl::error& error) {
    return fail(ErrorCode::Unsupported, "matmul", std::string("oneDNN: ") + error.what());
  }
}

std::size_t MatmulLibrary::scratch_bytes(const Product& product) { return product.call.scratch_bytes(); }

void MatmulLibrary::run(Product& product, int rank, const std::byte* a, const std::byte* b, std::byte* c,
                        std::byte* scratch, std::atomic<int>& status) {
  try {
    product.call.run(rank, {a, b, c}, scratch);
  } catch (const dnnl::error& error) {
    status.store(static_cast<int>(error.status), std::memory_order_relaxed);
  }
}

}  // namespace foretell::runtime::cpu
