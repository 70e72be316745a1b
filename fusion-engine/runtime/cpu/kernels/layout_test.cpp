// SPDX-License-Identifier: Apache-2.0
// Every row and dtype, dense and strided, broadcast in every way, and the copy kernel.

#include "fusion-engine/runtime/cpu/kernels/kernel_test_call.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::DType;
using ir::OpKind;
using ir::Shape;
using ir::TypeRule;

struct Shapes {
  const char* name;
  Shape a;
  Shape b;
  Shape c;
};
const Shapes kShapes[] = {
    {"scalars", {}, {}, {}},
    {"empty", {0, 3}, {0, 3}, {0, 3}},
    {"dense", {7, 67}, {7, 67}, {7, 67}},
    {"scalar", {7, 67}, {}, {1, 1}},
    {"row", {5, 66}, {66}, {1, 66}},
    {"column", {5, 65}, {5, 1}, {65}},
    {"both", {9, 1}, {1, 64}, {9, 64}},
    {"middle", {2, 3, 5}, {2, 1, 5}, {3, 1}},
    {"longer than a block", {3, 1100}, {3, 1}, {1100}},
};

bool accepts(TypeRule rule, DType dtype) {
  switch (rule) {
    case TypeRule::Numeric: return dtype != DType::Bool;
    case TypeRule::Float: return ir::is_float(dtype);
    case TypeRule::Logical: return dtype == DType::Bool;
    case TypeRule::Compare:
    case TypeRule::Select: return true;
    case TypeRule::None: return false;
  }
  return false;
}

class Rows : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, Rows, testing::ValuesIn(ir::kAllDTypes),
                         [](const auto& type) { return std::string(ir::to_string(type.param)); });

TEST_P(Rows, EqualTheInterpreterInEveryLayout) {
  const DType dtype = GetParam();
  for (const ir::OpInfo& row : ir::all_ops()) {
    if (!accepts(row.types, dtype)) {
      continue;
    }
    for (const Shapes& shapes : kShapes) {
      SCOPED_TRACE(shapes.name);
      std::vector<ir::Type> inputs{{dtype, shapes.a}, {dtype, shapes.b}, {dtype, shapes.c}};
      inputs.resize(row.max_arity);
      if (row.types == TypeRule::Select) {
        inputs[0].dtype = DType::Bool;
      }
      expect_matches_interpreter({.op = row.kind, .inputs = inputs});
    }
  }
}

TEST_P(Rows, TailsOfEveryLength) {
  const DType dtype = GetParam();
  const OpKind op = dtype == DType::Bool ? OpKind::Xor : OpKind::Add;
  for (std::int64_t n = 0; n <= 67; ++n) {
    expect_matches_interpreter({.op = op, .inputs = {{dtype, {n}}, {dtype, {n}}}});
  }
}

TEST_P(Rows, CastToEveryType) {
  for (const DType to : ir::kAllDTypes) {
    for (const Shape& shape : {Shape{}, Shape{67}, Shape{5, 33}, Shape{2, 1030}}) {
      expect_matches_interpreter(
          {.op = OpKind::Cast, .inputs = {{GetParam(), shape}}, .attributes = {{ir::AttrKey::To, to}}});
    }
  }
}

TEST(Kernels, OfAnOpThatIsNone) {
  for (const OpKind op : {OpKind::Input, OpKind::Constant, OpKind::Matmul, OpKind::Concat, OpKind::Reshape}) {
    EXPECT_EQ(find_kernel(op), nullptr) << ir::to_string(op);
  }
}

// Copies between all orders of axes of both sides.
TEST_P(Rows, CopyBetweenAnyTwoLayouts) {
  const std::size_t bytes = ir::size_bytes(GetParam());
  const Shape shapes[] = {{}, {1}, {70}, {3, 5}, {33, 65}, {2, 1, 7}, {4, 35, 3}, {2, 3, 4, 5}, {0, 4}};
  for (const Shape& shape : shapes) {
    const ir::HostTensor host = ir::random_tensor({GetParam(), shape}, 3);
    for (const Layout from : {Layout::Dense, Layout::Transposed, Layout::Spaced}) {
      for (const Layout to : {Layout::Dense, Layout::Transposed, Layout::Spaced}) {
        for (const bool stream : {false, true}) {
          LaidOut source = lay_out(host, from);
          LaidOut target = lay_out(ir::make_tensor(host.type), to);
          LaidOut want = lay_out(host, to);
          KernelCall call;
          call.op = OpKind::Reshape;
          call.inputs[0] = source.tensor;
          call.output = target.tensor;
          call.input_count = 1;
          call.stream_output = stream;
          run_kernel(copy_kernel(), call, 3);
          EXPECT_EQ(target.memory, want.memory)
              << ir::to_string(shape) << " " << static_cast<int>(from) << " to " << static_cast<int>(to)
              << ", " << bytes << " bytes";
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
