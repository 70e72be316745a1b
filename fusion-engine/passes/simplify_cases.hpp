// SPDX-License-Identifier: Apache-2.0
// The identities of simplify, for its test and for the one that evaluates them
// (tests/engine/identities_test.cpp).
#pragma once

#include "fusion-engine/passes/pass_cases.hpp"

namespace foretell::passes {

inline constexpr PassCase kArithmetic[] = {
    {"add_minus_zero", "z = constant(value=-0, to=f32)\na = add(x, z)\nr = exp(a)\n", "r = exp(x)\n"},
    {"minus_zero_add", "z = constant(value=-0, to=f32)\na = add(z, x)\nr = exp(a)\n", "r = exp(x)\n"},
    {"add_zero_int", "z = constant(value=0, to=i32)\na = add(n, z)\nr = neg(a)\n", "r = neg(n)\n"},
    {"sub_zero", "z = constant(value=0, to=f32)\na = sub(x, z)\nr = exp(a)\n", "r = exp(x)\n"},
    {"add_neg", "a = neg(y)\nr = add(x, a)\n", "r = sub(x, y)\n"},
    {"neg_add", "a = neg(y)\nr = add(a, x)\n", "r = sub(x, y)\n"},
    {"sub_neg", "a = neg(y)\nr = sub(x, a)\n", "r = add(x, y)\n"},
    {"mul_one", "o = constant(value=1, to=bf16)\na = mul(h, o)\nr = exp(a)\n", "r = exp(h)\n"},
    {"one_mul", "o = constant(value=1, to=i32)\na = mul(o, n)\nr = neg(a)\n", "r = neg(n)\n"},
    {"div_one", "o = constant(value=1, to=i32)\na = div(n, o)\nr = neg(a)\n", "r = neg(n)\n"},
    {"div_power_of_two", "o = constant(value=8, to=f32)\nr = div(x, o)\n",
     "o = constant(value=0.125, to=f32)\nr = mul(x, o)\n"},
    {"div_negative_power_of_two", "o = constant(value=-0.5, to=f32)\nr = div(x, o)\n",
     "o = constant(value=-2, to=f32)\nr = mul(x, o)\n"},
    {"neg_neg", "a = neg(x)\nd = neg(a)\nr = exp(d)\n", "r = exp(x)\n"},
    {"abs_neg", "a = neg(x)\nr = abs(a)\n", "r = abs(x)\n"},
    {"abs_abs", "a = abs(x)\nr = abs(a)\n", "r = abs(x)\n"},
    {"square_abs", "a = abs(x)\nr = square(a)\n", "r = square(x)\n"},
    {"relu_relu", "a = relu(x)\nr = relu(a)\n", "r = relu(x)\n"},
    {"pow_2", "t = constant(value=2, to=f32)\nr = pow(x, t)\n", "r = square(x)\n"},
    {"pow_1", "t = constant(value=1, to=f32)\na = pow(x, t)\nr = exp(a)\n", "r = exp(x)\n"},
    {"pow_minus_1", "t = constant(value=-1, to=f32)\nr = pow(x, t)\n", "r = reciprocal(x)\n"},
    {"long_chain", "a = neg(x)\nd = neg(a)\no = constant(value=1, to=f32)\ne = mul(d, o)\nr = add(e, a)\n",
     "r = sub(x, x)\n"},
};

inline constexpr PassCase kSelections[] = {
    {"where_true", "t = constant(value=1, to=bool)\na = where(t, x, y)\nr = exp(a)\n", "r = exp(x)\n"},
    {"where_false", "t = constant(value=0, to=bool)\na = where(t, x, y)\nr = exp(a)\n", "r = exp(y)\n"},
    {"where_expands", "t = constant(value=1, to=bool)\nr = where(t, row, y)\n",
     "r = expand(row, shape=[2,3])\n"},
    {"where_same", "a = where(b, x, x)\nr = exp(a)\n", "r = exp(x)\n"},
    {"maximum_same", "a = maximum(x, x)\nr = exp(a)\n", "r = exp(x)\n"},
    {"minimum_inf", "i = constant(value=inf, to=f32)\na = minimum(i, x)\nr = exp(a)\n", "r = exp(x)\n"},
    {"clamp_below", "i = constant(value=inf, to=f32)\nr = clamp(x, y, i)\n", "r = maximum(x, y)\n"},
    {"clamp_above", "i = constant(value=-inf, to=f32)\nr = clamp(x, i, y)\n", "r = minimum(x, y)\n"},
    {"and_true", "t = constant(value=1, to=bool)\na = and(b, t)\nr = xor(a, c)\n", "r = xor(b, c)\n"},
    {"or_false", "t = constant(value=0, to=bool)\na = or(t, b)\nr = xor(a, c)\n", "r = xor(b, c)\n"},
    {"or_same", "a = or(b, b)\nr = xor(a, c)\n", "r = xor(b, c)\n"},
    {"not_not", "a = not(b)\nd = not(a)\nr = xor(d, c)\n", "r = xor(b, c)\n"},
    {"not_eq", "a = eq(x, y)\nr = not(a)\n", "r = ne(x, y)\n"},
};

inline constexpr PassCase kCasts[] = {
    {"to_the_same", "a = cast(x, to=f32)\nr = exp(a)\n", "r = exp(x)\n"},
    {"there_and_back", "a = cast(h, to=f32)\nd = cast(a, to=bf16)\nr = exp(d)\n", "r = exp(h)\n"},
    {"through_wider", "a = cast(n, to=i64)\nr = cast(a, to=f32)\n", "r = cast(n, to=f32)\n"},
    {"through_bool_to_int", "a = cast(b, to=i32)\nr = cast(a, to=f32)\n", "r = cast(b, to=f32)\n"},
};

inline constexpr PassCase kViews[] = {
    {"permute_identity", "a = permute(x, permutation=[0,1])\nr = exp(a)\n", "r = exp(x)\n"},
    {"permute_permute", "a = permute(x3, permutation=[1,2,0])\nr = permute(a, permutation=[2,1,0])\n",
     "r = permute(x3, permutation=[0,2,1])\n"},
    {"permute_there_and_back",
     "a = permute(x, permutation=[1,0])\nd = permute(a, permutation=[1,0])\nr = exp(d)\n", "r = exp(x)\n"},
    {"reshape_reshape", "a = reshape(x3, shape=[24])\nr = reshape(a, shape=[8,3])\n",
     "r = reshape(x3, shape=[8,3])\n"},
    {"reshape_back", "a = reshape(x, shape=[6])\nd = reshape(a, shape=[2,3])\nr = exp(d)\n", "r = exp(x)\n"},
    {"expand_expand", "a = expand(row, shape=[2,3])\nr = expand(a, shape=[4,2,3])\n",
     "r = expand(row, shape=[4,2,3])\n"},
    {"expand_identity", "a = expand(x, shape=[2,3])\nr = exp(a)\n", "r = exp(x)\n"},
    {"expand_beside_its_shape", "a = expand(row, shape=[2,3])\nr = add(a, x)\n", "r = add(row, x)\n"},
    {"slice_all", "a = slice(x, starts=[0,0], limits=[2,3])\nr = exp(a)\n", "r = exp(x)\n"},
    {"slice_slice",
     "a = slice(x3, starts=[1,0,0], limits=[4,2,3], steps=[2,1,2])\n"
     "r = slice(a, starts=[1,0,0], limits=[2,2,2])\n",
     "r = slice(x3, starts=[3,0,0], limits=[4,2,3], steps=[1,1,2])\n"},
    {"concat_one", "a = concat(x, axis=0)\nr = exp(a)\n", "r = exp(x)\n"},
    {"pad_nothing", "a = pad(x, before=[0,0], after=[0,0], value=3)\nr = exp(a)\n", "r = exp(x)\n"},
    {"amax_of_one", "a = slice(x, starts=[0,0], limits=[2,1])\nr = amax(a, axes=[1])\n",
     "a = slice(x, starts=[0,0], limits=[2,1])\nr = reshape(a, shape=[2])\n"},
};

inline constexpr PassCase kFolded[] = {
    {"add",
     "a = constant(value=0.1, to=f32)\nd = constant(value=0.2, to=f32)\ne = add(a, d)\nr = mul(x, e)\n",
     "e = constant(value=0.30000001192092896, to=f32)\nr = mul(x, e)\n"},
    {"rounds_to_the_type",
     "a = constant(value=1, to=bf16)\nd = constant(value=0.001, to=bf16)\ne = add(a, d)\n"
     "f = constant(value=2, to=bf16)\ng = mul(e, f)\nr = mul(h, g)\n",
     "g = constant(value=2, to=bf16)\nr = mul(h, g)\n"},
    {"division_by_zero",
     "a = constant(value=-1, to=f32)\nd = constant(value=0, to=f32)\ne = div(a, d)\nr = add(x, e)\n",
     "e = constant(value=-inf, to=f32)\nr = add(x, e)\n"},
    {"comparison_with_nan", "a = constant(value=nan, to=f32)\ne = ne(a, a)\nf = and(e, b)\nr = xor(f, c)\n",
     "r = xor(b, c)\n"},
    {"cast", "a = constant(value=2.5, to=f32)\ne = cast(a, to=bf16)\nr = mul(h, e)\n",
     "e = constant(value=2.5, to=bf16)\nr = mul(h, e)\n"},
    {"sign_of_minus_zero", "a = constant(value=-0, to=f32)\ne = sign(a)\nr = div(x, e)\n",
     "e = constant(value=-0, to=f32)\nr = div(x, e)\n"},
    {"maximum_of_zeros",
     "a = constant(value=0, to=f32)\nd = constant(value=-0, to=f32)\ne = maximum(a, d)\nr = div(x, e)\n",
     "e = constant(value=-0, to=f32)\nr = div(x, e)\n"},
    {"clamp",
     "a = constant(value=5, to=bf16)\nd = constant(value=-1, to=bf16)\nf = constant(value=2, to=bf16)\n"
     "e = clamp(a, d, f)\nr = mul(h, e)\n",
     "e = constant(value=2, to=bf16)\nr = mul(h, e)\n"},
    {"where_of_integers",
     "t = constant(value=1, to=bool)\na = constant(value=7, to=i32)\nd = constant(value=8, to=i32)\n"
     "e = where(t, a, d)\nr = mul(n, e)\n",
     "e = constant(value=7, to=i32)\nr = mul(n, e)\n"},
    // 1 + 2^-11 + 2^-24, a tie of f32, and a little more, which a double would lose.
    {"fma_rounds_once",
     "a = constant(value=1.000244140625, to=f32)\nd = constant(value=8.673617379884035e-19, to=f32)\n"
     "e = fma(a, a, d)\nr = mul(x, e)\n",
     "e = constant(value=1.0004884004592896, to=f32)\nr = mul(x, e)\n"},
};

}  // namespace foretell::passes
