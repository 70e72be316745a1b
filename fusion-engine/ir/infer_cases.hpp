// SPDX-License-Identifier: Apache-2.0
// For infer_test.cpp: statements of the text form, and the type that r gets or the whole error.
#pragma once

#include <ostream>
#include <string_view>

namespace foretell::ir {

inline constexpr std::string_view kInputs = R"(graph test
x = input(to=f32, shape=[2,3])
x3 = input(to=f32, shape=[4,2,3])
y4 = input(to=f32, shape=[4])
row = input(to=f32, shape=[3])
d = input(to=f64, shape=[2,3])
h = input(to=bf16, shape=[2,3])
n = input(to=i32, shape=[2,3])
b = input(to=bool, shape=[2,3])
s = input(to=f32, shape=[])
none = input(to=f32, shape=[2,0])
at = input(to=i64, shape=[5,7])
)";

struct InferCase {
  const char* name;
  const char* statement;  // what r is
  const char* want;
};
inline std::ostream& operator<<(std::ostream& out, const InferCase& row) { return out << row.name; }

inline constexpr InferCase kElementwise[] = {
    {"neg", "neg(n)", "i32[2,3]"},
    {"neg_of_bool", "neg(b)", "neg: expected a number type, found bool[2,3]"},
    {"exp", "exp(h)", "bf16[2,3]"},
    {"exp_of_int", "exp(n)", "exp: expected a float type, found i32[2,3]"},
    {"add_broadcasts", "add(x3, row)", "f32[4,2,3]"},
    {"add_both_ways", "add(x, reshape_row)", "f32[2,3]"},
    {"add_scalar", "add(s, x)", "f32[2,3]"},
    {"add_shapes", "add(x, y4)", "add: can't broadcast [2,3] with [4]"},
    {"add_types", "add(x, d)", "add: expected operands of one element type, found f32[2,3] and f64[2,3]"},
    {"add_arity", "add(x)", "add: expected 2 operands, found 1"},
    {"neg_arity", "neg(x, x)", "neg: expected 1 operand, found 2"},
    {"add_attribute", "add(x, x, axis=1)", "add: takes no attribute 'axis'"},
    {"lt", "lt(n, n)", "bool[2,3]"},
    {"eq_of_bools", "eq(b, b)", "bool[2,3]"},
    {"and", "and(b, b)", "bool[2,3]"},
    {"and_of_floats", "and(b, x)", "and: expected bool, found f32[2,3]"},
    {"where", "where(b, s, x3)", "f32[4,2,3]"},
    {"where_of_bools", "where(b, b, b)", "bool[2,3]"},
    {"where_condition", "where(x, x, x)", "where: expected a condition of bool, found f32[2,3]"},
    {"where_types", "where(b, x, n)",
     "where: expected operands of one element type, found f32[2,3] and i32[2,3]"},
    {"clamp", "clamp(x, s, row)", "f32[2,3]"},
    {"fma_shapes", "fma(x3, row, y4)", "fma: can't broadcast [4,2,3] with [4]"},
    {"cast", "cast(b, to=f16)", "f16[2,3]"},
    {"cast_to_nothing", "cast(b)", "cast: expected attribute 'to', found none"},
};

