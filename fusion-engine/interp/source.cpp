// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/index_walk.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/ir/philox.hpp"

namespace foretell::interp {

namespace {

void store(Value& value, std::size_t i, double x) {
  if (ir::is_float(value.type.dtype)) {
    value.reals[i] = ir::nearest_value(x, value.type.dtype);
  } else {
    value.integers[i] = wrap_to(static_cast<std::int64_t>(x), value.type.dtype);
  }
}

Value iota(const ir::Node& node, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const ir::Shape& shape = node.type.shape;
  const auto axis = static_cast<std::size_t>(node.attributes.integer(ir::AttrKey::Axis));
  Track along;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    along.strides.push_back(i == axis ? 1 : 0);
  }
  std::size_t element = 0;
  walk(shape, std::array{along},
       [&](const auto& index) { store(out, element++, static_cast<double>(index[0])); });
  return out;
}

Value random_uniform(const ir::Node& node, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const auto seed = static_cast<std::uint64_t>(node.attributes.integer(ir::AttrKey::Seed));
  const auto counter = static_cast<std::uint64_t>(node.attributes.integer(ir::AttrKey::Counter));
  for (std::size_t i = 0; i < out.reals.size(); ++i) {
    store(out, i, static_cast<double>(ir::random_uniform(seed, counter, i)));
  }
  return out;
}

}  // namespace

Value evaluate_source(const ir::Node& node, const EvaluateOptions& options) {
  switch (node.op) {
    case ir::OpKind::Iota: return iota(node, options);
    case ir::OpKind::RandomUniform: return random_uniform(node, options);
    default: {
      FORETELL_CHECK(node.op == ir::OpKind::Constant);
      Value out = make_value(node.type, options);
      store(out, 0, node.attributes.real(ir::AttrKey::Value));
      return out;
    }
  }
}

}  // namespace foretell::interp
