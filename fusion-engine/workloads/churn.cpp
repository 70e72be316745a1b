// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/churn.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "fusion-engine/workloads/graph_builder.hpp"

namespace foretell::workloads {
namespace {

constexpr std::int64_t kSizes = 16;  // from a sixteenth of --size to all of it

constexpr std::array kParameters{
    ParameterInfo{"branches", ParameterKind::Count, "32", 1, 10'000, "sizes in turn, six ops on each"},
    ParameterInfo{"size", ParameterKind::Bytes, "1M", kSizes * 8, std::int64_t{1} << 32,
                  "bytes of the largest tensor"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

std::int64_t unit_bytes(std::span<const Parameter> parameters) {
  return kSizes * static_cast<std::int64_t>(ir::size_bytes(parameter(parameters, "dtype").dtype));
}

Result<void> settle(std::span<Parameter> parameters) {
  return settle_bytes(parameters, "size", unit_bytes(parameters), "an element of each size");
}

// Values near 1 however many branches there are: each sum is halved.
Result<ir::Graph> build(std::span<const Parameter> parameters) {
  const ir::DType dtype = parameter(parameters, "dtype").dtype;
  const std::int64_t unit = number(parameters, "size") / unit_bytes(parameters);
  GraphBuilder b("churn");
  const ir::Term x = b.input("x", {dtype, {unit * kSizes}});
  const auto first = [](ir::Term of, std::int64_t count) {
    return apply(ir::OpKind::Slice, of,
                 {{ir::AttrKey::Starts, ir::Ints{0}}, {ir::AttrKey::Limits, ir::Ints{count}}});
  };
  ir::Term y = first(x, unit);
  for (std::int64_t branch = 0; branch < number(parameters, "branches"); ++branch) {
    // 7 has no divisor in common with 16: each size once in sixteen branches, and no two neighbours alike
    const ir::Term part = first(x, unit * (1 + (7 * branch) % kSizes));
    const ir::Term shifted = part + (1.0 / static_cast<double>(branch + 1));  // no branch equals another
    const ir::Term scaled = shifted * 0.75;
    const ir::Term cut = apply(ir::OpKind::Relu, scaled);
    const ir::Term sum = shifted + cut;
    const ir::Term product = sum * scaled;
    y = (y + first(product, unit)) * 0.5;
  }
  return b.finish("y", y);
}

std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  const std::int64_t units = std::max<std::int64_t>(1, elements / kSizes);
  return at_most(parameters, "size", units * unit_bytes(parameters));
}

static_assert(std::gcd(7, kSizes) == 1);

}  // namespace

WorkloadInfo churn() {
  return {"churn", "many intermediates of assorted sizes, each read twice", kParameters, settle, build,
          shrink};
}

}  // namespace foretell::workloads
