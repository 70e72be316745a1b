// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fusion-engine/ir/decomposition_rules.hpp"

namespace foretell::ir {
namespace {

using namespace definitions;

struct Definition {
  OpKind op;
  Term (*formula)(const Composite& it);
};
constexpr Definition kDefinitions[]{
    {OpKind::Mean, mean},
    {OpKind::Var, variance},
    {OpKind::RandomNormal, random_normal},
    {OpKind::Dropout, dropout},
    {OpKind::Softmax, softmax},
    {OpKind::LogSoftmax, log_softmax},
    {OpKind::LayerNorm, layer_norm},
    {OpKind::RmsNorm, rms_norm},
    {OpKind::GroupNorm, group_norm},
    {OpKind::BatchNorm, batch_norm},
    {OpKind::UpsampleNearest, upsample_nearest},
    {OpKind::Gelu, gelu},
    {OpKind::Silu, silu},
    {OpKind::Attention, attention},
    {OpKind::CrossEntropy, cross_entropy},
    {OpKind::SoftmaxGrad, softmax_grad},
    {OpKind::LogSoftmaxGrad, log_softmax_grad},
    {OpKind::LayerNormGrad, layer_norm_grad},
    {OpKind::LayerNormWeightGrad, layer_norm_weight_grad},
    {OpKind::RmsNormGrad, rms_norm_grad},
    {OpKind::RmsNormWeightGrad, rms_norm_weight_grad},
    {OpKind::GeluGrad, gelu_grad},
    {OpKind::SiluGrad, silu_grad},
    {OpKind::CrossEntropyGrad, cross_entropy_grad},
};

const Definition* find(OpKind op) {
  const auto found = std::ranges::find(kDefinitions, op, &Definition::op);
  return found == std::end(kDefinitions) ? nullptr : found;
}

}  // namespace

bool has_decomposition(OpKind op) { return find(op) != nullptr; }

Result<NodeId> decompose_node(Graph& into, const Node& node, std::span<const NodeId> operands) {
  const Definition* definition = find(node.op);
  if (definition == nullptr) {
    return fail(ErrorCode::BadInput, {}, fmt::format("{}: has no decomposition", to_string(node.op)));
  }
  Formula formula(into);
  // Of ops without operands the result is what they are told to give.
  const DType dtype = operands.empty() ? node.type.dtype : into.type(operands[0]).dtype;
  const Composite it{formula, node, operands, compute_type(dtype)};
  return formula.finish(cast(definition->formula(it), node.type.dtype));
}

}  // namespace foretell::ir