inline constexpr InferCase kSources[] = {
    {"input_range", "input(name=\"r\", to=bf16, shape=[2], low=0, high=0)", "bf16[2]"},
    {"input_empty_range", "input(name=\"r\", to=f32, shape=[2], low=2)",
     "input: expected contents from low to a high that is no less, found 2 to 1"},
    {"input_endless_range", "input(name=\"r\", to=f32, shape=[2], high=inf)",
     "input: expected contents from low to a high that is no less, found -1 to inf"},
    {"input_range_of_integers", "input(name=\"r\", to=i32, shape=[2], low=0)",
     "input: expected a float type for contents from 0 to 1, found i32"},
    {"input_rank", "input(name=\"r\", to=f32, shape=[1,1,1,1,1,1,1,1,1])",
     "input: expected a rank of at most 8, found 9"},
    {"input_negative", "input(to=f32, shape=[2,-1])", "input: expected extents of at least 0, found -1"},
    {"input_large", "input(to=bool, shape=[1073741824,1073741824])",
     "input: the result bool[1073741824,1073741824] has more elements than 64 bits can count bytes for"},
    {"input_large_but_empty", "input(to=f32, shape=[0,1073741824,1073741824])",
     "input: the result f32[0,1073741824,1073741824] has more elements than 64 bits can count bytes for"},
    {"input_twice", "input(name=x, to=f32, shape=[])", "input: the name 'x' is already an input's"},
    {"constant", "constant(value=0.1, to=f16)", "f16[]"},
    {"constant_int", "constant(value=-3, to=i64)", "i64[]"},
    {"constant_no_int", "constant(value=0.5, to=i32)",
     "constant: expected a value that i32 holds exactly, found 0.5"},
    {"constant_nan_int", "constant(value=nan, to=i32)",
     "constant: expected a value that i32 holds exactly, found nan"},
    {"constant_large_int", "constant(value=2147483648, to=i32)",
     "constant: expected a value that i32 holds exactly, found 2147483648"},
    {"constant_no_bool", "constant(value=2, to=bool)",
     "constant: expected a value that bool holds exactly, found 2"},
    {"constant_nothing", "constant(to=f32)", "constant: expected attribute 'value', found none"},
    {"iota", "iota(shape=[2,3], axis=-1, to=i32)", "i32[2,3]"},
    {"iota_axis", "iota(shape=[2,3], axis=2, to=i32)", "iota: axis 2 is out of range for rank 2"},
    {"iota_of_bool", "iota(shape=[2], axis=0, to=bool)", "iota: expected a number type, found bool"},
    {"iota_too_far", "iota(shape=[2147483649], axis=0, to=i32)",
     "iota: axis 0 of [2147483649] counts further than i32"},
    {"random_uniform", "random_uniform(shape=[4], to=f64, counter=3)", "f64[4]"},
    {"random_uniform_int", "random_uniform(shape=[4], to=i32)",
     "random_uniform: expected a float type, found i32"},
    {"random_normal", "random_normal(shape=[4], to=bf16, seed=-5)", "bf16[4]"},
    {"random_normal_counter", "random_normal(shape=[4], to=f32, counter=-1)",
     "random_normal: expected a counter from 0 to 2^63 - 2, found -1"},
};

inline constexpr InferCase kReductions[] = {
    {"sum", "sum(x3, axes=[2,-3])", "f32[2]"},
    {"sum_keeps", "sum(n, axes=[0], keep_dims=true)", "i32[1,3]"},
    {"sum_of_none", "sum(none, axes=[1])", "f32[2]"},
    {"sum_of_bool", "sum(b, axes=[0])", "sum: expected a number type, found bool[2,3]"},
    {"sum_axis", "sum(x, axes=[2])", "sum: axis 2 is out of range for f32[2,3]"},
    {"sum_twice", "sum(x, axes=[1,-1])", "sum: axis 1 of f32[2,3] is named twice"},
    {"sum_no_axis", "sum(x, axes=[])", "sum: expected at least one axis of f32[2,3], found none"},
    {"mean", "mean(h, axes=[1])", "bf16[2]"},
    {"mean_of_int", "mean(n, axes=[1])", "mean: expected a float type, found i32[2,3]"},
    {"mean_of_none", "mean(none, axes=[1])", "mean: is not defined over no elements, found f32[2,0]"},
    {"amax_of_no_rows", "amax(none, axes=[0])", "f32[0]"},
    {"amax_of_none", "amax(none, axes=[1])", "amax: is not defined over no elements, found f32[2,0]"},
    {"amin", "amin(n, axes=[0,1])", "i32[]"},
    {"amin_of_bool", "amin(b, axes=[0])", "amin: expected a number type, found bool[2,3]"},
    {"var", "var(x, axes=[1], correction=2)", "f32[2]"},
    {"var_correction", "var(x, axes=[1], correction=3)",
     "var: expected a correction from 0 to less than the 3 reduced elements, found 3"},
    {"argmax", "argmax(n, axis=-1, keep_dims=true)", "i64[2,1]"},
    {"argmax_axis", "argmax(n, axis=2)", "argmax: axis 2 is out of range for i32[2,3]"},
};

