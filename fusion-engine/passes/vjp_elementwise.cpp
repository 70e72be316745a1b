// SPDX-License-Identifier: Apache-2.0
// Elementwise ops and casts. By operand: a, b, c of op_rows.inc's expressions.
#include <numbers>

#include "fusion-engine/passes/vjp.hpp"

namespace foretell::passes {
namespace {

using ir::Term;
using enum ir::OpKind;

Term zero(const Vjp& it) { return it.formula.constant(0, it.dy.dtype()); }
Term where(ir::OpKind comparison, Term a, Term b, Term then, Term otherwise) {
  return select(apply(comparison, {a, b}), then, otherwise);
}

Term cotangent(const Vjp& it) { return it.dy; }

// Of maximum and minimum, for an operand that loses where `losing(it, other)`: equal ones take half each.
Term winner(const Vjp& it, ir::OpKind losing) {
  const Term self = it.operand == 0 ? it.a : it.b;
  const Term other = it.operand == 0 ? it.b : it.a;
  const Term shared = where(Eq, self, other, it.dy * 0.5, it.dy);
  const Term none = zero(it);
  return where(losing, self, other, none, shared);
}

// b <= a <= c; else it is b, or c where b > c.
Term clamped(const Vjp& it) {
  const Term inside = apply(And, {apply(Ge, {it.a, it.b}), apply(Le, {it.a, it.c})});
  return select(inside, it.dy, zero(it));
}
Term clamped_from_below(const Vjp& it) {
  const Term below = apply(And, {apply(Lt, {it.a, it.b}), apply(Le, {it.b, it.c})});
  return select(below, it.dy, zero(it));
}
Term clamped_from_above(const Vjp& it) {
  const Term above = apply(Or, {apply(Gt, {it.a, it.c}), apply(Gt, {it.b, it.c})});
  return select(above, it.dy, zero(it));
}

// b a^(b-1), and 0 for a^0 at any a.
Term power_base(const Vjp& it) {
  const Term slope = it.b * apply(Pow, {it.a, it.b - 1});
  const Term zeros = zero(it);
  return where(Eq, it.b, zeros, zeros, it.dy * slope);
}
// y log(a), and 0 for 0^b at b >= 0.
Term power_exponent(const Vjp& it) {
  const Term zeros = zero(it);
  const Term flat = apply(And, {apply(Eq, {it.a, zeros}), apply(Ge, {it.b, zeros})});
  const Term slope = it.y * apply(Log, it.a);
  return select(flat, zeros, it.dy * slope);
}

constexpr VjpRow kRows[]{
    {Neg, {[](const Vjp& it) { return -it.dy; }}},
    {Abs, {[](const Vjp& it) { return it.dy * apply(Sign, it.a); }}},
    {Sqrt, {[](const Vjp& it) { return it.dy / (it.y + it.y); }}},
    {Rsqrt, {[](const Vjp& it) { return it.dy * (it.y * (it.y * it.y) * -0.5); }}},
    {Reciprocal, {[](const Vjp& it) { return -(it.dy * (it.y * it.y)); }}},
    {Square, {[](const Vjp& it) { return it.dy * (it.a + it.a); }}},
    {Relu, {[](const Vjp& it) { return apply(ReluGrad, {it.y, it.dy}); }}},
    {Exp, {[](const Vjp& it) { return it.dy * it.y; }}},
    {Expm1, {[](const Vjp& it) { return it.dy * (it.y + 1); }}},
    {Log, {[](const Vjp& it) { return it.dy / it.a; }}},
    {Log1p, {[](const Vjp& it) { return it.dy / (it.a + 1); }}},
    {Sin, {[](const Vjp& it) { return it.dy * apply(Cos, it.a); }}},
    {Cos, {[](const Vjp& it) { return -(it.dy * apply(Sin, it.a)); }}},
    {Tanh, {[](const Vjp& it) { return apply(TanhGrad, {it.y, it.dy}); }}},
    {Sigmoid, {[](const Vjp& it) { return apply(SigmoidGrad, {it.y, it.dy}); }}},
    {Erf, {[](const Vjp& it) {
       return it.dy * (apply(Exp, -apply(Square, it.a)) * (2 * std::numbers::inv_sqrtpi));
     }}},
    {Add, {cotangent}},
    {Sub, {cotangent, [](const Vjp& it) { return -it.dy; }}},
    {Mul, {[](const Vjp& it) { return it.dy * it.b; }, [](const Vjp& it) { return it.dy * it.a; }}},
    {Div,
     {[](const Vjp& it) { return it.dy / it.b; }, [](const Vjp& it) { return -(it.dy * (it.y / it.b)); }}},
    {Pow, {power_base, power_exponent}},
    {Maximum, {[](const Vjp& it) { return winner(it, Lt); }}},
    {Minimum, {[](const Vjp& it) { return winner(it, Gt); }}},
    {Where,
     {nullptr, [](const Vjp& it) { return select(it.a, it.dy, zero(it)); },
      [](const Vjp& it) { return select(it.a, zero(it), it.dy); }}},
    {Clamp, {clamped, clamped_from_below, clamped_from_above}},
    {Fma,
     {[](const Vjp& it) { return it.dy * it.b; }, [](const Vjp& it) { return it.dy * it.a; }, cotangent}},
    // Linear in the cotangent b; relu's has the slope zero in a.
    {ReluGrad,
     {[](const Vjp&) { return Term{}; }, [](const Vjp& it) { return apply(ReluGrad, {it.a, it.dy}); }}},
    {TanhGrad,
     {[](const Vjp& it) { return it.dy * (it.a * it.b * -2); },
      [](const Vjp& it) { return apply(TanhGrad, {it.a, it.dy}); }}},
    {SigmoidGrad,
     {[](const Vjp& it) { return it.dy * (it.b * (1 - (it.a + it.a))); },
      [](const Vjp& it) { return apply(SigmoidGrad, {it.a, it.dy}); }}},
    {Cast, {[](const Vjp& it) { return cast(it.dy, it.a.dtype()); }}},
};

}  // namespace

std::span<const VjpRow> elementwise_vjps() { return kRows; }

}  // namespace foretell::passes
