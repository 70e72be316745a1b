// SPDX-License-Identifier: Apache-2.0
// This file is compiled for the build's target; the eager kernels' tests run the same functions on every
// instruction set the machine has.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/convert.hpp"
#include "fusion-engine/codegen/simd/erf.hpp"
#include "fusion-engine/codegen/simd/exponential.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/codegen/simd/power.hpp"
#include "fusion-engine/codegen/simd/random.hpp"
#include "fusion-engine/codegen/simd/trigonometric.hpp"
#include "fusion-engine/ir/half.hpp"
#include "fusion-engine/ir/op_table.hpp"
#include "fusion-engine/ir/philox.hpp"

namespace foretell::codegen {
namespace {

namespace simd = foretell_simd;
using simd::bf16, simd::bool8, simd::f16;

template <class T>
constexpr int kLanes = sizeof(T) == 4 ? 8 : 4;
template <class T>
using Vector = simd::vec<T, kLanes<T>>;

template <class T, class F>
std::vector<T> map_vectors(const std::vector<T>& x, F f) {
  std::vector<T> out(x.size());
  for (std::size_t i = 0; i < x.size(); i += kLanes<T>) {
    simd::store(&out[i], f(simd::load<Vector<T>>(&x[i])));
  }
  return out;
}

// In units in the last place of T at the reference; NaN and infinity must agree. Where the result is
// subnormal the last place is that of the smallest normal number.
template <class T>
double error_ulp(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isinf(rounded) || std::isnan(got) || std::isinf(got)) {
    const bool same = (std::isnan(rounded) && std::isnan(got)) || rounded == got;
    return same ? 0 : std::numeric_limits<double>::infinity();
  }
  const T size = std::max(std::fabs(rounded), std::numeric_limits<T>::min());
  const T ulp = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / static_cast<long double>(ulp));
}

// Bit patterns spread evenly over all values, one tenth of them uniform in [-20, 20], and the special ones.
template <class T>
std::vector<T> points(std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> x = {T(0),
                      -T(0),
                      T(1),
                      T(-1),
                      Limits::infinity(),
                      Limits::min(),
                      -Limits::min(),
                      Limits::max(),
                      Limits::lowest(),
                      -Limits::infinity(),
                      T(0.5),
                      Limits::denorm_min(),
                      -Limits::denorm_min(),
                      Limits::quiet_NaN()};
  std::mt19937_64 random(20);
  std::uniform_real_distribution<T> around_zero(-20, 20);
  while (x.size() < count) {
    x.push_back(x.size() % 10 == 0 ? around_zero(random) : std::bit_cast<T>(static_cast<Bits>(random())));
  }
  x.resize(count / 64 * 64);
  return x;
}

template <class T, class F, class R>
void expect_accuracy(const std::string& name, const std::vector<T>& x, F f, R reference, int limit) {
  const std::vector<T> got = map_vectors(x, f);
  double worst = 0;
  T where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = error_ulp(got[i], reference(static_cast<long double>(x[i])));
    if (error > worst) {
      worst = error;
      where = x[i];
    }
  }
  EXPECT_LE(worst, limit) << name << " at " << where;
  testing::Test::RecordProperty(name + (sizeof(T) == 4 ? "_f32_ulp" : "_f64_ulp"), std::to_string(worst));
}

// f32's reference is double, f64's long double.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T>
class MathFunctions : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(MathFunctions, FloatTypes);

