// SPDX-License-Identifier: Apache-2.0
// Reductions, movement, random and composite ops against the interpreter.
#include <cmath>
#include <cstring>
#include <limits>

#include "fusion-engine/runtime/cpu/kernels/kernel_test_call.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::AttrKey;
using ir::DType;
using ir::Ints;
using ir::OpKind;
using ir::Shape;

constexpr DType kFloats[] = {DType::F32, DType::F64, DType::BF16, DType::F16};
constexpr DType kNumbers[] = {DType::F32, DType::F64, DType::BF16, DType::F16, DType::I32, DType::I64};

// All non-empty sets of axes.
std::vector<Ints> axis_sets(std::size_t rank) {
  std::vector<Ints> sets;
  for (std::size_t bits = 1; bits < std::size_t{1} << rank; ++bits) {
    Ints axes;
    for (std::size_t i = 0; i < rank; ++i) {
      if ((bits >> i & 1U) != 0) {
        axes.push_back(static_cast<std::int64_t>(i));
      }
    }
    sets.push_back(axes);
  }
  return sets;
}

TEST(Reductions, OverAnyAxesOfAnyLayout) {
  for (const Shape& shape : {Shape{67}, Shape{5, 35}, Shape{3, 1, 18}, Shape{2, 3, 4, 5}, Shape{300, 3}}) {
    for (const Ints& axes : axis_sets(shape.rank())) {
      for (const DType dtype : kNumbers) {
        for (const OpKind op : {OpKind::Sum, OpKind::Amax, OpKind::Amin, OpKind::Mean, OpKind::Var}) {
          if ((op == OpKind::Mean || op == OpKind::Var) && !ir::is_float(dtype)) {
            continue;
          }
          ir::Attributes attributes{{AttrKey::Axes, axes}, {AttrKey::KeepDims, shape.rank() % 2 == 0}};
          expect_matches_interpreter({.op = op, .inputs = {{dtype, shape}}, .attributes = attributes});
        }
      }
    }
  }
}