inline constexpr InferCase kMatmuls[] = {
    {"matmul", "matmul(x, x, transpose_b=true)", "f32[2,2]"},
    {"matmul_a", "matmul(x, x3, transpose_a=true)", "f32[4,3,3]"},
    {"matmul_inner", "matmul(x, x)", "matmul: inner extents differ: [2,3] by [2,3]"},
    {"matmul_inner_transposed", "matmul(x, x3, transpose_a=true, transpose_b=true)",
     "matmul: inner extents differ: [2,3] transposed by [4,2,3] transposed"},
    {"matmul_rank", "matmul(row, x)", "matmul: expected ranks of at least 2, found [3] and [2,3]"},
    {"matmul_of_int", "matmul(n, n)", "matmul: expected a float type, found i32[2,3]"},
    {"matmul_types", "matmul(x, d)",
     "matmul: expected operands of one element type, found f32[2,3] and f64[2,3]"},
    {"matmul_batches", "matmul(x3, batch5)", "matmul: can't broadcast the batches of [4,2,3] and [5,3,2]"},
};

inline constexpr InferCase kViews[] = {
    {"permute", "permute(x3, permutation=[2,0,-2])", "f32[3,4,2]"},
    {"permute_length", "permute(x, permutation=[0])",
     "permute: expected an entry of 'permutation' for each axis of f32[2,3], found 1"},
    {"permute_twice", "permute(x, permutation=[0,0])", "permute: axis 0 of f32[2,3] is named twice"},
    {"permute_axis", "permute(x, permutation=[0,2])", "permute: axis 2 is out of range for f32[2,3]"},
    {"reshape", "reshape(x3, shape=[-1,6])", "f32[4,6]"},
    {"reshape_to_scalar", "reshape(one, shape=[])", "f32[]"},
    {"reshape_count", "reshape(x, shape=[4])", "reshape: can't make [4] of [2,3]: 6 elements, not 4"},
    {"reshape_open", "reshape(x, shape=[-1,4])", "reshape: can't work out -1 in [-1,4] for [2,3]"},
    {"reshape_open_twice", "reshape(x, shape=[-1,-1])", "reshape: can't work out -1 in [-1,-1] for [2,3]"},
    {"reshape_open_none", "reshape(none, shape=[0,-1])", "reshape: can't work out -1 in [0,-1] for [2,0]"},
    {"slice", "slice(x, starts=[0,1], limits=[2,3], steps=[2,1])", "f32[1,2]"},
    {"slice_of_nothing", "slice(x, starts=[1,3], limits=[1,3])", "f32[0,0]"},
    {"slice_range", "slice(x, starts=[0,1], limits=[2,4])",
     "slice: [1, 4) is out of range for axis 1 of f32[2,3]"},
    {"slice_length", "slice(x, starts=[0], limits=[2,3])",
     "slice: expected an entry of 'starts' for each axis of f32[2,3], found 1"},
    {"slice_step", "slice(x, starts=[0,0], limits=[2,3], steps=[1,0])",
     "slice: expected steps of at least 1, found 0"},
    {"expand", "expand(row, shape=[2,3])", "f32[2,3]"},
    {"expand_shape", "expand(row, shape=[3,2])", "expand: can't expand [3] to [3,2]"},
    {"expand_smaller", "expand(x, shape=[3])", "expand: can't expand [2,3] to [3]"},
};

