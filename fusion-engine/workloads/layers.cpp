// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/layers.hpp"

namespace foretell::workloads {
namespace {

using ir::AttrKey;
using ir::Ints;
using ir::OpKind;
using ir::Term;

Term swap_middle(Term x) { return apply(OpKind::Permute, x, {{AttrKey::Permutation, Ints{0, 2, 1, 3}}}); }

}  // namespace

Term product(Weights& weights, const std::string& name, Term x, std::int64_t features) {
  const std::int64_t inputs = x.shape()[1];
  return apply(OpKind::Matmul, {x, weights.uniform(name + ".weight", {inputs, features}, inputs)});
}

Term linear(Weights& weights, const std::string& name, Term x, std::int64_t features) {
  const Term bias = weights.filled(name + ".bias", features, 0);
  return product(weights, name, x, features) + bias;
}

Term layer_norm(Weights& weights, const std::string& name, Term x) {
  const std::int64_t features = x.shape()[1];
  const Term weight = weights.filled(name + ".weight", features, 1);
  const Term bias = weights.filled(name + ".bias", features, 0);
  return apply(OpKind::LayerNorm, {x, weight, bias});
}

Term feed_forward(Weights& weights, const std::string& name, Term x) {
  const std::int64_t features = x.shape()[1];
  const Term inner = apply(OpKind::Gelu, linear(weights, name + ".up", x, 4 * features));
  return linear(weights, name + ".down", inner, features);
}

Term split_heads(Term rows, const Heads& heads) {
  const std::int64_t length = rows.shape()[0] / heads.sequences;
  const std::int64_t extent = rows.shape()[1] / heads.heads;
  return swap_middle(reshape(rows, {heads.sequences, length, heads.heads, extent}));
}

Term merge_heads(Term split) {
  const ir::Shape shape = split.shape();
  return reshape(swap_middle(split), {shape[0] * shape[2], shape[1] * shape[3]});
}

Projections project(Weights& weights, const std::string& name, Term x, const Heads& heads) {
  const std::int64_t rows = x.shape()[0];
  const std::int64_t features = x.shape()[1];
  const Term all = product(weights, name, x, 3 * features);
  const auto part = [&](std::int64_t i) {
    const Term columns =
        apply(OpKind::Slice, all,
              {{AttrKey::Starts, Ints{0, i * features}}, {AttrKey::Limits, Ints{rows, (i + 1) * features}}});
    return split_heads(columns, heads);
  };
  return {.query = part(0), .key = part(1), .value = part(2)};
}

Term convolution(Weights& weights, const std::string& name, Term x, std::int64_t channels,
                 std::int64_t stride) {
  const std::int64_t inputs = x.shape()[1];
  const Term weight = weights.uniform(name + ".weight", {channels, inputs, 3, 3}, 9 * inputs);
  const Term bias = weights.filled(name + ".bias", channels, 0);
  const Term product = apply(OpKind::Conv2d, {x, weight},
                             {{AttrKey::Strides, Ints{stride, stride}}, {AttrKey::Padding, Ints{1, 1}}});
  return product + reshape(bias, {channels, 1, 1});
}

Term group_norm(Weights& weights, const std::string& name, Term x, std::int64_t groups) {
  const std::int64_t channels = x.shape()[1];
  const Term weight = weights.filled(name + ".weight", channels, 1);
  const Term bias = weights.filled(name + ".bias", channels, 0);
  return apply(OpKind::GroupNorm, {x, weight, bias}, {{AttrKey::Groups, groups}});
}

}  // namespace foretell::workloads
