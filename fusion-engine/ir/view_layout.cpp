// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/view_layout.hpp"

#include <vector>

#include "src/base/check.hpp"

namespace foretell::ir {
namespace {

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

// The strides that read `shape` in the order of the elements of (`from`, `strides`), if there are any.
std::optional<Dims> reshape_strides(const Shape& from, const Dims& strides, const Shape& shape) {
  if (elements(shape) == 0) {
    return dense_strides(shape);
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

Dims permuted(const Dims& strides, const Ints& permutation) {
  Dims result;
  for (const std::int64_t axis : permutation) {
    result.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return result;
}

Layout sliced(const Node& node, const Layout& operand) {
  Layout view{.shape = node.type.shape, .offset = operand.offset, .strides = operand.strides};
  for (std::size_t i = 0; i < operand.shape.rank(); ++i) {
    view.offset += node.attributes.ints(AttrKey::Starts)[i] * operand.strides[i];
    view.strides[i] *= node.attributes.ints(AttrKey::Steps)[i];
  }
  return view;
}

Dims expanded(const Layout& operand, const Shape& shape) {
  Dims strides;
  const std::size_t lead = shape.rank() - operand.shape.rank();
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool repeated = i < lead || (operand.shape[i - lead] == 1 && shape[i] != 1);
    strides.push_back(repeated ? 0 : operand.strides[i - lead]);
  }
  return strides;
}

}  // namespace

Layout dense_layout(const Shape& shape) {
  return {.shape = shape, .offset = 0, .strides = dense_strides(shape)};
}

std::optional<Layout> view_of(const Node& node, const Layout& operand) {
  const Shape& shape = node.type.shape;
  switch (node.op) {
    case OpKind::Permute: {
      const Ints& permutation = node.attributes.ints(AttrKey::Permutation);
      return Layout{
          .shape = shape, .offset = operand.offset, .strides = permuted(operand.strides, permutation)};
    }
    case OpKind::Slice: return sliced(node, operand);
    case OpKind::Expand:
      return Layout{.shape = shape, .offset = operand.offset, .strides = expanded(operand, shape)};
    default: break;
  }
  FORETELL_CHECK(node.op == OpKind::Reshape);
  const std::optional<Dims> strides = reshape_strides(operand.shape, operand.strides, shape);
  if (!strides) {
    return std::nullopt;
  }
  return Layout{.shape = shape, .offset = operand.offset, .strides = *strides};
}

}  // namespace foretell::ir