inline constexpr InferCase kMovements[] = {
    {"concat", "concat(x, none, x, axis=-1)", "f32[2,6]"},
    {"concat_shapes", "concat(x, y4, axis=0)", "concat: can't join [2,3] and [4] along axis 0"},
    {"concat_axis", "concat(x, x, axis=2)", "concat: axis 2 is out of range for f32[2,3]"},
    {"concat_types", "concat(x, n, axis=0)",
     "concat: expected operands of one element type, found f32[2,3] and i32[2,3]"},
    {"concat_none", "concat(axis=0)", "concat: expected 1 to 64 operands, found 0"},
    {"pad", "pad(n, before=[1,0], after=[0,2], value=-1)", "i32[3,5]"},
    {"pad_negative", "pad(x, before=[-1,0], after=[0,0])",
     "pad: expected padding of at least 0, found -1 and 0"},
    {"pad_length", "pad(x, before=[0], after=[0,0])",
     "pad: expected entries of 'before' and 'after' for each axis of f32[2,3], found 1 and 2"},
    {"pad_value", "pad(n, before=[0,0], after=[0,0], value=0.5)",
     "pad: expected a value that i32 holds exactly, found 0.5"},
    {"pad_long", "pad(x, before=[9223372036854775807,0], after=[0,0])",
     "pad: axis 0 of f32[2,3] would be longer than 64 bits hold"},
    {"gather", "gather(x3, at, axis=1)", "f32[4,5,7,3]"},
    {"gather_index", "gather(x3, row, axis=1)", "gather: expected an index of i32 or i64, found f32[3]"},
    {"gather_axis", "gather(x3, at, axis=3)", "gather: axis 3 is out of range for f32[4,2,3]"},
    {"gather_rank", "gather(rank8, at, axis=0)",
     "gather: expected a rank of at most 8, found 9 by [5,7] of [1,1,1,1,1,1,1,1]"},
    {"scatter_add", "scatter_add(row, n, n_updates, axis=0)", "f32[3]"},
    {"scatter_add_updates", "scatter_add(x3, at, x, axis=1)",
     "scatter_add: expected updates of shape [4,5,7,3] for [4,2,3] at [5,7], found [2,3]"},
    {"scatter_add_types", "scatter_add(row, n, n, axis=0)",
     "scatter_add: expected updates of f32, found i32[2,3]"},
    {"index_copy", "index_copy(b, n, b, axis=1)",
     "index_copy: expected updates of shape [2,2,3] for [2,3] at "
     "[2,3], found [2,3]"},
    {"index_copy_of_bool", "index_copy(b, target, b, axis=0)", "bool[2,3]"},
    {"index_copy_types", "index_copy(x, target, n, axis=0)",
     "index_copy: expected updates of f32, found i32[2,3]"},
    {"host_read", "host_read(b)", "bool[2,3]"},
    {"host_read_operands", "host_read(b, b)", "host_read: expected 1 operand, found 2"},
    {"scatter_add_bool", "scatter_add(b, n, b, axis=0)",
     "scatter_add: expected a number type, found bool[2,3]"},
};

