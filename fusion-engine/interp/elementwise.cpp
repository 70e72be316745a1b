// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/index_walk.hpp"
#include "fusion-engine/ir/scalar_math.hpp"

namespace foretell::interp {
namespace {

using ir::scalar::Integer;

// Operand values within a bound at which a function is tried: the value itself first, then the ends, then
// zero if it lies between (poles and kinks of our ops are there).
template <class Scalar>
struct Points {
  std::array<Scalar, 4> values{};
  int count = 1;
};

template <class Scalar>
struct Access;

template <>
struct Access<double> {
  static double load(const Value& value, std::size_t i) { return value.reals[i]; }
  static void store(Value& value, std::size_t i, double x) { value.reals[i] = x; }
  static Points<double> points(double x, double bound) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (bound == 0) {
      return {{x}, 1};
    }
    if (bound == kUndetermined) {
      return {{x, -kInfinity, kInfinity, std::numeric_limits<double>::quiet_NaN()}, 4};
    }
    return {{x, x - bound, x + bound, 0}, std::fabs(x) < bound ? 4 : 3};
  }
};

template <>
struct Access<Integer> {
  static Integer load(const Value& value, std::size_t i) { return {value.integers[i]}; }
  static void store(Value& value, std::size_t i, Integer x) {
    value.integers[i] = wrap_to(x.value, value.type.dtype);
  }
  // Undetermined, it is something else for sure; that is enough for an op that only selects.
  static Points<Integer> points(Integer x, double bound) {
    if (bound == 0) {
      return {{x}, 1};
    }
    return {{x, x + Integer{1}}, 2};
  }
};

template <>
struct Access<bool> {
  static bool load(const Value& value, std::size_t i) { return value.integers[i] != 0; }
  static void store(Value& value, std::size_t i, bool x) { value.integers[i] = x ? 1 : 0; }
  static Points<bool> points(bool x, double bound) { return {{x, !x}, bound == 0 ? 1 : 2}; }
};

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return 0;
  }
  const double d = std::fabs(a - b);
  return std::isnan(d) ? kUndetermined : d;
}
double difference(Integer a, Integer b) { return a == b ? 0 : kUndetermined; }
double difference(bool a, bool b) { return a == b ? 0 : kUndetermined; }

// Operand k of an op with fewer operands: its first one again, which the expression does not name.
struct Source {
  const Value* value;
  std::size_t position;
  double bound() const { return value->bounds[position]; }
};

// A number within both operands' bounds, where there is one: comparisons change there, though not at the
// ends.
std::optional<double> common_point(double a, double a_bound, double b, double b_bound) {
  const double low = std::max(a - a_bound, b - b_bound);
  const double high = std::min(a + a_bound, b + b_bound);
  return low <= high && std::isfinite(low) ? std::optional(low) : std::nullopt;
}

// Largest difference to the result, over all combinations of the operands' points.
template <class A, class B, class C, class Function>
double deviation(const std::array<Source, 3>& sources, int arity, A a, B b, C c, Function function) {
  const double b_bound = arity > 1 ? sources[1].bound() : 0;
  if constexpr (std::is_same_v<A, Integer>) {
    // No few points stand for all integers: 3 compared with anything may be equal to it.
    const double c_bound = arity > 2 ? sources[2].bound() : 0;
    return std::max({sources[0].bound(), b_bound, c_bound});
  }
  const auto pa = Access<A>::points(a, sources[0].bound());
  const auto pb = Access<B>::points(b, b_bound);
  const auto pc = Access<C>::points(c, arity > 2 ? sources[2].bound() : 0);
  const auto result = function(a, b, c);
  double largest = 0;
  if constexpr (std::is_same_v<A, double> && std::is_same_v<B, double>) {
    if (const auto both = common_point(a, sources[0].bound(), b, b_bound); arity > 1 && both.has_value()) {
      largest = difference(function(*both, *both, c), result);
    }
  }
  for (int i = 0; i < pa.count; ++i) {
    for (int j = 0; j < pb.count; ++j) {
      for (int k = 0; k < pc.count; ++k) {
        const auto other =
            function(pa.values[static_cast<std::size_t>(i)], pb.values[static_cast<std::size_t>(j)],
                     pc.values[static_cast<std::size_t>(k)]);
        largest = std::max(largest, difference(other, result));
      }
    }
  }
  return largest;
}