TYPED_TEST(MathFunctions, KeepTheirErrorLimits) {
  using T = TypeParam;
  using W = Wide<T>;
  const std::vector<T> x = points<T>(sizeof(T) == 4 ? 2'000'000 : 400'000);
  const auto check = [&](const char* name, ir::OpKind op, auto f, auto reference) {
    expect_accuracy<T>(
        name, x, f, [&](long double a) -> long double { return reference(static_cast<W>(a)); },
        ir::info(op).ulp);
  };
  using ir::OpKind;
  check("exp", OpKind::Exp, [](auto v) { return simd::exp(v); }, [](W a) { return std::exp(a); });
  check("expm1", OpKind::Expm1, [](auto v) { return simd::expm1(v); }, [](W a) { return std::expm1(a); });
  check("log", OpKind::Log, [](auto v) { return simd::log(v); }, [](W a) { return std::log(a); });
  check("log1p", OpKind::Log1p, [](auto v) { return simd::log1p(v); }, [](W a) { return std::log1p(a); });
  check("tanh", OpKind::Tanh, [](auto v) { return simd::tanh(v); }, [](W a) { return std::tanh(a); });
  check("erf", OpKind::Erf, [](auto v) { return simd::erf(v); }, [](W a) { return std::erf(a); });
  check("sin", OpKind::Sin, [](auto v) { return simd::sin(v); }, [](W a) { return std::sin(a); });
  check("cos", OpKind::Cos, [](auto v) { return simd::cos(v); }, [](W a) { return std::cos(a); });
  check(
      "sigmoid", OpKind::Sigmoid, [](auto v) { return simd::sigmoid(v); },
      [](W a) {
        const W e = std::exp(-std::fabs(a));
        return std::isnan(a) ? a : (a < 0 ? e : W(1)) / (1 + e);
      });
  check("rsqrt", OpKind::Rsqrt, [](auto v) { return simd::rsqrt(v); }, [](W a) { return 1 / std::sqrt(a); });
  check("sqrt", OpKind::Sqrt, [](auto v) { return simd::sqrt(v); }, [](W a) { return std::sqrt(a); });
  check("round", OpKind::Round, [](auto v) { return simd::round(v); }, [](W a) { return std::nearbyint(a); });
  check("floor", OpKind::Floor, [](auto v) { return simd::floor(v); }, [](W a) { return std::floor(a); });
  check("ceil", OpKind::Ceil, [](auto v) { return simd::ceil(v); }, [](W a) { return std::ceil(a); });
}

TYPED_TEST(MathFunctions, SinAndCosNearMultiplesOfAQuarterTurn) {
  using T = TypeParam;
  using W = Wide<T>;
  std::vector<T> x;
  for (int k = -63'000; k < 63'000; k += 5) {
    const T near = static_cast<T>(k * 1.57079632679489661923L);
    x.insert(x.end(), {near, std::nextafter(near, T(0)), static_cast<T>(near + T(0.785))});
  }
  x.resize(x.size() / 64 * 64);
  expect_accuracy<T>(
      "sin", x, [](auto v) { return simd::sin(v); },
      [](long double a) -> long double { return std::sin(static_cast<W>(a)); }, 4);
  expect_accuracy<T>(
      "cos", x, [](auto v) { return simd::cos(v); },
      [](long double a) -> long double { return std::cos(static_cast<W>(a)); }, 4);
}

TYPED_TEST(MathFunctions, PowKeepsItsErrorLimitAndSpecialCases) {
  using T = TypeParam;
  using V = Vector<T>;
  std::vector<T> bases = points<T>(2048);
  const T specials[] = {0,
                        T(-0.0),
                        1,
                        -1,
                        2,
                        3,
                        T(0.5),
                        T(-2.5),
                        T(-3),
                        std::numeric_limits<T>::infinity(),
                        -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN(),
                        T(1e-30),
                        20};
  std::copy(std::begin(specials), std::end(specials), bases.begin());
  for (std::size_t i = 0; i < bases.size(); ++i) {
    std::vector<T> y = points<T>(256);
    std::copy(std::begin(specials), std::end(specials), y.begin());
    const std::vector<T> got = map_vectors(y, [&](V e) { return simd::pow(simd::splat<V>(bases[i]), e); });
    for (std::size_t j = 0; j < y.size(); ++j) {
      const long double want = std::pow(static_cast<Wide<T>>(bases[i]), static_cast<Wide<T>>(y[j]));
      ASSERT_LE(error_ulp(got[j], want), 16) << "pow(" << bases[i] << ", " << y[j] << ") = " << got[j];
    }
  }
}

TYPED_TEST(MathFunctions, NaNIsKept) {
  using V = Vector<TypeParam>;
  const V nan = simd::splat<V>(std::numeric_limits<TypeParam>::quiet_NaN());
  const V one = simd::splat<V>(1);
  EXPECT_TRUE(std::isnan(simd::relu(nan)[0]));
  EXPECT_TRUE(std::isnan(simd::sign(nan)[0]));
  EXPECT_TRUE(std::isnan(simd::maximum(nan, one)[0]) && std::isnan(simd::maximum(one, nan)[0]));
  EXPECT_TRUE(std::isnan(simd::minimum(nan, one)[0]) && std::isnan(simd::minimum(one, nan)[0]));
  V last = one;
  last[simd::lanes<V> - 1] = nan[0];
  EXPECT_TRUE(std::isnan(simd::reduce_max(last)) && std::isnan(simd::reduce_min(last)));
  EXPECT_EQ(simd::less(nan, one)[0], 0);
  EXPECT_EQ(simd::not_equal(nan, nan)[0], -1);
}

TEST(SimdPreamble, NarrowFloatsConvertAsTheScalarsDo) {
  std::vector<float> x = points<float>(1'000'000);
  for (std::uint32_t h = 0; h < 0x10000; ++h) {  // neighbours and midpoints of all f16, as floats
    const float value = ir::f16_to_f32(static_cast<std::uint16_t>(h));
    const auto bits = std::bit_cast<std::uint32_t>(value);
    x.insert(x.end(), {value, std::bit_cast<float>(bits + 0x1000U), std::bit_cast<float>(bits + 0x1001U),
                       std::bit_cast<float>(bits - 0x1000U)});
  }
  using V = Vector<float>;
  for (std::size_t i = 0; i + simd::lanes<V> <= x.size(); i += simd::lanes<V>) {
    std::uint16_t half[simd::lanes<V>];
    std::uint16_t brain[simd::lanes<V>];
    simd::store(reinterpret_cast<f16*>(half), simd::load<V>(&x[i]));
    simd::store(reinterpret_cast<bf16*>(brain), simd::load<V>(&x[i]));
    for (std::size_t j = 0; j < simd::lanes<V>; ++j) {
      const float value = x[i + j];
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(ir::f16_to_f32(half[j])) && std::isnan(ir::bf16_to_f32(brain[j])));
      } else {
        ASSERT_EQ(half[j], ir::f32_to_f16(value)) << value;
        ASSERT_EQ(brain[j], ir::f32_to_bf16(value)) << value;
      }
    }
  }
  for (std::uint32_t h = 0; h < 0x10000; h += simd::lanes<V>) {
    std::uint16_t half[simd::lanes<V>];
    for (std::uint32_t j = 0; j < simd::lanes<V>; ++j) {
      half[j] = static_cast<std::uint16_t>(h + j);
    }
    const V wide = simd::load<V>(reinterpret_cast<const f16*>(half));
    const V brain = simd::load<V>(reinterpret_cast<const bf16*>(half));
    for (int j = 0; j < simd::lanes<V>; ++j) {
      const float want = ir::f16_to_f32(half[j]);
      ASSERT_TRUE(wide[j] == want || (std::isnan(want) && std::isnan(wide[j]))) << half[j];
      const float want_brain = ir::bf16_to_f32(half[j]);
      ASSERT_TRUE(brain[j] == want_brain || std::isnan(want_brain));
    }
  }
}

