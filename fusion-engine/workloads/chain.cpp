// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/chain.hpp"

#include <algorithm>
#include <array>

#include "fusion-engine/workloads/graph_builder.hpp"

namespace foretell::workloads {
namespace {

constexpr std::array kParameters{
    ParameterInfo{"ops", ParameterKind::Count, "3", 1, 100'000, "elementwise ops"},
    ParameterInfo{"size", ParameterKind::Bytes, "64M", 8, std::int64_t{1} << 40, "bytes of a tensor"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

std::int64_t element_bytes(std::span<const Parameter> parameters) {
  return static_cast<std::int64_t>(ir::size_bytes(parameter(parameters, "dtype").dtype));
}

Result<void> settle(std::span<Parameter> parameters) {
  return settle_bytes(parameters, "size", element_bytes(parameters), "an element");
}

// One op costs one arithmetic instruction per element and reads one tensor: far below what an element's way
// through memory takes. The constants are exact in every float type and keep values near 1 however long the
// chain is.
Result<ir::Graph> build(std::span<const Parameter> parameters) {
  const ir::DType dtype = parameter(parameters, "dtype").dtype;
  const std::int64_t elements = number(parameters, "size") / element_bytes(parameters);
  GraphBuilder b("chain");
  ir::Term x = b.input("x", {dtype, {elements}});
  const ir::Term half = b.constant(0.5, dtype);
  const ir::Term factor = b.constant(0.75, dtype);
  for (std::int64_t i = 0; i < number(parameters, "ops"); ++i) {
    switch (i % 3) {
      case 0: x = x + half; break;
      case 1: x = x * factor; break;
      default: x = apply(ir::OpKind::Relu, x); break;
    }
  }
  return b.finish("y", x);
}

std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  return at_most(parameters, "size", std::max<std::int64_t>(1, elements) * element_bytes(parameters));
}

}  // namespace

WorkloadInfo chain() {
  return {"chain", "N elementwise ops on one tensor, each bound by memory", kParameters, settle, build,
          shrink};
}

}  // namespace foretell::workloads
