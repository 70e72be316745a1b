// SPDX-License-Identifier: Apache-2.0
// The block functions of every instruction set this machine has, against scalar arithmetic in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/ir/philox.hpp"
#include "fusion-engine/ir/scalar_math.hpp"
#include "fusion-engine/runtime/cpu/kernels/isa.hpp"

namespace foretell::runtime::cpu::kernels {
namespace {

using ir::DType;
using ir::OpKind;
using ir::TypeRule;
using ir::scalar::Integer;

constexpr std::int64_t kLongest = 67;  // four vectors of 16 and a tail

template <class A, class B>
constexpr bool accepts(TypeRule rule) {
  constexpr bool all_bool = std::is_same_v<A, bool> && std::is_same_v<B, bool>;
  switch (rule) {
    case TypeRule::Numeric:
    case TypeRule::Compare: return std::is_same_v<A, B> && !all_bool;
    case TypeRule::Float: return std::is_same_v<A, double> && std::is_same_v<B, double>;
    case TypeRule::Logical: return all_bool;
    case TypeRule::Select: return std::is_same_v<A, bool> && !all_bool;
    case TypeRule::None: return false;
  }
  return false;
}
double number(double x) { return x; }
double number(bool x) { return x ? 1 : 0; }
double number(Integer x) { return static_cast<double>(x.value); }

// The row's expression, as the interpreter compiles it.
template <class A, class B>
double evaluate(OpKind op, A a, B b, [[maybe_unused]] B c) {
  using namespace ir::scalar;
  switch (op) {
#define FORETELL_ELEMENTWISE(kind, name, arity, rule, expression, ...) \
  case OpKind::kind:                                                   \
    if constexpr (accepts<A, B>(TypeRule::rule)) {                     \
      return number(expression);                                       \
    }                                                                  \
    break;
#include "fusion-engine/ir/op_rows.inc"
    default: break;
  }
  ADD_FAILURE() << "no such row: " << ir::to_string(op);
  return 0;
}

double reference(OpKind op, TypeRule rule, DType type, const double* x) {
  const auto integer = [&](int i) { return Integer{static_cast<std::int64_t>(x[i])}; };
  const auto boolean = [&](int i) { return x[i] != 0; };
  if (rule == TypeRule::Logical) {
    return evaluate(op, boolean(0), boolean(1), boolean(2));
  }
  if (rule == TypeRule::Select) {
    return ir::is_float(type) ? evaluate(op, boolean(0), x[1], x[2])
                              : evaluate(op, boolean(0), integer(1), integer(2));
  }
  if (ir::is_float(type)) {
    return evaluate(op, x[0], x[1], x[2]);
  }
  const double value = evaluate(op, integer(0), integer(1), integer(2));
  return type == DType::I32 && rule == TypeRule::Numeric
             ? static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)))
             : value;
}

double ulp_of(double value, DType type) {
  if (type == DType::F64) {
    const double size = std::max(std::fabs(value), std::numeric_limits<double>::min());
    return std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  }
  const float size = std::max(std::fabs(static_cast<float>(value)), std::numeric_limits<float>::min());
  return static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity()) - size);
}

double sample(std::mt19937_64& random, DType type) {
  if (type == DType::Bool) {
    return static_cast<double>(random() % 2);
  }
  if (!ir::is_float(type)) {
    const std::int64_t special[] = {0, -1, 1, std::numeric_limits<std::int32_t>::min(), 46340};
    const std::uint64_t pick = random() % 10;
    return pick < 5 ? static_cast<double>(special[pick]) : static_cast<double>(random() % 2000) - 1000;
  }
  const double special[] = {0,
                            -0.0,
                            1,
                            -1,
                            0.5,
                            2.5,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  const std::uint64_t pick = random() % 40;
  if (pick < std::size(special)) {
    return special[pick];
  }
  return static_cast<double>(std::uniform_real_distribution<float>(-6, 6)(random));
}

ir::HostTensor tensor_of(DType type, std::int64_t n) {
  return ir::make_tensor({.dtype = type, .shape = {n}});
}

class Blocks : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    isa_ = isa_at(GetParam());
    if (isa_ == nullptr) {
      // A processor can't run instructions it lacks; machines that have them run the row.
      GTEST_SKIP() << "this machine has only " << GetParam() << " of the instruction sets";
    }
  }
  const Isa* isa_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Isa, Blocks, testing::Range(0, 3));