template <class V, class T>
void expect_partial_access(std::vector<T> memory) {
  constexpr int lanes = simd::lanes<V>;
  for (int n = 0; n <= lanes; ++n) {
    std::vector<T> exact(memory.begin(), memory.begin() + n);  // the sanitizer sees a read beyond
    const V part = simd::load_part<V>(exact.data(), n);
    const V whole = simd::load<V>(memory.data());
    std::vector<T> out(lanes + 1, memory[1]);
    simd::store_part(out.data(), whole, n);
    for (int i = 0; i < lanes; ++i) {
      EXPECT_EQ(part[i], i < n ? whole[i] : 0) << n;
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(out[at], i < n ? memory[at] : memory[1]) << n;
    }
  }
}

TEST(SimdPreamble, PartialLoadsAndStoresStayInside) {
  std::vector<float> f;
  std::vector<double> d;
  std::vector<int> i;
  std::vector<long> l;
  std::vector<bf16> b;
  std::vector<bool8> m;
  for (int k = 0; k < 16; ++k) {
    f.push_back(static_cast<float>(k + 1));
    d.push_back(k + 1);
    i.push_back(k + 1);
    l.push_back(k + 1);
    b.push_back(static_cast<bf16>(0x3F80 + k));
    m.push_back(static_cast<bool8>(k % 3 == 0));
  }
  expect_partial_access<simd::f32x16>(f);
  expect_partial_access<simd::f32x16>(b);
  expect_partial_access<simd::i32x16>(m);
  expect_partial_access<simd::f64x8>(d);
  expect_partial_access<simd::i32x16>(i);
  expect_partial_access<simd::i64x8>(l);
}

