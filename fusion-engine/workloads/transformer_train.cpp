// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/transformer_train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fusion-engine/workloads/layers.hpp"
#include "fusion-engine/workloads/optimizer.hpp"

namespace foretell::workloads {
namespace {

using ir::AttrKey;
using ir::DType;
using ir::OpKind;
using ir::Term;

constexpr std::array kParameters{
    ParameterInfo{"batch", ParameterKind::Count, "16", 1, 1 << 20, "sequences"},
    ParameterInfo{"sequence", ParameterKind::Count, "32", 1, 1 << 20, "tokens of a sequence"},
    ParameterInfo{"hidden", ParameterKind::Count, "64", 1, 1 << 16, "width of a token"},
    ParameterInfo{"layers", ParameterKind::Count, "2", 1, 1000, "blocks one after another"},
    ParameterInfo{"heads", ParameterKind::Count, "4", 1, 1 << 10, "heads of attention"},
    ParameterInfo{"vocabulary", ParameterKind::Count, "256", 1, 1 << 20, "kinds of tokens"},
    kOptimizerParameter,
    kUpdatesParameter,
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

// Rows of the table for the tokens, and a row of its own for each place in a sequence.
Term embed(Weights& weights, Term tokens, std::int64_t vocabulary, const ir::Shape& shape) {
  const Term table = weights.uniform("tokens", {vocabulary, shape[2]}, 1);
  const Term rows = apply(OpKind::Gather, {table, tokens}, {{AttrKey::Axis, std::int64_t{0}}});
  const Term places = weights.uniform("positions", {shape[1], shape[2]}, 1);
  return reshape(reshape(rows, shape) + places, rows.shape());
}

Result<ir::Graph> build(std::span<const Parameter> parameters) {
  return training_step("transformer-train", parameters, [&](GraphBuilder& b, Weights& weights) {
    const std::int64_t sequence = number(parameters, "sequence");
    const std::int64_t vocabulary = number(parameters, "vocabulary");
    const Heads heads{.sequences = number(parameters, "batch"), .heads = number(parameters, "heads")};
    const ir::Type row_of_tokens{DType::I64, {heads.sequences * sequence}};
    const Term tokens = b.input("tokens_in", row_of_tokens);
    Term x = embed(weights, tokens, vocabulary, {heads.sequences, sequence, number(parameters, "hidden")});
    for (std::int64_t layer = 0; layer < number(parameters, "layers"); ++layer) {
      x = transformer_block(weights, fmt::format("block{}", layer), x, heads, [](const Projections& of) {
        return apply(OpKind::Attention, {of.query, of.key, of.value}, {{AttrKey::Causal, true}});
      });
    }
    const Term normalised = layer_norm(weights, "norm", x);
    const Term logits = linear(weights, "head", normalised, vocabulary);
    const Term target = b.input("target", row_of_tokens);
    return apply(OpKind::CrossEntropy, {logits, target});
  });
}

// Fewer sequences: sums over them, which the gradients of weights are, get shorter, and nothing else does.
std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  const std::int64_t hidden = number(parameters, "hidden");
  const std::int64_t rows = std::max(number(parameters, "batch") * number(parameters, "sequence"), hidden);
  return with_less_batch(parameters, elements, rows * std::max(number(parameters, "vocabulary"), 4 * hidden));
}

}  // namespace

WorkloadInfo transformer_train() {
  return {"transformer-train",
          "a training step of a small language model",
          kParameters,
          settle_heads,
          build,
          shrink};
}

}  // namespace foretell::workloads
