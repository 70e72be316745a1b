// SPDX-License-Identifier: Apache-2.0
// Layers of the reference models, as frameworks define them. Rows are tokens or samples, [rows, features];
// `name` begins the names of the weights.
#pragma once

#include <cstdint>
#include <string>

#include "fusion-engine/workloads/weights.hpp"

namespace foretell::workloads {

// x weight, with `features` columns; linear: + bias.
ir::Term product(Weights& weights, const std::string& name, ir::Term x, std::int64_t features);
ir::Term linear(Weights& weights, const std::string& name, ir::Term x, std::int64_t features);
ir::Term layer_norm(Weights& weights, const std::string& name, ir::Term x);
// linear, GELU to four times the width, linear back.
ir::Term feed_forward(Weights& weights, const std::string& name, ir::Term x);

// Rows [sequences * length, heads * extent] as [sequences, heads, length, extent], and back.
struct Heads {
  std::int64_t sequences = 1;
  std::int64_t heads = 1;
};
ir::Term split_heads(ir::Term rows, const Heads& heads);
ir::Term merge_heads(ir::Term split);

struct Projections {
  ir::Term query, key, value;  // split into heads
};
// Three parts of one product, without a bias: attention does not depend on that of the keys, and an optimizer
// that scales gradients (adam) would make something of the rounding errors that are its gradient.
Projections project(Weights& weights, const std::string& name, ir::Term x, const Heads& heads);

// x + projection(attention), then x + feed_forward, each of the normalised x; `attend` makes attention's
// [sequences, heads, length, extent] of the projections.
template <class Attend>
ir::Term transformer_block(Weights& weights, const std::string& name, ir::Term x, const Heads& heads,
                           const Attend& attend) {
  const ir::Term normalised = layer_norm(weights, name + ".norm1", x);
  const Projections projections = project(weights, name + ".attention", normalised, heads);
  const ir::Term attended = merge_heads(attend(projections));
  x = x + linear(weights, name + ".output", attended, attended.shape()[1]);
  return x + feed_forward(weights, name, layer_norm(weights, name + ".norm2", x));
}

// 3 x 3, the image keeps its extents (halves them with a stride of 2), with a bias; x [N,C,H,W].
ir::Term convolution(Weights& weights, const std::string& name, ir::Term x, std::int64_t channels,
                     std::int64_t stride = 1);
ir::Term group_norm(Weights& weights, const std::string& name, ir::Term x, std::int64_t groups);

}  // namespace foretell::workloads
