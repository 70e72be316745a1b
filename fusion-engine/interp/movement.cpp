// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/index_walk.hpp"
#include "fusion-engine/interp/indexing.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/ir/view_layout.hpp"

namespace foretell::interp {

namespace {

void copy_element(Value& to, std::int64_t at, const Value& from, std::int64_t source) {
  const auto i = static_cast<std::size_t>(at);
  const auto j = static_cast<std::size_t>(source);
  if (from.reals.empty()) {
    to.integers[i] = from.integers[j];
  } else {
    to.reals[i] = from.reals[j];
  }
  if (!from.bounds.empty()) {
    to.bounds[i] = from.bounds[j];
  }
}

// out[walk of `to`] = from[walk of `source`] over `space`.
void copy(Value& out, const Track& to, const Value& from, const Track& source, const ir::Shape& space) {
  walk(space, std::array{to, source}, [&](const auto& at) { copy_element(out, at[0], from, at[1]); });
}

Track dense(const ir::Shape& shape) { return {.strides = ir::dense_strides(shape)}; }

// Where a view's elements lie in its operand, which is dense: every reshape of it is a layout.
Track view_track(const ir::Node& node, const ir::Shape& operand) {
  const std::optional<ir::Layout> layout = ir::view_of(node, ir::dense_layout(operand));
  FORETELL_CHECK(layout.has_value());
  return {.strides = layout->strides, .start = layout->offset};
}

Value concat(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const auto axis = static_cast<std::size_t>(node.attributes.integer(ir::AttrKey::Axis));
  Track to = dense(node.type.shape);
  for (const Value* part : operands) {
    copy(out, to, *part, dense(part->type.shape), part->type.shape);
    to.start += part->type.shape[axis] * to.strides[axis];
  }
  return out;
}

Value pad(const ir::Node& node, const Value& operand, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const double fill = node.attributes.real(ir::AttrKey::Value);
  for (double& x : out.reals) {
    x = ir::nearest_value(fill, node.type.dtype);
  }
  for (std::int64_t& x : out.integers) {
    x = wrap_to(static_cast<std::int64_t>(fill), node.type.dtype);
  }
  Track to = dense(node.type.shape);
  for (std::size_t i = 0; i < node.type.shape.rank(); ++i) {
    to.start += node.attributes.ints(ir::AttrKey::Before)[i] * to.strides[i];
  }
  copy(out, to, operand, dense(operand.type.shape), operand.type.shape);
  return out;
}

}  // namespace

Result<Value> evaluate_movement(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  switch (node.op) {
    case ir::OpKind::Concat: return concat(node, operands, options);
    case ir::OpKind::Pad: return pad(node, *operands[0], options);
    case ir::OpKind::Gather: return evaluate_gather(node, operands, options);
    case ir::OpKind::ScatterAdd: return evaluate_scatter_add(node, operands, options);
    case ir::OpKind::IndexCopy: return evaluate_index_copy(node, operands, options);
    case ir::OpKind::HostRead: return *operands[0];
    default: {
      Value out = make_value(node.type, options);
      const Value& operand = *operands[0];
      copy(out, dense(node.type.shape), operand, view_track(node, operand.type.shape), node.type.shape);
      return out;
    }
  }
}

}  // namespace foretell::interp
