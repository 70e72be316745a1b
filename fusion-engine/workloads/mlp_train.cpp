// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/mlp_train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fusion-engine/workloads/layers.hpp"
#include "fusion-engine/workloads/optimizer.hpp"

namespace foretell::workloads {
namespace {

using ir::DType;
using ir::OpKind;
using ir::Term;

constexpr std::array kParameters{
    ParameterInfo{"batch", ParameterKind::Count, "64", 1, 1 << 24, "samples"},
    ParameterInfo{"hidden", ParameterKind::Count, "256", 1, 1 << 20, "width of a layer, and of a sample"},
    ParameterInfo{"layers", ParameterKind::Count, "4", 1, 10'000, "layers before the last one"},
    ParameterInfo{"classes", ParameterKind::Count, "32", 1, 1 << 20, "classes to tell apart"},
    kOptimizerParameter,
    kUpdatesParameter,
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

Result<ir::Graph> build(std::span<const Parameter> parameters) {
  return training_step("mlp-train", parameters, [&](GraphBuilder& b, Weights& weights) {
    const std::int64_t batch = number(parameters, "batch");
    const std::int64_t hidden = number(parameters, "hidden");
    Term h = b.input("x", {parameter(parameters, "dtype").dtype, {batch, hidden}});
    for (std::int64_t layer = 0; layer < number(parameters, "layers"); ++layer) {
      h = apply(OpKind::Relu, linear(weights, fmt::format("layer{}", layer), h, hidden));
    }
    const Term logits = linear(weights, "last", h, number(parameters, "classes"));
    const Term target = b.input("target", {DType::I64, {batch}});
    return apply(OpKind::CrossEntropy, {logits, target});
  });
}

// Fewer samples: sums over them, which the gradients of weights are, get shorter, and nothing else does.
std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  const std::int64_t rows = std::max(number(parameters, "batch"), number(parameters, "hidden"));
  const std::int64_t columns = std::max(number(parameters, "classes"), number(parameters, "hidden"));
  return with_less_batch(parameters, elements, rows * columns);
}

}  // namespace

WorkloadInfo mlp_train() {
  return {"mlp-train", "a training step of a perceptron", kParameters, nullptr, build, shrink};
}

}  // namespace foretell::workloads
