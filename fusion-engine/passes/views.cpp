// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/views.hpp"

#include <optional>

namespace foretell::passes {
namespace {

using ir::AttrKey;
using ir::Dims;
using ir::OpKind;
using ir::Shape;

// Axes of extent 1 take any stride: they are left out. Then neighbours that are walked as one become one.
struct Run {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
};
std::vector<Run> runs_of(const Shape& shape, const Dims& strides) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) {
      continue;
    }
    if (!runs.empty() && runs.back().stride == strides[i] * shape[i]) {
      runs.back() = {.extent = runs.back().extent * shape[i], .stride = strides[i]};
    } else {
      runs.push_back({.extent = shape[i], .stride = strides[i]});
    }
  }
  return runs;
}

Operand permuted(const Operand& from, const ir::Ints& permutation) {
  Operand to = from;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    to.strides[i] = from.strides[static_cast<std::size_t>(permutation[i])];
  }
  return to;
}

Operand sliced(const Operand& from, const ir::Attributes& attributes) {
  Operand to = from;
  const ir::Ints& starts = attributes.ints(AttrKey::Starts);
  const ir::Ints& steps = attributes.ints(AttrKey::Steps);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    to.offset += starts[i] * from.strides[i];
    to.strides[i] = from.strides[i] * (i < steps.size() ? steps[i] : 1);
  }
  return to;
}

Operand expanded(const Operand& from, const Shape& shape, const Shape& to_shape) {
  Operand to = from;
  to.strides = Dims{};
  const std::size_t lead = to_shape.rank() - shape.rank();
  for (std::size_t i = 0; i < to_shape.rank(); ++i) {
    const bool repeated = i < lead || (shape[i - lead] == 1 && to_shape[i] != 1);
    to.strides.push_back(repeated ? 0 : from.strides[i - lead]);
  }
  return to;
}

}  // namespace

std::optional<Dims> reshape_strides(const Shape& from, const Dims& strides, const Shape& shape) {
  if (ir::elements(shape) == 0) {
    return ir::dense_strides(shape);
  }
  const std::vector<Run> runs = runs_of(from, strides);
  Dims result = shape;
  std::size_t run = runs.size();
  std::int64_t left = 1;    // of the current run, not yet given to axes
  std::int64_t stride = 1;  // of the next axis inside it
  for (std::size_t i = shape.rank(); i-- > 0;) {
    if (shape[i] == 1) {
      result[i] = stride;
      continue;
    }
    if (left == 1) {
      --run;
      left = runs[run].extent;
      stride = runs[run].stride;
    }
    if (left % shape[i] != 0) {
      return std::nullopt;
    }
    result[i] = stride;
    stride *= shape[i];
    left /= shape[i];
  }
  return result;
}

std::vector<Operand> resolve_views(const ir::Graph& graph) {
  std::vector<Operand> readings;
  readings.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<ir::NodeId>(i);
    const ir::Node& node = graph.node(id);
    Operand reading{.value = id, .buffer = id, .offset = 0, .strides = ir::dense_strides(node.type.shape)};
    if (ir::category(node.op) == ir::Category::View) {
      const Operand& from = readings[ir::index(node.operands[0])];
      const Shape& from_shape = graph.type(node.operands[0]).shape;
      if (node.op == OpKind::Permute) {
        reading = permuted(from, node.attributes.ints(AttrKey::Permutation));
      } else if (node.op == OpKind::Slice) {
        reading = sliced(from, node.attributes);
      } else if (node.op == OpKind::Expand) {
        reading = expanded(from, from_shape, node.type.shape);
      } else {
        FORETELL_CHECK(node.op == OpKind::Reshape);
        if (const auto strides = reshape_strides(from_shape, from.strides, node.type.shape)) {
          reading = from;
          reading.strides = *strides;
        }
      }
      reading.value = id;
    }
    readings.push_back(reading);
  }
  return readings;
}

}  // namespace foretell::passes