void expect_row(const Isa& isa, const ir::OpInfo& row, DType type, std::int64_t n, std::mt19937_64& random) {
  const bool is_bool_result = row.types == TypeRule::Compare || row.types == TypeRule::Logical;
  std::vector<ir::HostTensor> in;
  for (int k = 0; k < 3; ++k) {
    in.push_back(tensor_of(row.types == TypeRule::Select && k == 0 ? DType::Bool : type, n));
    for (std::int64_t i = 0; i < n; ++i) {
      ir::set(in.back(), i, sample(random, in.back().type.dtype));
    }
  }
  const DType result = is_bool_result ? DType::Bool : type;
  ir::HostTensor out = tensor_of(result, n + 1);  // one more, which must stay
  std::fill(out.bytes.begin(), out.bytes.end(), std::byte{0x5A});
  const BlockFunction f = isa.elementwise[static_cast<std::size_t>(row.kind)][static_cast<std::size_t>(type)];
  ASSERT_NE(f, nullptr) << row.name << " " << ir::to_string(type);
  f(in[0].bytes.data(), in[1].bytes.data(), in[2].bytes.data(), out.bytes.data(), n, n % 2 == 0);
  isa.stream_fence();
  for (std::int64_t i = 0; i < n; ++i) {
    const double x[] = {ir::get(in[0], i), ir::get(in[1], i), ir::get(in[2], i)};
    const double want = reference(row.kind, row.types, type, x);
    const double got = ir::get(out, i);
    const auto told = [&] {
      return testing::Message() << row.name << " " << ir::to_string(type) << " (" << x[0] << ", " << x[1]
                                << ", " << x[2] << ") is " << got << ", not " << want;
    };
    const double rounded = type == DType::F32 ? static_cast<double>(static_cast<float>(want)) : want;
    if (!ir::is_float(result) || !std::isfinite(rounded)) {
      ASSERT_TRUE(got == rounded || (std::isnan(got) && std::isnan(rounded))) << told();
    } else {
      // f64's reference has an error of its own, below one ulp.
      const double limit = row.ulp + (type == DType::F64 && row.ulp > 0 ? 1 : 0);
      ASSERT_LE(std::fabs(got - want), (limit + 0.5 * (type == DType::F32)) * ulp_of(want, type)) << told();
    }
  }
  for (std::size_t i = static_cast<std::size_t>(n) * ir::size_bytes(result); i < out.bytes.size(); ++i) {
    ASSERT_EQ(out.bytes[i], std::byte{0x5A}) << row.name << " wrote beyond " << n << " elements";
  }
}

TEST_P(Blocks, EveryRowAndTypeEqualsTheScalarExpression) {
  std::mt19937_64 random(11);
  for (const ir::OpInfo& row : ir::all_ops()) {
    if (row.types == TypeRule::None) {
      continue;
    }
    for (const DType type :
         {DType::F32, DType::F64, DType::I32, DType::I64, DType::Bool}) {  // narrow: layout_test
      const bool takes = row.types == TypeRule::Float     ? ir::is_float(type)
                         : row.types == TypeRule::Numeric ? type != DType::Bool
                         : row.types == TypeRule::Logical ? type == DType::Bool
                                                          : true;
      if (!takes || (row.types == TypeRule::Select && type == DType::Bool)) {
        continue;
      }
      for (std::int64_t n = 0; n <= kLongest; ++n) {
        expect_row(*isa_, row, type, n, random);
      }
    }
  }
}

TEST_P(Blocks, SelectOfBools) {
  const std::vector<std::uint8_t> c{0, 1, 0, 1, 1};
  const std::vector<std::uint8_t> a{1, 1, 0, 0, 1};
  const std::vector<std::uint8_t> b{0, 0, 1, 1, 0};
  std::vector<std::uint8_t> out(5);
  isa_->elementwise[static_cast<int>(Row::Where)][static_cast<int>(Element::Bool)](
      c.data(), a.data(), b.data(), out.data(), 5, false);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 1, 1, 0, 1}));
}