inline constexpr InferCase kComposites[] = {
    {"dropout", "dropout(h, probability=0)", "bf16[2,3]"},
    {"dropout_all", "dropout(x, probability=1)", "dropout: expected a probability in [0, 1), found 1"},
    {"dropout_of_int", "dropout(n, probability=0.5)", "dropout: expected a float type, found i32[2,3]"},
    {"softmax", "softmax(x, axis=-1)", "f32[2,3]"},
    {"softmax_of_none", "softmax(none, axis=1)", "softmax: is not defined over no elements, found f32[2,0]"},
    {"log_softmax_axis", "log_softmax(x, axis=2)", "log_softmax: axis 2 is out of range for f32[2,3]"},
    {"log_softmax", "log_softmax(x3, axis=0)", "f32[4,2,3]"},
    {"layer_norm", "layer_norm(x, row, row)", "f32[2,3]"},
    {"layer_norm_weight", "layer_norm(x, y4)",
     "layer_norm: expected a weight of shape [3] for [2,3], found [4]"},
    {"layer_norm_bias", "layer_norm(x, row, y4)",
     "layer_norm: expected a bias of shape [3] for [2,3], found [4]"},
    {"layer_norm_epsilon", "layer_norm(x, epsilon=-1)",
     "layer_norm: expected a finite epsilon of at least 0, found -1"},
    {"layer_norm_arity", "layer_norm(x, row, row, row)", "layer_norm: expected 1 to 3 operands, found 4"},
    {"rms_norm", "rms_norm(x, row, epsilon=0)", "f32[2,3]"},
    {"rms_norm_scalar", "rms_norm(s)", "rms_norm: expected a last axis with elements, found f32[]"},
    {"rms_norm_types", "rms_norm(d, row)",
     "rms_norm: expected operands of one element type, found f64[2,3] and f32[3]"},
    {"gelu", "gelu(x, approximate=true)", "f32[2,3]"},
    {"gelu_of_int", "gelu(n)", "gelu: expected a float type, found i32[2,3]"},
    {"silu", "silu(d)", "f64[2,3]"},
    {"silu_of_bool", "silu(b)", "silu: expected a float type, found bool[2,3]"},
    {"attention", "attention(x3, x, x3, causal=true)", "f32[4,2,3]"},
    {"attention_mask", "attention(x3, x, x3, s)", "f32[4,2,3]"},
    {"attention_mask_shape", "attention(x3, x, x3, y4)",
     "attention: can't broadcast the mask [4] to the scores [4,2,2]"},
    {"attention_head", "attention(x, batch5, x)",
     "attention: queries and keys differ in their last extent: queries [2,3], keys [5,3,2], values [2,3]"},
    {"attention_values", "attention(x, x, y)",
     "attention: keys and values differ in number: queries [2,3], keys [2,3], values [3,2]"},
    {"attention_rank", "attention(row, x, x)",
     "attention: expected ranks of at least 2: queries [3], keys [2,3], values [2,3]"},
    {"attention_batches", "attention(x3, x, batch3)",
     "attention: can't broadcast the batches: queries [4,2,3], keys [2,3], values [3,2,1]"},
    {"attention_no_keys", "attention(x, no_keys, no_keys)",
     "attention: expected at least one key, and heads of at least one element: queries [2,3], keys [0,3], "
     "values [0,3]"},
    {"attention_causal", "attention(x, one_key, one_key, causal=true)",
     "attention: causal attention needs at least as many keys as queries: queries [2,3], keys [1,3], values "
     "[1,3]"},
    {"attention_scale", "attention(x, x, x, scale=inf)", "attention: expected a finite scale, found inf"},
    {"cross_entropy", "cross_entropy(x, target)", "f32[]"},
    {"cross_entropy_target", "cross_entropy(x, y4)",
     "cross_entropy: expected an index of i32 or i64, found f32[4]"},
    {"cross_entropy_shapes", "cross_entropy(x, at)",
     "cross_entropy: expected logits [N,C] and targets [N], found [2,3] and [5,7]"},
    {"cross_entropy_none", "cross_entropy(none, target)",
     "cross_entropy: is not defined over no elements, found f32[2,0]"},
};

// Inputs of single rows.
inline constexpr std::string_view kMore = R"(reshape_row = input(to=f32, shape=[2,1])
batch5 = input(to=f32, shape=[5,3,2])
batch3 = input(to=f32, shape=[3,2,1])
one = input(to=f32, shape=[1,1])
rank8 = input(to=f32, shape=[1,1,1,1,1,1,1,1])
n_updates = input(to=f32, shape=[2,3])
y = input(to=f32, shape=[3,2])
no_keys = input(to=f32, shape=[0,3])
one_key = input(to=f32, shape=[1,3])
target = input(to=i64, shape=[2])
)";

}  // namespace foretell::ir
