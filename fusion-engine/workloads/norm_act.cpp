// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/norm_act.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fusion-engine/workloads/graph_builder.hpp"

namespace foretell::workloads {
namespace {

constexpr std::array kParameters{
    ParameterInfo{"size", ParameterKind::Bytes, "64M", 8, std::int64_t{1} << 40, "bytes of a tensor"},
    ParameterInfo{"hidden", ParameterKind::Count, "1024", 1, 1 << 24, "length of a normalised row"},
    ParameterInfo{"layers", ParameterKind::Count, "1", 1, 10'000, "blocks one after another"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

std::int64_t row_bytes(std::span<const Parameter> parameters) {
  return number(parameters, "hidden") *
         static_cast<std::int64_t>(ir::size_bytes(parameter(parameters, "dtype").dtype));
}

Result<void> settle(std::span<Parameter> parameters) {
  return settle_bytes(parameters, "size", row_bytes(parameters), "a row of --hidden");
}

// x = x + gelu(layer_norm(x, weight, bias)), as often as there are layers.
Result<ir::Graph> build(std::span<const Parameter> parameters) {
  const ir::DType dtype = parameter(parameters, "dtype").dtype;
  const std::int64_t hidden = number(parameters, "hidden");
  const std::int64_t rows = number(parameters, "size") / row_bytes(parameters);
  GraphBuilder b("norm-act");
  ir::Term x = b.input("x", {dtype, {rows, hidden}});
  for (std::int64_t layer = 0; layer < number(parameters, "layers"); ++layer) {
    const ir::Term weight = b.input(fmt::format("weight{}", layer), {dtype, {hidden}});
    const ir::Term bias = b.input(fmt::format("bias{}", layer), {dtype, {hidden}});
    x = x + apply(ir::OpKind::Gelu, apply(ir::OpKind::LayerNorm, {x, weight, bias}));
  }
  return b.finish("y", x);
}

std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  const std::int64_t rows = std::max<std::int64_t>(1, elements / number(parameters, "hidden"));
  return at_most(parameters, "size", rows * row_bytes(parameters));
}

}  // namespace

WorkloadInfo norm_act() {
  return {"norm-act", "layer norm, GELU and residual: x + gelu(layer_norm(x))", kParameters, settle, build,
          shrink};
}

}  // namespace foretell::workloads
