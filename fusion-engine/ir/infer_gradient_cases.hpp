// SPDX-License-Identifier: Apache-2.0
// For infer_test.cpp, over the inputs of infer_cases.hpp: the ops that gradients are made of.
#pragma once

#include "fusion-engine/ir/infer_cases.hpp"

namespace foretell::ir {

inline constexpr InferCase kGradients[] = {
    {"softmax_grad", "softmax_grad(x, x, axis=-1)", "f32[2,3]"},
    {"softmax_grad_cotangent", "softmax_grad(x, x3, axis=0)",
     "softmax_grad: expected a cotangent of f32[2,3], found f32[4,2,3]"},
    {"softmax_grad_axis", "softmax_grad(x, x, axis=2)", "softmax_grad: axis 2 is out of range for f32[2,3]"},
    {"log_softmax_grad", "log_softmax_grad(x3, x3, axis=0)", "f32[4,2,3]"},
    {"log_softmax_grad_of_none", "log_softmax_grad(none, none, axis=1)",
     "log_softmax_grad: is not defined over no elements, found f32[2,0]"},
    {"layer_norm_grad", "layer_norm_grad(x, x, row)", "f32[2,3]"},
    {"layer_norm_grad_without_weight", "layer_norm_grad(x3, x3)", "f32[4,2,3]"},
    {"layer_norm_grad_cotangent", "layer_norm_grad(x, row, row)",
     "layer_norm_grad: expected a cotangent of f32[2,3], found f32[3]"},
    {"layer_norm_grad_weight", "layer_norm_grad(x, x, y4)",
     "layer_norm_grad: expected a weight of shape [3] for [2,3], found [4]"},
    {"layer_norm_weight_grad", "layer_norm_weight_grad(x3, x3)", "f32[3]"},
    {"layer_norm_weight_grad_scalar", "layer_norm_weight_grad(s, s)",
     "layer_norm_weight_grad: expected a last axis with elements, found f32[]"},
    {"rms_norm_grad", "rms_norm_grad(h, h)", "bf16[2,3]"},
    {"rms_norm_grad_epsilon", "rms_norm_grad(x, x, epsilon=-1)",
     "rms_norm_grad: expected a finite epsilon of at least 0, found -1"},
    {"rms_norm_weight_grad", "rms_norm_weight_grad(row, row)", "f32[3]"},
    {"rms_norm_weight_grad_types", "rms_norm_weight_grad(x, d)",
     "rms_norm_weight_grad: expected a cotangent of f32[2,3], found f64[2,3]"},
    {"gelu_grad", "gelu_grad(x, x, approximate=true)", "f32[2,3]"},
    {"gelu_grad_of_int", "gelu_grad(n, n)", "gelu_grad: expected a float type, found i32[2,3]"},
    {"silu_grad", "silu_grad(d, d)", "f64[2,3]"},
    {"silu_grad_broadcast", "silu_grad(x, row)", "silu_grad: expected a cotangent of f32[2,3], found f32[3]"},
    {"cross_entropy_grad", "cross_entropy_grad(x, target, s)", "f32[2,3]"},
    {"cross_entropy_grad_cotangent", "cross_entropy_grad(x, target, row)",
     "cross_entropy_grad: expected a cotangent of f32[], found f32[3]"},
    {"cross_entropy_grad_target", "cross_entropy_grad(x, y4, s)",
     "cross_entropy_grad: expected an index of i32 or i64, found f32[4]"},
};

}  // namespace foretell::ir