template <class A, class B, class C, class Function>
Value apply(const ir::Node& node, int arity, Operands operands, const EvaluateOptions& options,
            Function function) {
  using R = decltype(function(A{}, B{}, C{}));
  Value out = make_value(node.type, options);
  const Rounding model = rounding(node.type.dtype);
  const double units = rounding_units(node.op);
  const ir::Course course = ir::info(node.op).course;
  std::array<const Value*, 3> in{};
  std::array<Track, 3> tracks;
  for (std::size_t k = 0; k < 3; ++k) {
    in[k] = operands[k < operands.size() ? k : 0];
    tracks[k] = broadcast_track(in[k]->type.shape, node.type.shape);
  }
  std::size_t element = 0;
  walk(node.type.shape, tracks, [&](const std::array<std::int64_t, 3>& positions) {
    std::array<Source, 3> sources{};
    for (std::size_t k = 0; k < 3; ++k) {
      sources[k] = {in[k], static_cast<std::size_t>(positions[k])};
    }
    const A a = Access<A>::load(*in[0], sources[0].position);
    const B b = arity > 1 ? Access<B>::load(*in[1], sources[1].position) : B{};
    const C c = arity > 2 ? Access<C>::load(*in[2], sources[2].position) : C{};
    const R result = function(a, b, c);
    Access<R>::store(out, element, result);
    if (options.bounds) {
      double moved = deviation<A, B, C>(sources, arity, a, b, c, function);
      if constexpr (std::is_same_v<R, double>) {
        if (course == ir::Course::Steps && moved > 0) {
          moved = kUndetermined;
        }
        if (course == ir::Course::Waves && sources[0].bound() != kUndetermined) {
          moved = std::max(moved, std::min(sources[0].bound(), 2.0));
        }
        out.bounds[element] = rounded_bound(result, moved, units, model);
      } else {
        out.bounds[element] = moved;
      }
    }
    ++element;
  });
  return out;
}

// Picks the scalar types that a row's type rule allows; the expression is compiled for those only.
template <ir::TypeRule kRule, class Function>
Value dispatch(const ir::Node& node, int arity, Operands operands, const EvaluateOptions& options,
               Function function) {
  const ir::DType dtype = operands.back()->type.dtype;
  if constexpr (kRule == ir::TypeRule::Float) {
    return apply<double, double, double>(node, arity, operands, options, function);
  } else if constexpr (kRule == ir::TypeRule::Logical) {
    return apply<bool, bool, bool>(node, arity, operands, options, function);
  } else if constexpr (kRule == ir::TypeRule::Select) {
    return ir::is_float(dtype) ? apply<bool, double, double>(node, arity, operands, options, function)
                               : apply<bool, Integer, Integer>(node, arity, operands, options, function);
  } else {
    static_assert(kRule == ir::TypeRule::Numeric || kRule == ir::TypeRule::Compare);
    return ir::is_float(dtype) ? apply<double, double, double>(node, arity, operands, options, function)
                               : apply<Integer, Integer, Integer>(node, arity, operands, options, function);
  }
}

}  // namespace

Value evaluate_elementwise(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  switch (node.op) {
#define FORETELL_ELEMENTWISE(kind, name, arity, types, ...) \
  case ir::OpKind::kind:                                    \
    return dispatch<ir::TypeRule::types>(node, arity, operands, options, ir::scalar::rows::kind{});
#include "fusion-engine/ir/op_rows.inc"
    default: break;
  }
  FORETELL_CHECK(false && "an elementwise op has a row");
  return {};
}

}  // namespace foretell::interp
