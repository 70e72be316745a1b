// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "fusion-engine/workloads/layers.hpp"

namespace foretell::workloads {
namespace {

using ir::AttrKey;
using ir::DType;
using ir::Ints;
using ir::OpKind;
using ir::Term;

constexpr std::array kParameters{
    ParameterInfo{"batch", ParameterKind::Count, "1", 1, 1 << 16, "sequences"},
    ParameterInfo{"hidden", ParameterKind::Count, "256", 1, 1 << 16, "width of a token"},
    ParameterInfo{"layers", ParameterKind::Count, "4", 1, 1000, "blocks one after another"},
    ParameterInfo{"heads", ParameterKind::Count, "4", 1, 1 << 10, "heads of attention"},
    ParameterInfo{"length", ParameterKind::Count, "256", 1, 1 << 20, "positions of the cache"},
    ParameterInfo{"vocabulary", ParameterKind::Count, "1024", 1, 1 << 20, "kinds of tokens"},
    ParameterInfo{"dtype", ParameterKind::Type, "f32", 0, 0, "element type"},
};

// The cache, [sequences, heads, length, extent], with `fresh` at the position; updated in place.
Term append(GraphBuilder& b, const std::string& name, Term fresh, Term position, std::int64_t length) {
  const ir::Shape shape = fresh.shape();
  const Term cache = b.input(name, {fresh.dtype(), {shape[0], shape[1], length, shape[3]}});
  const Term next = apply(OpKind::IndexCopy, {cache, position, fresh}, {{AttrKey::Axis, std::int64_t{2}}});
  b.update(cache, next);
  return next;
}

Result<ir::Graph> build(std::span<const Parameter> parameters) {
  const DType dtype = parameter(parameters, "dtype").dtype;
  const std::int64_t hidden = number(parameters, "hidden");
  const std::int64_t length = number(parameters, "length");
  const std::int64_t vocabulary = number(parameters, "vocabulary");
  const Heads heads{.sequences = number(parameters, "batch"), .heads = number(parameters, "heads")};
  GraphBuilder b("decode");
  Weights weights(b, dtype);
  const Term token = b.input("token", {DType::I64, {heads.sequences}});
  // Where the token goes. Behind the last position a new sequence begins.
  const Term position = b.input("position", {DType::I64, {1}});
  const Term behind = position + 1.0;
  const Term is_inside = apply(OpKind::Lt, {behind, like(behind, static_cast<double>(length))});
  b.update(position, select(is_inside, behind, like(behind, 0)));
  const Term positions =
      b.source(OpKind::Iota,
               {{AttrKey::Shape, Ints{length}}, {AttrKey::Axis, std::int64_t{0}}, {AttrKey::To, DType::I64}});
  const Term is_seen = apply(OpKind::Le, {positions, position});
  const Term seen = b.constant(0, dtype);
  const Term mask = select(is_seen, seen, like(seen, -std::numeric_limits<double>::infinity()));

  const auto lookup = [&](const char* name, std::int64_t rows, Term index) {
    const Term table = weights.uniform(name, {rows, hidden}, 1);
    return apply(OpKind::Gather, {table, index}, {{AttrKey::Axis, std::int64_t{0}}});
  };
  const Term embedded = lookup("tokens", vocabulary, token);
  Term x = embedded + lookup("positions", length, position);
  for (std::int64_t layer = 0; layer < number(parameters, "layers"); ++layer) {
    const std::string name = fmt::format("block{}", layer);
    x = transformer_block(weights, name, x, heads, [&](const Projections& projections) {
      const Term keys = append(b, name + ".keys", projections.key, position, length);
      const Term values = append(b, name + ".values", projections.value, position, length);
      return apply(OpKind::Attention, {projections.query, keys, values, mask});
    });
  }
  const Term normalised = layer_norm(weights, "norm", x);
  return b.finish("logits", linear(weights, "head", normalised, vocabulary));
}

std::vector<Parameter> shrink(std::span<const Parameter> parameters, std::int64_t elements) {
  const std::int64_t hidden = number(parameters, "hidden");
  const std::int64_t rows = std::max(number(parameters, "batch"), hidden);
  const std::int64_t columns =
      std::max({number(parameters, "vocabulary"), number(parameters, "length"), 4 * hidden});
  return with_less_batch(parameters, elements, rows * columns);
}

}  // namespace

WorkloadInfo decode() {
  return {"decode", "one token through a small transformer with a KV cache", kParameters, settle_heads, build,
          shrink};
}

}  // namespace foretell::workloads
