// SPDX-License-Identifier: Apache-2.0
// Composite ops, mean and var in terms of the other ops: their definition, and what the fuser gets to see.
//
//   mean           sum(x) * (1 / n)
//   var            sum((x - mean(x))^2) * (1 / (n - correction)): two passes, so that nothing cancels
//   softmax        e / sum(e), e = exp(x - amax(x))
//   log_softmax    d - log(sum(exp(d))), d = x - amax(x)
//   layer_norm     d * rsqrt(mean(d^2) + epsilon) * weight + bias, d = x - mean(x)
//   rms_norm       x * rsqrt(mean(x^2) + epsilon) * weight
//   group_norm     as layer_norm, over the elements of a group of channels of an image; weight and bias per
//   channel batch_norm     as layer_norm, over the elements of a channel of all images (each image's sum,
//   then theirs); with
//                  given mean and var (x - mean) * rsqrt(var + epsilon) * weight + bias
//   upsample_nearest  x repeated: a reshape, an expand, a reshape
//   gelu           x / 2 * (1 + erf(x / sqrt 2)); approximate: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715
//   x^3)))
//                  (Hendrycks and Gimpel, Gaussian Error Linear Units, 2016)
//   silu           x * sigmoid(x)
//   dropout        where(u >= p, x * (1 / (1 - p)), 0), u = random_uniform(seed, counter)
//   random_normal  sqrt(-2 log(1 - u1)) * cos(2 pi u2) (Box and Muller, 1958), u1 = random_uniform(seed,
//   counter),
//                  u2 = random_uniform(seed ^ 0x9E3779B97F4A7C15, counter)
//   attention      softmax(q k^T * scale + mask) v; causal: scores of keys out of sight are -inf
//   cross_entropy  mean over rows of log(sum(exp(d))) - d[target], d = x - amax(x); a target that is no class
//   counts as
//                  d = 0
//
//   softmax_grad            y * (dy - sum(y * dy)): of softmax's result y and its cotangent
//   log_softmax_grad        dy - exp(y) * sum(dy)
//   layer_norm_grad         (g - mean(g) - n * mean(g * n)) * rsqrt(mean(d^2) + epsilon), n the row as
//   layer_norm
//                           makes it before the weight, g = dy * weight
//   rms_norm_grad           the same without mean(g)
//   layer_norm_weight_grad, rms_norm_weight_grad   the sum over all rows of dy * n
//   gelu_grad               dy * ((1 + s) / 2 + x / 2 * s'), s = erf(x / sqrt 2), or the tanh
//   silu_grad               dy * s * (1 + x * (1 - s)), s = sigmoid(x)
//   cross_entropy_grad      (softmax(x) - (class == target)) * dy / rows
//
// Narrow floats are cast to f32 at the start and the result is cast back at the end, as frameworks do for
// softmax and norms: rounding between the steps would cost all their digits. Constants are rounded to the
// type computed in.
#pragma once

#include <span>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/term.hpp"

namespace foretell::ir {

// Composite ops, mean and var.
bool has_decomposition(OpKind op);

// Adds what `node` stands for to `into`, reading `operands` (ids in `into`, of the types of the node's), and
// gives the result's id; it has the node's type. Errors (BadInput): an op without decomposition; an operand
// that doesn't fit.
Result<NodeId> decompose_node(Graph& into, const Node& node, std::span<const NodeId> operands);

// What attention takes the softmax of along the last axis, in the type computed in; for its gradient, too.
Term attention_scores(Formula& formula, const Node& attention, std::span<const NodeId> operands);
// Heads of so many elements.
double attention_scale(const Node& attention, std::int64_t head);

}  // namespace foretell::ir
