// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/mlp_b1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fusion-engine/workloads/graph_builder.hpp"

namespace foretell::workloads {
namespace {

// 64 x 64 weights are 16 KiB: a layer's product takes about as long as giving it to the device.
constexpr std::array kParameters{
    ParameterInfo{"batch", ParameterKind::Count, "1", 1, 1 << 24, "rows of the input"},
    ParameterInfo{"hidden", ParameterKind::Count, "64", 1, 1 << 20, "width of a layer"},
    ParameterInfo{"layers", ParameterKind::Count, "24", 1, 10'000, "layers one after another"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

// h = h + relu(h @ weight + bias), as often as there are layers.
Result<ir::Graph> build(std::span<const Parameter> parameters) {
  const ir::DType dtype = parameter(parameters, "dtype").dtype;
  const std::int64_t hidden = number(parameters, "hidden");
  GraphBuilder b("mlp-b1");
  ir::Term h = b.input("x", {dtype, {number(parameters, "batch"), hidden}});
  for (std::int64_t layer = 0; layer < number(parameters, "layers"); ++layer) {
    const ir::Term weight = b.input(fmt::format("weight{}", layer), {dtype, {hidden, hidden}});
    const ir::Term bias = b.input(fmt::format("bias{}", layer), {dtype, {hidden}});
    h = h + apply(ir::OpKind::Relu, apply(ir::OpKind::Matmul, {h, weight}) + bias);
  }
  return b.finish("y", h);
}

std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  return at_most(parameters, "batch", elements / number(parameters, "hidden"));
}

}  // namespace

WorkloadInfo mlp_b1() {
  return {"mlp-b1", "a small perceptron at batch 1: many small ops", kParameters, nullptr, build, shrink};
}

}  // namespace foretell::workloads
