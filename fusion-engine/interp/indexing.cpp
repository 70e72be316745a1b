// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/indexing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "fusion-engine/interp/error_model.hpp"

namespace foretell::interp {

namespace {

// A tensor around its indexed axis: [outer, extent, inner].
struct Layout {
  std::int64_t outer = 1;
  std::int64_t extent = 0;
  std::int64_t inner = 1;
};

Layout layout_around(const ir::Shape& shape, std::int64_t axis) {
  Layout layout;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i < static_cast<std::size_t>(axis)) {
      layout.outer *= shape[i];
    } else if (i == static_cast<std::size_t>(axis)) {
      layout.extent = shape[i];
    } else {
      layout.inner *= shape[i];
    }
  }
  return layout;
}

Result<void> check_indices(const ir::Node& node, const Value& indices, std::int64_t extent) {
  for (const std::int64_t index : indices.integers) {
    if (index < 0 || index >= extent) {
      return fail(
          ErrorCode::BadInput, "",
          fmt::format("{}: index {} is out of range for extent {}", ir::to_string(node.op), index, extent));
    }
  }
  return {};
}

// Calls visit(position in the tensor with the axis, position in the one with the indices' axes in its place,
// number of the index) for all elements of the latter.
template <class Visit>
void for_each_indexed(const Layout& layout, const Value& indices, Visit visit) {
  const auto count = static_cast<std::int64_t>(indices.integers.size());
  for (std::int64_t o = 0; o < layout.outer; ++o) {
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t row = o * layout.extent + indices.integers[static_cast<std::size_t>(n)];
      for (std::int64_t i = 0; i < layout.inner; ++i) {
        visit(static_cast<std::size_t>(row * layout.inner + i),
              static_cast<std::size_t>((o * count + n) * layout.inner + i), static_cast<std::size_t>(n));
      }
    }
  }
}

void copy_element(Value& to, std::size_t at, const Value& from, std::size_t source) {
  if (from.reals.empty()) {
    to.integers[at] = from.integers[source];
  } else {
    to.reals[at] = from.reals[source];
  }
}

bool is_undetermined(const Value& indices, std::size_t n) {
  return !indices.bounds.empty() && indices.bounds[n] == kUndetermined;
}

// An undetermined index may have hit any element.
void spread_undetermined(Value& out, const Value& indices) {
  for (std::size_t n = 0; n < indices.integers.size(); ++n) {
    if (is_undetermined(indices, n)) {
      out.bounds.assign(out.bounds.size(), kUndetermined);
    }
  }
}

}  // namespace

Result<Value> evaluate_gather(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  const Value& x = *operands[0];
  const Value& indices = *operands[1];
  const Layout layout = layout_around(x.type.shape, node.attributes.integer(ir::AttrKey::Axis));
  FORETELL_RETURN_IF_ERROR(check_indices(node, indices, layout.extent));
  Value out = make_value(node.type, options);
  for_each_indexed(layout, indices, [&](std::size_t from, std::size_t to, std::size_t n) {
    copy_element(out, to, x, from);
    if (options.bounds) {
      out.bounds[to] = is_undetermined(indices, n) ? kUndetermined : x.bounds[from];
    }
  });
  return out;
}

Result<Value> evaluate_scatter_add(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  const Value& x = *operands[0];
  const Value& indices = *operands[1];
  const Value& updates = *operands[2];
  const Layout layout = layout_around(x.type.shape, node.attributes.integer(ir::AttrKey::Axis));
  FORETELL_RETURN_IF_ERROR(check_indices(node, indices, layout.extent));
  Value out = x;
  // Of each element: the terms added to it, their magnitudes with the element's own, and their bounds.
  std::vector<std::int64_t> terms(options.bounds ? out.bounds.size() : 0);
  std::vector<double> sizes;
  if (options.bounds) {
    for (const double value : x.reals) {
      sizes.push_back(std::fabs(value));
    }
  }
  for_each_indexed(layout, indices, [&](std::size_t to, std::size_t from, std::size_t /*n*/) {
    if (x.reals.empty()) {
      out.integers[to] =
          wrap_to(static_cast<std::int64_t>(static_cast<std::uint64_t>(out.integers[to]) +
                                            static_cast<std::uint64_t>(updates.integers[from])),
                  node.type.dtype);
    } else {
      out.reals[to] += updates.reals[from];
    }
    if (options.bounds) {
      ++terms[to];
      if (!sizes.empty()) {
        sizes[to] += std::fabs(updates.reals[from]);
      }
      out.bounds[to] += updates.bounds[from];
    }
  });
  if (!options.bounds) {
    return out;
  }
  spread_undetermined(out, indices);
  // Narrow floats may be rounded after each addition: there is no accumulator.
  Rounding model = rounding(node.type.dtype);
  model.unit += model.store;
  model.store = 0;
  for (std::size_t i = 0; i < out.reals.size(); ++i) {
    if (terms[i] > 0) {
      out.bounds[i] = sum_bound(out.reals[i], sizes[i], out.bounds[i], terms[i], model);
    }
  }
  return out;
}

Result<Value> evaluate_index_copy(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  const Value& indices = *operands[1];
  const Value& updates = *operands[2];
  Value out = *operands[0];
  const Layout layout = layout_around(out.type.shape, node.attributes.integer(ir::AttrKey::Axis));
  FORETELL_RETURN_IF_ERROR(check_indices(node, indices, layout.extent));
  for_each_indexed(layout, indices, [&](std::size_t to, std::size_t from, std::size_t /*n*/) {
    copy_element(out, to, updates, from);
    if (options.bounds) {
      out.bounds[to] = updates.bounds[from];
    }
  });
  if (options.bounds) {
    spread_undetermined(out, indices);
  }
  return out;
}

}  // namespace foretell::interp
