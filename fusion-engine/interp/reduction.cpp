// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/index_walk.hpp"

namespace foretell::interp {

namespace {

// A space split into the axes that stay and those that are reduced.
struct Split {
  ir::Shape kept;
  Track kept_track;
  ir::Shape reduced;
  Track reduced_track;
};

Split split(const ir::Shape& shape, const ir::Ints& axes) {
  const ir::Dims strides = ir::dense_strides(shape);
  Split result;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool is_reduced = std::ranges::find(axes, static_cast<std::int64_t>(i)) != axes.end();
    (is_reduced ? result.reduced : result.kept).push_back(shape[i]);
    (is_reduced ? result.reduced_track : result.kept_track).strides.push_back(strides[i]);
  }
  return result;
}

// The elements that are reduced to one.
struct Run {
  std::vector<std::size_t> positions;
  const Value* operand;
  bool has_bounds;

  double real(std::size_t i) const { return operand->reals[positions[i]]; }
  double bound(std::size_t i) const { return has_bounds ? operand->bounds[positions[i]] : 0; }
  std::size_t size() const { return positions.size(); }
};

// Units of rounding of a division by a count: implementations may multiply by its rounded reciprocal.
constexpr double kDivision = 2;

struct Reduced {
  double value = 0;
  double bound = 0;
};

// Without the rounding to the dtype: more arithmetic follows.
Rounding unstored(Rounding model) {
  model.store = 0;
  return model;
}

template <class Term>
Reduced sum_of(std::size_t count, const Rounding& model, Term term) {
  double sum = 0;
  double size = 0;
  double deviation = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Reduced x = term(i);
    sum += x.value;
    size += std::fabs(x.value);
    deviation += x.bound;
  }
  return {sum, sum_bound(sum, size, deviation, static_cast<std::int64_t>(count), model)};
}

Reduced sum(const Run& run, const Rounding& model) {
  return sum_of(run.size(), model, [&](std::size_t i) { return Reduced{run.real(i), run.bound(i)}; });
}

Reduced mean(const Run& run, const Rounding& model) {
  const auto count = static_cast<double>(run.size());
  const Reduced total = sum(run, unstored(model));
  const double value = total.value / count;
  return {value, rounded_bound(value, total.bound / count, kDivision, model)};
}

// Mean of the squared distances to the mean, in two passes.
Reduced variance(const Run& run, std::int64_t correction, const Rounding& model) {
  const Reduced center = mean(run, unstored(model));
  const Reduced squares = sum_of(run.size(), unstored(model), [&](std::size_t i) {
    const double distance = run.real(i) - center.value;
    const double bound = rounded_bound(distance, run.bound(i) + center.bound, 1, unstored(model));
    const double square = distance * distance;
    return Reduced{square,
                   rounded_bound(square, bound * (2 * std::fabs(distance) + bound), 1, unstored(model))};
  });
  const auto divisor = static_cast<double>(static_cast<std::int64_t>(run.size()) - correction);
  const double value = squares.value / divisor;
  return {value, rounded_bound(value, squares.bound / divisor, kDivision, model)};
}

// NaN if any is, as maximum and minimum do. `sign` is 1 for the largest, -1 for the smallest.
Reduced extreme(const Run& run, double sign) {
  double value = -std::numeric_limits<double>::infinity();
  double low = value;
  double high = value;
  bool undetermined = false;
  bool has_nan = false;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double x = sign * run.real(i);
    undetermined |= run.bound(i) == kUndetermined;
    has_nan |= std::isnan(x);
    value = std::max(value, x);
    low = std::max(low, x - run.bound(i));
    high = std::max(high, x + run.bound(i));
  }
  if (has_nan) {
    value = std::numeric_limits<double>::quiet_NaN();
  }
  const bool exact = !std::isfinite(value) || low == high;
  const double bound = exact ? 0 : std::max(value - low, high - value);
  return {sign * value, undetermined ? kUndetermined : bound};
}

std::int64_t integer_reduction(ir::OpKind op, const Run& run) {
  const auto at = [&](std::size_t i) { return run.operand->integers[run.positions[i]]; };
  if (op == ir::OpKind::Sum) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      total += static_cast<std::uint64_t>(at(i));
    }
    return static_cast<std::int64_t>(total);
  }
  FORETELL_CHECK((op == ir::OpKind::Amax || op == ir::OpKind::Amin) && run.size() > 0);
  std::int64_t value = at(0);
  for (std::size_t i = 1; i < run.size(); ++i) {
    value = op == ir::OpKind::Amax ? std::max(value, at(i)) : std::min(value, at(i));
  }
  return value;
}

// The first index of the largest; a NaN counts as larger than all.
std::size_t argmax(const Run& run, bool is_real) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < run.size(); ++i) {
    bool better = false;
    if (is_real) {
      const double x = run.real(i);
      const double y = run.real(best);
      better = !std::isnan(y) && (x > y || std::isnan(x));
    } else {
      better = run.operand->integers[run.positions[i]] > run.operand->integers[run.positions[best]];
    }
    best = better ? i : best;
  }
  return best;
}

// Whether another element could be the largest one.
bool is_contested(const Run& run, std::size_t best, bool is_real) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double bounds = run.bound(i) + run.bound(best);
    if (bounds == kUndetermined) {
      return true;
    }
    if (is_real && i != best && bounds > 0 && run.real(i) + bounds >= run.real(best)) {
      return true;
    }
  }
  return false;
}

Reduced float_reduction(const ir::Node& node, const Run& run, const Rounding& model) {
  switch (node.op) {
    case ir::OpKind::Sum: return sum(run, model);
    case ir::OpKind::Mean: return mean(run, model);
    case ir::OpKind::Amax: return extreme(run, 1);
    case ir::OpKind::Amin: return extreme(run, -1);
    default: {
      FORETELL_CHECK(node.op == ir::OpKind::Var);
      return variance(run, node.attributes.integer(ir::AttrKey::Correction), model);
    }
  }
}

}  // namespace

Value evaluate_reduction(const ir::Node& node, const Value& operand, const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  const bool is_argmax = node.op == ir::OpKind::Argmax;
  const Split parts = split(operand.type.shape, ir::reduced_axes(node));
  const bool is_real = ir::is_float(operand.type.dtype);
  const Rounding model = rounding(node.type.dtype);
  Run run{.positions = {}, .operand = &operand, .has_bounds = options.bounds};
  std::size_t element = 0;
  walk(parts.kept, std::array{parts.kept_track}, [&](const auto& kept) {
    run.positions.clear();
    Track inner = parts.reduced_track;
    inner.start = kept[0];
    walk(parts.reduced, std::array{inner},
         [&](const auto& at) { run.positions.push_back(static_cast<std::size_t>(at[0])); });
    double bound = 0;
    if (is_argmax) {
      const std::size_t best = argmax(run, is_real);
      out.integers[element] = static_cast<std::int64_t>(best);
      bound = options.bounds && is_contested(run, best, is_real) ? kUndetermined : 0;
    } else if (is_real) {
      const Reduced reduced = float_reduction(node, run, model);
      out.reals[element] = reduced.value;
      bound = reduced.bound;
    } else {
      out.integers[element] = wrap_to(integer_reduction(node.op, run), node.type.dtype);
      for (std::size_t i = 0; i < run.size(); ++i) {
        bound = std::max(bound, run.bound(i));
      }
    }
    if (options.bounds) {
      out.bounds[element] = bound;
    }
    ++element;
  });
  return out;
}

}  // namespace foretell::interp