TEST(SimdPreamble, StreamedStoresWriteAtAnyAddress) {
  for (std::size_t offset : {0U, 1U, 4U, 16U}) {
    alignas(64) float memory[48] = {};
    const auto v = simd::iota<simd::f32x16>(1);
    simd::stream(memory + offset, v);
    simd::stream_fence();
    for (std::size_t i = 0; i < 48; ++i) {
      const bool inside = i >= offset && i < offset + 16;
      EXPECT_EQ(memory[i], inside ? static_cast<float>(i - offset + 1) : 0.0F);
    }
  }
}

TEST(SimdPreamble, RandomUniformIsTheReferenceBitForBit) {
  const std::uint64_t far = (std::uint64_t{1} << 34U) - 8;  // the block number crosses 32 bits
  for (std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{4096}, far}) {
    for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x123456789ABCDEF0}}) {
      const auto v16 = simd::random_uniform<simd::f32x16>(seed, seed * 3 + 7, first);
      const auto v4 = simd::random_uniform<simd::f32x4>(seed, seed * 3 + 7, first);
      const auto d2 = simd::random_uniform<simd::f64x2>(seed, seed * 3 + 7, first);
      for (int i = 0; i < 16; ++i) {
        const float want = ir::random_uniform(seed, seed * 3 + 7, first + static_cast<std::uint64_t>(i));
        EXPECT_EQ(v16[i], want) << first << " + " << i;
        if (i < 4) {
          EXPECT_EQ(v4[i], want);
        }
        if (i < 2) {
          EXPECT_EQ(d2[i], static_cast<double>(want));
        }
      }
    }
  }
}

TEST(SimdPreamble, IntegersWrapAndDivideByZero) {
  const simd::i32x4 a{std::numeric_limits<int>::min(), 7, -7, 5};
  const simd::i32x4 b{-1, 2, 2, 0};
  const auto q = simd::divide(a, b);
  const simd::i64x4 wide{std::numeric_limits<long>::min(), 7, -7, 5};
  const auto wide_q = simd::divide(wide, simd::convert<simd::i64x4>(b));
  const int want[] = {std::numeric_limits<int>::min(), 3, -3, 0};
  const long wide_want[] = {std::numeric_limits<long>::min(), 3, -3, 0};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(q[i], want[i]);
    EXPECT_EQ(wide_q[i], wide_want[i]);
  }
}

TEST(SimdPreamble, FloatsConvertToIntegersTowardsZeroAndSaturate) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const simd::f32x8 v{2.9F, -2.9F, 3e9F, -3e9F, inf, -inf, nan, 2147483520.0F};
  const auto narrow = simd::convert<simd::i32x8>(v);
  const auto wide = simd::convert<simd::i64x8>(v);
  const int want[] = {2, -2, 2147483647, -2147483647 - 1, 2147483647, -2147483647 - 1, 0, 2147483520};
  const long most = std::numeric_limits<long>::max();
  const long wide_want[] = {2, -2, 3000000000, -3000000000, most, -most - 1, 0, 2147483520};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(narrow[i], want[i]) << i;
    EXPECT_EQ(wide[i], wide_want[i]) << i;
  }
}

}  // namespace
}  // namespace foretell::codegen
