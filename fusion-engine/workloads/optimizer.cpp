// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/optimizer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fusion-engine/passes/differentiate.hpp"

namespace foretell::workloads {
namespace {

using ir::OpKind;
using ir::Term;

// What an update is of: a weight, or the flat tensor of all.
struct Target {
  std::string name;
  Term value;
  Term gradient;
};

Term zeros_like(GraphBuilder& b, const Target& target, const char* what) {
  return b.input(target.name + what, target.value.type(), 0.0);
}

// m = momentum m + g; w = w - rate m. The momentum is PyTorch's usual example; the rate is for losses near 1.
void add_sgd(GraphBuilder& b, std::span<const Target> targets) {
  constexpr double kMomentum = 0.9;
  constexpr double kRate = 0.01;
  for (const Target& target : targets) {
    const Term momentum = zeros_like(b, target, ".momentum");
    const Term next = momentum * kMomentum + target.gradient;
    b.update(momentum, next);
    const Term step = next * kRate;
    b.update(target.value, target.value - step);
  }
}

// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; w = w - rate m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + e),
// with the paper's constants. What all weights have in common is computed once, in f32.
void add_adam(GraphBuilder& b, std::span<const Target> targets) {
  constexpr double kBeta1 = 0.9;
  constexpr double kBeta2 = 0.999;
  constexpr double kRate = 1e-3;
  constexpr double kEpsilon = 1e-8;
  const Term step = b.input("step", {ir::DType::F32, {}}, 0.0);
  const Term count = step + 1.0;
  b.update(step, count);
  const auto correction = [&](double beta) { return 1.0 - apply(OpKind::Pow, {like(count, beta), count}); };
  const Term first_correction = correction(kBeta1);
  const Term rate = like(count, kRate) / first_correction;
  const Term inverse_root = apply(OpKind::Rsqrt, correction(kBeta2));
  for (const Target& target : targets) {
    const ir::DType dtype = target.value.dtype();
    const Term first = zeros_like(b, target, ".moment1");
    const Term new_first = target.gradient * (1 - kBeta1);
    const Term next_first = first * kBeta1 + new_first;
    b.update(first, next_first);
    const Term second = zeros_like(b, target, ".moment2");
    const Term new_second = apply(OpKind::Square, target.gradient) * (1 - kBeta2);
    const Term next_second = second * kBeta2 + new_second;
    b.update(second, next_second);
    const Term scale = cast(inverse_root, dtype);
    const Term deviation = apply(OpKind::Sqrt, next_second) * scale + kEpsilon;
    const Term change = next_first * cast(rate, dtype) / deviation;
    b.update(target.value, target.value - change);
  }
}

// One after another, in one tensor. A concat takes 64 operands at most.
Term flatten(std::vector<Term> parts) {
  for (Term& part : parts) {
    part = reshape(part, {ir::elements(part.shape())});
  }
  while (parts.size() > 1) {
    const std::size_t most = ir::info(OpKind::Concat).max_arity;
    std::vector<Term> joined;
    for (std::size_t i = 0; i < parts.size(); i += most) {
      joined.push_back(apply(OpKind::Concat, std::span(parts).subspan(i, std::min(most, parts.size() - i)),
                             {{ir::AttrKey::Axis, std::int64_t{0}}}));
    }
    parts = std::move(joined);
  }
  return parts.front();
}

Result<std::vector<Target>> find_targets(GraphBuilder& b, const Weights& weights, Term loss) {
  FORETELL_ASSIGN_OR_RETURN(const ir::NodeId loss_node, b.formula().finish(loss));
  std::vector<ir::NodeId> values;
  std::ranges::transform(weights.all(), std::back_inserter(values),
                         [](const Weights::Weight& weight) { return weight.value.id; });
  FORETELL_ASSIGN_OR_RETURN(const auto ids, passes::add_gradients(b.formula().graph(), loss_node, values));
  std::vector<Term> gradients;
  std::ranges::transform(ids, std::back_inserter(gradients),
                         [&](ir::NodeId id) { return b.formula().term(id); });
  std::vector<Target> targets;
  if (weights.flat()) {
    targets.push_back({"weights", *weights.flat(), flatten(std::move(gradients))});
    return targets;
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    targets.push_back({weights.all()[i].name, weights.all()[i].value, gradients[i]});
  }
  return targets;
}

}  // namespace

Result<ir::Graph> training_step(std::string name, std::span<const Parameter> parameters, const Model& model) {
  const ir::DType dtype = parameter(parameters, "dtype").dtype;
  GraphBuilder b(name);
  // how much a flat tensor has to hold is known once the model is there
  GraphBuilder apart_builder(std::move(name));
  Weights apart(apart_builder, dtype);
  const bool flat = parameter(parameters, "updates").choice == "foreach";
  if (flat) {
    model(apart_builder, apart);
    FORETELL_RETURN_IF_ERROR(apart_builder.finish());
  }
  Weights weights = flat ? Weights(b, dtype, apart) : Weights(b, dtype);
  const Term loss = model(b, weights);
  b.output("loss", loss);
  FORETELL_ASSIGN_OR_RETURN(const std::vector<Target> targets, find_targets(b, weights, loss));
  parameter(parameters, "optimizer").choice == "sgd" ? add_sgd(b, targets) : add_adam(b, targets);
  return b.finish();
}

}  // namespace foretell::workloads
