// SPDX-License-Identifier: Apache-2.0
// For tests: runs the kernel of a node over tensors of any layout, and compares with the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fusion-engine/interp/drift.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/kernel.hpp"
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu {

enum class Layout : std::uint8_t {
  Dense,
  Transposed,  // column-major
  Spaced,      // every second element of a memory twice as long, extents in order
};

// A tensor's memory and its reading. A copy would read the original's memory.
struct LaidOut {
  LaidOut() = default;
  LaidOut(LaidOut&&) = default;
  std::vector<std::byte> memory;
  Tensor tensor;
};

inline LaidOut lay_out(const ir::HostTensor& host, Layout layout) {
  LaidOut result;
  const std::size_t bytes = ir::size_bytes(host.type.dtype);
  ir::Dims strides = ir::dense_strides(host.type.shape);
  const std::size_t rank = host.type.shape.rank();
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < rank && layout == Layout::Transposed; ++i) {
    strides[i] = stride;
    stride *= host.type.shape[i];
  }
  for (std::size_t i = 0; i < rank && layout == Layout::Spaced; ++i) {
    strides[i] *= 2;
  }
  result.memory.resize((host.bytes.size() + bytes) * 2);
  result.tensor = {
      .data = result.memory.data(), .dtype = host.type.dtype, .shape = host.type.shape, .strides = strides};
  const std::int64_t count = ir::elements(host.type.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += rest % host.type.shape[axis] * strides[axis];
      rest /= host.type.shape[axis];
    }
    std::copy_n(host.bytes.data() + static_cast<std::size_t>(i) * bytes, bytes,
                result.memory.data() + static_cast<std::size_t>(offset) * bytes);
  }
  return result;
}

// All stages, as a team of `lanes` would run them.
inline void run_kernel(const CpuKernel& kernel, KernelCall call, std::int64_t lanes) {
  alignas(kernels::kCacheLine) std::array<std::byte, kMaxLayoutBytes> layout;
  if (kernel.lay_out != nullptr) {
    kernel.lay_out(call, layout.data());
    call.layout = layout.data();
  }
  std::vector<double> scratch(static_cast<std::size_t>(kernel.scratch_bytes(call)) / sizeof(double) + 1,
                              -7.0);
  call.scratch = reinterpret_cast<std::byte*>(scratch.data());
  for (int stage = 0; stage < kernel.stages(call); ++stage) {
    const std::int64_t units = kernel.units(call, stage);
    for (std::int64_t lane = lanes; lane-- > 0;) {
      kernel.run(call, stage, units * lane / lanes, units * (lane + 1) / lanes);
    }
  }
}

struct TestOp {
  ir::OpKind op;
  std::vector<ir::Type> inputs;
  ir::Attributes attributes = {};
  std::int64_t bound = 8;  // of integer inputs
};

inline ir::HostTensor run_node(const ir::Node& node, const std::vector<LaidOut>& inputs, std::int64_t lanes,
                               bool stream, std::int64_t* error = nullptr) {
  ir::HostTensor out = ir::make_tensor(node.type);
  std::fill(out.bytes.begin(), out.bytes.end(), std::byte{0x3C});
  KernelCall call;
  call.op = node.op;
  call.attributes = &node.attributes;
  call.error = error;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    call.inputs[i] = inputs[i].tensor;
  }
  call.input_count = static_cast<std::uint8_t>(inputs.size());
  call.output = dense_tensor(out.bytes.data(), node.type.dtype, node.type.shape);
  call.stream_output = stream;
  const CpuKernel* kernel = find_kernel(node.op);
  EXPECT_NE(kernel, nullptr) << ir::to_string(node.op);
  if (kernel != nullptr) {
    run_kernel(*kernel, call, lanes);
  }
  return out;
}

// In every layout, team size and way of storing: the same bits, and within the interpreter's bound of its
// value.
inline void expect_matches_interpreter(const TestOp& test, std::uint64_t seed = 1) {
  constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e"};
  ir::Graph graph;
  std::vector<ir::NodeId> ids;
  std::vector<ir::HostTensor> inputs;
  for (const ir::Type& type : test.inputs) {
    ids.push_back(graph.input(kNames[ids.size()], type).value());
    inputs.push_back(ir::random_tensor(type, seed++, {.bound = test.bound}));
  }
  const Result<ir::NodeId> id = graph.add(test.op, ids, test.attributes);
  ASSERT_TRUE(id.has_value()) << id.error().message;
  ASSERT_TRUE(graph.output("y", *id).has_value());
  const auto want = interp::evaluate(graph, inputs, {.bounds = true});
  ASSERT_TRUE(want.has_value()) << want.error().message;
  const ir::Node& node = graph.node(*id);
  std::string told{ir::to_string(test.op)};
  for (const ir::Type& type : test.inputs) {
    told.append(" ").append(ir::to_string(type));
  }

  for (const Layout layout : {Layout::Dense, Layout::Transposed, Layout::Spaced}) {
    std::vector<LaidOut> laid_out;
    for (const ir::HostTensor& input : inputs) {
      laid_out.push_back(lay_out(input, layout));
    }
    const ir::HostTensor one = run_node(node, laid_out, 1, false);
    const interp::Drift drift = interp::compare(one, want->front());
    EXPECT_LE(drift.max_of_bound, 1) << told << ", layout " << static_cast<int>(layout) << ", max ulp "
                                     << drift.max_ulp;
    EXPECT_EQ(drift.nonfinite_mismatches, 0) << told;
    EXPECT_EQ(one.bytes, run_node(node, laid_out, 3, true).bytes) << told << ": differs with the team";
  }
}

}  // namespace foretell::runtime::cpu
