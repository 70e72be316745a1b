// SPDX-License-Identifier: Apache-2.0
// The rows of the op table as loops: the tokens of a row's expression are compiled here.
#include "fusion-engine/codegen/simd/arithmetic.hpp"
#include "fusion-engine/codegen/simd/erf.hpp"
#include "fusion-engine/codegen/simd/exponential.hpp"
#include "fusion-engine/codegen/simd/memory.hpp"
#include "fusion-engine/codegen/simd/power.hpp"
#include "fusion-engine/codegen/simd/trigonometric.hpp"
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

namespace {

// Names as op_rows.inc gives them.
enum class TypeRule { Numeric, Float, Logical, Compare, Select };

namespace rows {
using namespace foretell_simd;
#define FORETELL_ELEMENTWISE(kind, name, arity, type_rule, expression, ...)                             \
  struct kind {                                                                                         \
    static constexpr int operands = arity;                                                              \
    static constexpr TypeRule rule = TypeRule::type_rule;                                               \
    template <class A, class V>                                                                         \
    static inline __attribute__((always_inline)) auto apply([[maybe_unused]] A a, [[maybe_unused]] V b, \
                                                            [[maybe_unused]] V c) {                     \
      return expression;                                                                                \
    }                                                                                                   \
  };
#include "fusion-engine/ir/op_rows.inc"
}  // namespace rows

// Bytes that streaming loops fetch ahead; 2 KiB measured best of 0.5, 1, 2, 4 and 8
// (docs/measurements/eager-kernels.md).
constexpr long kAhead = 2048;

template <bool First, class A, class B>
struct Choose {
  typedef A type;
};
template <class A, class B>
struct Choose<false, A, B> {
  typedef B type;
};
template <bool First, class A, class B>
using choose = typename Choose<First, A, B>::type;

// T: what operands are in memory (the condition of a select and all logical ones are bool8).
template <class R, class T>
void block(const void* a, const void* b, const void* c, void* out, long n, bool stream) {
  using simd::bool8;
  constexpr bool is_bool = __is_same(T, bool8);
  constexpr bool is_narrow = __is_same(T, simd::bf16) || __is_same(T, simd::f16);
  using Register = Vector<choose<is_bool, int, choose<is_narrow, float, T>>>;
  using A = choose<R::rule == TypeRule::Select, simd::mask<Register>, Register>;
  using MemoryA = choose<R::rule == TypeRule::Select, bool8, T>;
  using MemoryOut = choose<R::rule == TypeRule::Compare || R::rule == TypeRule::Logical, bool8, T>;
  constexpr int lanes = simd::lanes<Register>;
  const auto evaluate = [](A x, Register y, Register z) __attribute__((always_inline)) {
    if constexpr (is_bool && R::rule == TypeRule::Compare) {
      return R::apply(x & 1, y & 1, z);  // false < true, where masks are 0 and -1
    } else {
      return R::apply(x, y, z);
    }
  };
  const auto* pa = static_cast<const MemoryA*>(a);
  const auto* pb = static_cast<const T*>(b);
  const auto* pc = static_cast<const T*>(c);
  auto* po = static_cast<MemoryOut*>(out);
  for_vectors<lanes>(
      n,
      [&](long i) __attribute__((always_inline)) {
        const A x = simd::load<A>(pa + i);
        const Register y = R::operands > 1 ? simd::load<Register>(pb + i) : Register{};
        const Register z = R::operands > 2 ? simd::load<Register>(pc + i) : Register{};
        if (stream) {
          __builtin_prefetch(reinterpret_cast<const char*>(pa + i) + kAhead);
          if constexpr (R::operands > 1) {
            __builtin_prefetch(reinterpret_cast<const char*>(pb + i) + kAhead);
          }
          if constexpr (R::operands > 2) {
            __builtin_prefetch(reinterpret_cast<const char*>(pc + i) + kAhead);
          }
          simd::stream(po + i, evaluate(x, y, z));
        } else {
          simd::store(po + i, evaluate(x, y, z));
        }
      },
      [&](long i, long rest) __attribute__((always_inline)) {
        const A x = simd::load_part<A>(pa + i, rest);
        const Register y = R::operands > 1 ? simd::load_part<Register>(pb + i, rest) : Register{};
        const Register z = R::operands > 2 ? simd::load_part<Register>(pc + i, rest) : Register{};
        simd::store_part(po + i, evaluate(x, y, z), rest);
      });
}

template <class R>
void fill_row(BlockFunction (&functions)[kElements]) {
  const auto set = [&](Element type, BlockFunction f) { functions[static_cast<int>(type)] = f; };
  if constexpr (R::rule != TypeRule::Logical) {
    set(Element::F32, block<R, float>);
    set(Element::F64, block<R, double>);
  }
  if constexpr (R::rule == TypeRule::Numeric || R::rule == TypeRule::Float) {
    set(Element::BF16, block<R, simd::bf16>);
    set(Element::F16, block<R, simd::f16>);
  }
  if constexpr (R::rule == TypeRule::Numeric || R::rule == TypeRule::Compare || R::rule == TypeRule::Select) {
    set(Element::I32, block<R, int>);
    set(Element::I64, block<R, long>);
  }
  if constexpr (R::rule == TypeRule::Logical || R::rule == TypeRule::Compare || R::rule == TypeRule::Select) {
    set(Element::Bool, block<R, simd::bool8>);
  }
}

}  // namespace

void fill_elementwise(Isa& isa) {
#define FORETELL_ELEMENTWISE(kind, ...) fill_row<rows::kind>(isa.elementwise[static_cast<int>(Row::kind)]);
#include "fusion-engine/ir/op_rows.inc"
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
