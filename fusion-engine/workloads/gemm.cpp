// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fusion-engine/workloads/graph_builder.hpp"

namespace foretell::workloads {
namespace {

constexpr std::array kParameters{
    ParameterInfo{"size", ParameterKind::Extents, "1024", 1, 1 << 20, "extents of a product: N, or M,N,K"},
    ParameterInfo{"layers", ParameterKind::Count, "2", 1, 10'000, "products one after another"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

// x [m,k] times a weight [k,n], the result times a weight [n,k], and so on.
Result<ir::Graph> build(std::span<const Parameter> parameters) {
  const ir::DType dtype = parameter(parameters, "dtype").dtype;
  const std::vector<std::int64_t>& extents = parameter(parameters, "size").numbers;
  std::int64_t inner = extents[2];
  std::int64_t outer = extents[1];
  GraphBuilder b("gemm");
  ir::Term x = b.input("x", {dtype, {extents[0], inner}});
  for (std::int64_t layer = 0; layer < number(parameters, "layers"); ++layer) {
    x = apply(ir::OpKind::Matmul, {x, b.input(fmt::format("weight{}", layer), {dtype, {inner, outer}})});
    std::swap(inner, outer);
  }
  return b.finish("y", x);
}

// Fewer rows: the length of a dot product, and with it the rounding of an element, stays.
std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  std::vector<Parameter> small(parameters.begin(), parameters.end());
  for (Parameter& each : small) {
    if (each.name == "size") {
      const std::int64_t row = std::max(each.numbers[1], each.numbers[2]);
      each.numbers[0] = std::min(each.numbers[0], std::max<std::int64_t>(1, elements / row));
    }
  }
  return small;
}

}  // namespace

WorkloadInfo gemm() {
  return {"gemm", "large matrix products only: nothing to fuse", kParameters, nullptr, build, shrink};
}

}  // namespace foretell::workloads