TEST(Reductions, LongEnoughForChunks) {
  for (const OpKind op : {OpKind::Sum, OpKind::Mean, OpKind::Amax, OpKind::Var}) {
    for (const Ints& axes : {Ints{0}, Ints{0, 1}}) {
      expect_matches_interpreter(
          {.op = op, .inputs = {{DType::F32, {70'001, 5}}}, .attributes = {{AttrKey::Axes, axes}}});
    }
  }
  expect_matches_interpreter(
      {.op = OpKind::Sum, .inputs = {{DType::I32, {300'000}}}, .attributes = {{AttrKey::Axes, Ints{0}}}});
}

TEST(Reductions, OfNothingIsZero) {
  expect_matches_interpreter(
      {.op = OpKind::Sum, .inputs = {{DType::F32, {3, 0}}}, .attributes = {{AttrKey::Axes, Ints{1}}}});
}

TEST(Reductions, ArgmaxOverAnyAxis) {
  for (const DType dtype : kNumbers) {
    for (const Shape& shape : {Shape{67}, Shape{5, 35}, Shape{2, 3, 40}, Shape{2, 1100}}) {
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.rank()); ++axis) {
        expect_matches_interpreter(
            {.op = OpKind::Argmax, .inputs = {{dtype, shape}}, .attributes = {{AttrKey::Axis, axis}}});
      }
    }
  }
}

TEST(Reductions, ArgmaxTakesTheFirstOfEqualsAndTheFirstNaN) {
  ir::Graph graph;
  const ir::NodeId x = graph.input("x", {DType::F32, {2, 1500}}).value();
  ir::HostTensor values = ir::make_tensor(graph.type(x));
  for (const std::int64_t i : {700, 1400}) {
    ir::set(values, i, 3);
    ir::set(values, 1500 + i, std::numeric_limits<double>::quiet_NaN());
  }
  ir::set(values, 1500 + 2, 9);
  for (const Layout layout : {Layout::Dense, Layout::Transposed}) {
    const ir::NodeId id = graph.add(OpKind::Argmax, {x}, {{AttrKey::Axis, std::int64_t{1}}}).value();
    std::vector<LaidOut> in;
    in.push_back(lay_out(values, layout));
    const ir::HostTensor out = run_node(graph.node(id), in, 1, false);
    EXPECT_EQ(ir::get(out, 0), 700);
    EXPECT_EQ(ir::get(out, 1), 700);
  }
}

TEST(RowOps, SoftmaxAlongAnyAxis) {
  for (const DType dtype : kFloats) {
    for (const Shape& shape : {Shape{67}, Shape{5, 35}, Shape{2, 3, 40}, Shape{2, 1100}, Shape{4, 1}}) {
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.rank()); ++axis) {
        for (const OpKind op : {OpKind::Softmax, OpKind::LogSoftmax}) {
          expect_matches_interpreter(
              {.op = op, .inputs = {{dtype, shape}}, .attributes = {{AttrKey::Axis, axis}}});
        }
      }
    }
  }
}

TEST(RowOps, NormsWithAndWithoutWeights) {
  for (const DType dtype : kFloats) {
    for (const std::int64_t n : {1, 5, 64, 67, 1500}) {
      std::vector<ir::Type> inputs{{dtype, {3, 2, n}}};
      for (std::size_t count = 1; count <= 3; ++count) {
        expect_matches_interpreter({.op = OpKind::LayerNorm, .inputs = inputs});
        if (count < 3) {
          expect_matches_interpreter({.op = OpKind::RmsNorm, .inputs = inputs});
        }
        inputs.push_back({dtype, {n}});
      }
    }
  }
}

TEST(RowOps, Activations) {
  for (const DType dtype : kFloats) {
    for (const bool approximate : {false, true}) {
      expect_matches_interpreter({.op = OpKind::Gelu,
                                  .inputs = {{dtype, {3, 67}}},
                                  .attributes = {{AttrKey::Approximate, approximate}}});
    }
    expect_matches_interpreter({.op = OpKind::Silu, .inputs = {{dtype, {3, 67}}}});
  }
}

TEST(RowOps, Attention) {
  for (const DType dtype : kFloats) {
    for (const bool causal : {false, true}) {
      const ir::Attributes attributes{{AttrKey::Causal, causal}};
      expect_matches_interpreter(
          {.op = OpKind::Attention,
           .inputs = {{dtype, {2, 3, 35, 8}}, {dtype, {3, 40, 8}}, {dtype, {2, 1, 40, 70}}},
           .attributes = attributes});
      expect_matches_interpreter(
          {.op = OpKind::Attention,
           .inputs = {{dtype, {2, 33, 64}}, {dtype, {2, 33, 64}}, {dtype, {2, 33, 16}}, {dtype, {33, 33}}},
           .attributes = attributes});
    }
  }
}

TEST(RowOps, CrossEntropy) {
  for (const DType dtype : kFloats) {
    for (const DType index : {DType::I32, DType::I64}) {
      expect_matches_interpreter(
          {.op = OpKind::CrossEntropy, .inputs = {{dtype, {37, 50}}, {index, {37}}}, .bound = 50});
    }
  }
}

TEST(Sources, EqualTheInterpreter) {
  for (const DType dtype : kNumbers) {
    expect_matches_interpreter(
        {.op = OpKind::Iota,
         .inputs = {},
         .attributes = {
             {AttrKey::Shape, Ints{3, 41, 2}}, {AttrKey::Axis, std::int64_t{1}}, {AttrKey::To, dtype}}});
  }
  for (const DType dtype : kFloats) {
    for (const OpKind op : {OpKind::RandomUniform, OpKind::RandomNormal}) {
      expect_matches_interpreter({.op = op,
                                  .inputs = {},
                                  .attributes = {{AttrKey::Shape, Ints{3, 1001}},
                                                 {AttrKey::To, dtype},
                                                 {AttrKey::Seed, std::int64_t{5}},
                                                 {AttrKey::Counter, std::int64_t{2}}}});
    }
    expect_matches_interpreter(
        {.op = OpKind::Dropout,
         .inputs = {{dtype, {3, 1001}}},
         .attributes = {{AttrKey::Probability, 0.3}, {AttrKey::Counter, std::int64_t{2}}}});
  }
}

TEST(Movement, Pad) {
  for (const DType dtype : ir::kAllDTypes) {
    expect_matches_interpreter(
        {.op = OpKind::Pad,
         .inputs = {{dtype, {3, 4, 33}}},
         .attributes = {
             {AttrKey::Before, Ints{1, 0, 2}}, {AttrKey::After, Ints{0, 2, 1}}, {AttrKey::Value, 1.0}}});
  }
}

TEST(Movement, GatherAndChangeRowsAlongAnyAxis) {
  for (const DType dtype : kNumbers) {
    for (const DType index : {DType::I32, DType::I64}) {
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        const Shape shape{8, 9, 10};
        Shape updates;
        for (std::size_t i = 0; i < 3; ++i) {
          if (static_cast<std::int64_t>(i) == axis) {
            updates.push_back(2);
            updates.push_back(17);
          } else {
            updates.push_back(shape[i]);
          }
        }
        const ir::Attributes attributes{{AttrKey::Axis, axis}};
        expect_matches_interpreter(
            {.op = OpKind::Gather, .inputs = {{dtype, shape}, {index, {2, 17}}}, .attributes = attributes});
        for (const OpKind op : {OpKind::ScatterAdd, OpKind::IndexCopy}) {
          expect_matches_interpreter({.op = op,
                                      .inputs = {{dtype, shape}, {index, {2, 17}}, {dtype, updates}},
                                      .attributes = attributes});
        }
      }
    }
  }
}

TEST(Movement, AnIndexOutOfRangeIsReportedAndTouchesNothing) {
  for (const std::int64_t bad :
       {std::int64_t{-1}, std::int64_t{5}, std::numeric_limits<std::int64_t>::min()}) {
    ir::Graph graph;
    const ir::NodeId x = graph.input("x", {DType::F32, {5, 2}}).value();
    const ir::NodeId index = graph.input("index", {DType::I64, {3}}).value();
    const ir::NodeId updates = graph.input("updates", {DType::F32, {3, 2}}).value();
    const ir::NodeId gather =
        graph.add(OpKind::Gather, {x, index}, {{AttrKey::Axis, std::int64_t{0}}}).value();
    const ir::NodeId scatter =
        graph.add(OpKind::ScatterAdd, {x, index, updates}, {{AttrKey::Axis, std::int64_t{0}}}).value();
    const ir::HostTensor values = ir::random_tensor(graph.type(x), 1);
    const ir::HostTensor added = ir::random_tensor(graph.type(updates), 2);
    ir::HostTensor indices = ir::make_tensor(graph.type(index));
    std::memcpy(indices.bytes.data() + 8, &bad, 8);
    std::vector<LaidOut> in;
    in.push_back(lay_out(values, Layout::Dense));
    in.push_back(lay_out(indices, Layout::Dense));
    std::int64_t error = 0;
    const ir::HostTensor gathered = run_node(graph.node(gather), in, 1, false, &error);
    EXPECT_EQ(error, 2);
    EXPECT_EQ(ir::get(gathered, 2), 0);
    EXPECT_EQ(ir::get(gathered, 4), ir::get(values, 0));
    in.push_back(lay_out(added, Layout::Dense));
    error = 0;
    const ir::HostTensor scattered = run_node(graph.node(scatter), in, 1, false, &error);
    EXPECT_EQ(error, 2);
    for (std::int64_t i = 2; i < 10; ++i) {
      EXPECT_EQ(ir::get(scattered, i), ir::get(values, i));
    }
  }
}

// Lanes run from the last to the first here, and each meets some of the bad indices.
TEST(Indexing, ReportsTheLowestOfSeveralIndicesOutOfRange) {
  constexpr std::int64_t kCount = 1000;
  constexpr std::int64_t kFirstBad = 17;
  ir::Graph graph;
  const ir::NodeId x = graph.input("x", {DType::F32, {5, 64}}).value();
  const ir::NodeId index = graph.input("index", {DType::I64, {kCount}}).value();
  const ir::NodeId gather = graph.add(OpKind::Gather, {x, index}, {{AttrKey::Axis, std::int64_t{0}}}).value();
  const ir::HostTensor values = ir::random_tensor(graph.type(x), 1);
  ir::HostTensor indices = ir::make_tensor(graph.type(index));
  for (std::int64_t i = kFirstBad; i < kCount; i += 100) {
    ir::set(indices, i, 5);
  }
  std::vector<LaidOut> in;
  in.push_back(lay_out(values, Layout::Dense));
  in.push_back(lay_out(indices, Layout::Dense));
  std::int64_t error = 0;
  run_node(graph.node(gather), in, 4, false, &error);
  EXPECT_EQ(error, kFirstBad + 1);
}

}  // namespace
}  // namespace foretell::runtime::cpu