TEST_P(Blocks, EveryCastStoresWhatHostTensorsStore) {
  std::mt19937_64 random(12);
  for (const DType from : ir::kAllDTypes) {
    for (const DType to : ir::kAllDTypes) {
      const CastFunction cast = isa_->cast[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      ASSERT_EQ(cast == nullptr, from == to);
      for (std::int64_t n = 0; n <= kLongest && cast != nullptr; ++n) {
        ir::HostTensor in = tensor_of(from, n);
        ir::HostTensor out = tensor_of(to, n);
        ir::HostTensor want = tensor_of(to, n);
        for (std::int64_t i = 0; i < n; ++i) {
          double x = sample(random, from);
          if (from == DType::F64 && i % 3 == 0) {  // near the midpoint of two bf16 or f16
            x = (i % 2 == 0 ? 1.00390625 : 1.00048828125) * (1 + static_cast<double>(i % 5 - 2) * 1e-12);
          }
          ir::set(in, i, x);
          const double stored = ir::get(in, i);
          if (to == DType::I32 && from == DType::I64) {  // integers wrap
            ir::set(want, i, static_cast<std::int32_t>(static_cast<std::int64_t>(stored)));
          } else {
            ir::set(want, i, stored);
          }
        }
        cast(in.bytes.data(), out.bytes.data(), n);
        for (std::int64_t i = 0; i < n; ++i) {
          const double a = ir::get(out, i);
          const double b = ir::get(want, i);
          ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
              << ir::to_string(from) << " " << ir::get(in, i) << " to " << ir::to_string(to) << ": " << a
              << ", not " << b;
        }
      }
    }
  }
}

TEST_P(Blocks, StreamingCopyAtAnyAddressAndLength) {
  std::vector<std::uint8_t> from(400);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<std::uint8_t>(i * 7);
  }
  for (std::size_t offset = 0; offset < 64; offset += 7) {
    for (std::size_t n = 0; n < 260; n += 13) {
      std::vector<std::uint8_t> to(400, 0xEE);
      isa_->stream_copy(to.data() + offset, from.data() + 3, static_cast<long>(n), {});
      isa_->stream_fence();
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool inside = i >= offset && i < offset + n;
        ASSERT_EQ(to[i], inside ? from[i - offset + 3] : 0xEE) << offset << " " << n << " " << i;
      }
    }
  }
}

template <class T>
void expect_reductions(const FloatBlocks<T>& blocks, std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::vector<T> x(static_cast<std::size_t>(n));
  double sum = 0;
  double squares = 0;
  for (T& v : x) {
    v = std::uniform_real_distribution<T>(-1, 1)(random);
    sum += static_cast<double>(v);
    squares += (static_cast<double>(v) - 0.25) * (static_cast<double>(v) - 0.25);
  }
  const double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(n + 1);
  EXPECT_NEAR(blocks.sum(x.data(), n), sum, unit);
  EXPECT_NEAR(blocks.sum_of_squares(x.data(), 0.25, n), squares, 4 * unit);
  if (n == 0) {
    return;
  }
  EXPECT_EQ(blocks.largest(x.data(), n), *std::max_element(x.begin(), x.end())) << n;
  EXPECT_EQ(blocks.smallest(x.data(), n), *std::min_element(x.begin(), x.end())) << n;
  x[static_cast<std::size_t>(n / 2)] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(std::isnan(blocks.largest(x.data(), n)) && std::isnan(blocks.smallest(x.data(), n))) << n;
}

TEST_P(Blocks, ReductionsOfABlock) {
  for (std::int64_t n = 0; n <= kLongest; ++n) {
    expect_reductions(isa_->f32, n);
    expect_reductions(isa_->f64, n);
  }
  const std::vector<long> x{3, std::numeric_limits<long>::max(), -4, 5};
  EXPECT_EQ(isa_->i64.sum(x.data(), 4), std::numeric_limits<long>::min() + 3);
  EXPECT_EQ(isa_->i64.largest(x.data(), 4), x[1]);
  EXPECT_EQ(isa_->i64.smallest(x.data(), 4), -4);
}

TEST_P(Blocks, RandomStreamsDoNotDependOnWhereABlockStarts) {
  constexpr std::int64_t kAll = 100;
  std::vector<float> u(kAll);
  std::vector<float> normal(kAll);
  isa_->f32.uniform({.seed = 5, .counter = 9, .first = 0, .probability = 0}, u.data(), kAll);
  isa_->f32.normal({.seed = 5, .counter = 9, .first = 0, .probability = 0}, normal.data(), kAll);
  for (std::uint64_t first = 0; first < 40; ++first) {
    std::vector<float> part(kAll);
    std::vector<float> normal_part(kAll);
    isa_->f32.uniform({.seed = 5, .counter = 9, .first = first, .probability = 0}, part.data(), 37);
    isa_->f32.normal({.seed = 5, .counter = 9, .first = first, .probability = 0}, normal_part.data(), 37);
    for (std::size_t i = 0; i < 37; ++i) {
      ASSERT_EQ(part[i], ir::random_uniform(5, 9, first + i));
      ASSERT_EQ(normal_part[i], normal[first + i]);
    }
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu::kernels
