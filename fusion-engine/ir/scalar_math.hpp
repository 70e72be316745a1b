// SPDX-License-Identifier: Apache-2.0
// The functions that the expressions of op_rows.inc name, for scalars: float and double, 64-bit integer and
// bool. This is where the meaning of an elementwise op is written down.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

namespace foretell::ir::scalar {

// An integer whose arithmetic wraps around, as vector instructions do. i32 is computed in it and wrapped
// afterwards: the low 32 bits of +, -, * and of everything below depend on nothing else, for operands in
// i32's range.
struct Integer {
  std::int64_t value = 0;
  friend bool operator==(Integer, Integer) = default;
};

constexpr Integer wrapped(std::uint64_t bits) { return {static_cast<std::int64_t>(bits)}; }
constexpr std::uint64_t bits(Integer a) { return static_cast<std::uint64_t>(a.value); }

constexpr Integer operator-(Integer a) { return wrapped(0U - bits(a)); }
constexpr Integer operator+(Integer a, Integer b) { return wrapped(bits(a) + bits(b)); }
constexpr Integer operator-(Integer a, Integer b) { return wrapped(bits(a) - bits(b)); }
constexpr Integer operator*(Integer a, Integer b) { return wrapped(bits(a) * bits(b)); }

constexpr Integer abs(Integer a) { return a.value < 0 ? -a : a; }
constexpr Integer sign(Integer a) { return {(a.value > 0 ? 1 : 0) - (a.value < 0 ? 1 : 0)}; }
constexpr Integer relu(Integer a) { return a.value > 0 ? a : Integer{0}; }
constexpr Integer maximum(Integer a, Integer b) { return a.value < b.value ? b : a; }
constexpr Integer minimum(Integer a, Integer b) { return b.value < a.value ? b : a; }
// Towards zero; x / 0 = 0; the smallest by -1 wraps to itself.
constexpr Integer divide(Integer a, Integer b) {
  if (b.value == 0) {
    return {0};
  }
  return b.value == -1 ? -a : Integer{a.value / b.value};
}
constexpr bool equal(Integer a, Integer b) { return a.value == b.value; }
constexpr bool not_equal(Integer a, Integer b) { return a.value != b.value; }
constexpr bool less(Integer a, Integer b) { return a.value < b.value; }
constexpr bool less_equal(Integer a, Integer b) { return a.value <= b.value; }
constexpr Integer select(bool condition, Integer a, Integer b) { return condition ? a : b; }

constexpr bool logical_not(bool a) { return !a; }
constexpr bool logical_and(bool a, bool b) { return a && b; }
constexpr bool logical_or(bool a, bool b) { return a || b; }
constexpr bool logical_xor(bool a, bool b) { return a != b; }

template <class T>
concept Real = std::floating_point<T>;

template <Real T>
T abs(T a) {
  return std::fabs(a);
}
// -1, 0 or 1; zeros and NaN stay as they are.
template <Real T>
T sign(T a) {
  return a > 0 ? T{1} : (a < 0 ? T{-1} : a);
}
template <Real T>
T floor(T a) {
  return std::floor(a);
}
template <Real T>
T ceil(T a) {
  return std::ceil(a);
}
template <Real T>
T round(T a) {
  return std::nearbyint(a);
}  // ties to even, in the default rounding mode
template <Real T>
T sqrt(T a) {
  return std::sqrt(a);
}
template <Real T>
T rsqrt(T a) {
  return T{1} / std::sqrt(a);
}
template <Real T>
T reciprocal(T a) {
  return T{1} / a;
}
template <Real T>
T relu(T a) {
  return a < 0 ? T{0} : a;
}
// b where a is positive, else 0.
template <Real T>
T where_positive(T a, T b) {
  return a > 0 ? b : T{0};
}
template <Real T>
T exp(T a) {
  return std::exp(a);
}
template <Real T>
T expm1(T a) {
  return std::expm1(a);
}
template <Real T>
T log(T a) {
  return std::log(a);
}
template <Real T>
T log1p(T a) {
  return std::log1p(a);
}
template <Real T>
T sin(T a) {
  return std::sin(a);
}
template <Real T>
T cos(T a) {
  return std::cos(a);
}
template <Real T>
T tanh(T a) {
  return std::tanh(a);
}
// 1 / (1 + exp(-a)), from the side where exp does not overflow.
template <Real T>
T sigmoid(T a) {
  if (a >= 0) {
    return T{1} / (T{1} + std::exp(-a));
  }
  const T e = std::exp(a);
  return e / (T{1} + e);
}
template <Real T>
T erf(T a) {
  return std::erf(a);
}
template <Real T>
T divide(T a, T b) {
  return a / b;
}  // IEEE 754: x / 0 is an infinity or NaN
template <Real T>
T pow(T a, T b) {
  return std::pow(a, b);
}
template <Real T>
T maximum(T a, T b) {
  return a > b || std::isnan(a) ? a : b;
}
template <Real T>
T minimum(T a, T b) {
  return a < b || std::isnan(a) ? a : b;
}
template <Real T>
bool equal(T a, T b) {
  return a == b;
}
template <Real T>
bool not_equal(T a, T b) {
  return a != b;
}
template <Real T>
bool less(T a, T b) {
  return a < b;
}
template <Real T>
bool less_equal(T a, T b) {
  return a <= b;
}
template <Real T>
T select(bool condition, T a, T b) {
  return condition ? a : b;
}
template <Real T>
T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}

// A row's expression as a function; operands it lacks are ignored.
namespace rows {
#define FORETELL_ELEMENTWISE(kind, name, arity, types, expression, ...)                       \
  struct kind {                                                                               \
    template <class A, class B, class C>                                                      \
    auto operator()([[maybe_unused]] A a, [[maybe_unused]] B b, [[maybe_unused]] C c) const { \
      return expression;                                                                      \
    }                                                                                         \
  };
#include "fusion-engine/ir/op_rows.inc"
}  // namespace rows

}  // namespace foretell::ir::scalar
