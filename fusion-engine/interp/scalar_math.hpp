// SPDX-License-Identifier: Apache-2.0
// The functions that the expressions of ir/op_rows.inc name, for the interpreter's three kinds of scalars:
// double, 64-bit integer and bool. This is where the meaning of an elementwise op is written down.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace foretell::interp::scalar {

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

inline double abs(double a) { return std::fabs(a); }
// -1, 0 or 1; zeros and NaN stay as they are.
inline double sign(double a) { return a > 0 ? 1.0 : (a < 0 ? -1.0 : a); }
inline double floor(double a) { return std::floor(a); }
inline double ceil(double a) { return std::ceil(a); }
inline double round(double a) { return std::nearbyint(a); }  // ties to even, in the default rounding mode
inline double sqrt(double a) { return std::sqrt(a); }
inline double rsqrt(double a) { return 1.0 / std::sqrt(a); }
inline double reciprocal(double a) { return 1.0 / a; }
inline double relu(double a) { return a < 0 ? 0.0 : a; }
inline double exp(double a) { return std::exp(a); }
inline double expm1(double a) { return std::expm1(a); }
inline double log(double a) { return std::log(a); }
inline double log1p(double a) { return std::log1p(a); }
inline double sin(double a) { return std::sin(a); }
inline double cos(double a) { return std::cos(a); }
inline double tanh(double a) { return std::tanh(a); }
// 1 / (1 + exp(-a)), from the side where exp does not overflow.
inline double sigmoid(double a) {
  if (a >= 0) {
    return 1.0 / (1.0 + std::exp(-a));
  }
  const double e = std::exp(a);
  return e / (1.0 + e);
}
inline double erf(double a) { return std::erf(a); }
inline double divide(double a, double b) { return a / b; }  // IEEE 754: x / 0 is an infinity or NaN
inline double pow(double a, double b) { return std::pow(a, b); }
inline double maximum(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double minimum(double a, double b) { return a < b || std::isnan(a) ? a : b; }
inline bool equal(double a, double b) { return a == b; }
inline bool not_equal(double a, double b) { return a != b; }
inline bool less(double a, double b) { return a < b; }
inline bool less_equal(double a, double b) { return a <= b; }
inline double select(bool condition, double a, double b) { return condition ? a : b; }
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }

}  // namespace foretell::interp::scalar
