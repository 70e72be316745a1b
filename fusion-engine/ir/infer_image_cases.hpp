// SPDX-License-Identifier: Apache-2.0
// For infer_test.cpp: the ops over images, as infer_cases.hpp has the others.
#pragma once

#include "fusion-engine/ir/infer_cases.hpp"

namespace foretell::ir {

inline constexpr std::string_view kImages = R"(i = input(to=f32, shape=[2,4,5,7])
j = input(to=f32, shape=[0,4,5,7])
f = input(to=f32, shape=[6,4,3,2])
f2 = input(to=f32, shape=[6,2,3,2])
f5 = input(to=f32, shape=[5,2,3,2])
fn = input(to=i32, shape=[6,4,3,2])
f0 = input(to=f32, shape=[6,4,0,2])
o = input(to=f32, shape=[2,6,3,6])
)";

inline constexpr InferCase kConvolutions[] = {
    {"conv2d", "conv2d(i, f)", "f32[2,6,3,6]"},
    {"conv2d_of_no_images", "conv2d(j, f)", "f32[0,6,3,6]"},
    {"conv2d_strides", "conv2d(i, f, strides=[2,3], padding=[1,2])", "f32[2,6,3,4]"},
    {"conv2d_dilation", "conv2d(i, f, dilation=[2,6])", "f32[2,6,1,1]"},
    {"conv2d_groups", "conv2d(i, f2, groups=2)", "f32[2,6,3,6]"},
    {"conv2d_types", "conv2d(i, fn)",
     "conv2d: expected operands of one element type, found f32[2,4,5,7] and i32[6,4,3,2]"},
    {"conv2d_of_int", "conv2d(fn, fn)", "conv2d: expected a float type, found i32[6,4,3,2]"},
    {"conv2d_rank", "conv2d(x3, f)",
     "conv2d: expected x [N,C,H,W] and a weight [K,C/groups,R,S] with elements, found [4,2,3] and [6,4,3,2]"},
    {"conv2d_no_window", "conv2d(i, f0)",
     "conv2d: expected x [N,C,H,W] and a weight [K,C/groups,R,S] with elements, found [2,4,5,7] and "
     "[6,4,0,2]"},
    {"conv2d_channels", "conv2d(i, f2)",
     "conv2d: x [2,4,5,7] and the weight [6,2,3,2] don't split into 1 groups of as many channels"},
    {"conv2d_filters", "conv2d(i, f5, groups=2)",
     "conv2d: x [2,4,5,7] and the weight [5,2,3,2] don't split into 2 groups of as many channels"},
    {"conv2d_no_groups", "conv2d(i, f, groups=0)",
     "conv2d: x [2,4,5,7] and the weight [6,4,3,2] don't split into 0 groups of as many channels"},
    {"conv2d_one_stride", "conv2d(i, f, strides=[1])",
     "conv2d: expected 'strides' of two integers of at least 1, found [1]"},
    {"conv2d_no_stride", "conv2d(i, f, strides=[1,0])",
     "conv2d: expected 'strides' of two integers of at least 1, found [1,0]"},
    {"conv2d_padding", "conv2d(i, f, padding=[-1,0])",
     "conv2d: expected 'padding' of two integers of at least 0, found [-1,0]"},
    {"conv2d_window", "conv2d(i, f, dilation=[3,1])",
     "conv2d: the window of [6,4,3,2] does not fit into [2,4,5,7] with its padding"},
    {"conv2d_long", "conv2d(i, f, padding=[9223372036854775807,0])",
     "conv2d: the window of [6,4,3,2] does not fit into [2,4,5,7] with its padding"},
    {"conv2d_input_grad", "conv2d_input_grad(o, f, shape=[2,4,5,7])", "f32[2,4,5,7]"},
    {"conv2d_input_grad_strides", "conv2d_input_grad(o, f, shape=[2,4,6,12], strides=[2,2])",
     "conv2d_input_grad: expected dy of shape [2,6,2,6] for x [2,4,6,12] and the weight [6,4,3,2], found "
     "[2,6,3,6]"},
    {"conv2d_input_grad_shape", "conv2d_input_grad(o, f, shape=[2,4,5])",
     "conv2d_input_grad: expected x [N,C,H,W] and a weight [K,C/groups,R,S] with elements, found [2,4,5] and "
     "[6,4,3,2]"},
    {"conv2d_weight_grad", "conv2d_weight_grad(i, o, shape=[6,2,3,2], groups=2)", "f32[6,2,3,2]"},
    {"conv2d_weight_grad_shape", "conv2d_weight_grad(i, o, shape=[6,4,3,3])",
     "conv2d_weight_grad: expected dy of shape [2,6,3,5] for x [2,4,5,7] and the weight [6,4,3,3], found "
     "[2,6,3,6]"},
};

inline constexpr InferCase kImageComposites[] = {
    {"group_norm", "group_norm(i, y4, y4, groups=2)", "f32[2,4,5,7]"},
    {"group_norm_plain", "group_norm(x3)", "f32[4,2,3]"},
    {"group_norm_groups", "group_norm(i, groups=3)",
     "group_norm: the channels of [2,4,5,7] don't split into 3 groups"},
    {"group_norm_weight", "group_norm(i, row)",
     "group_norm: expected a weight of shape [4] for [2,4,5,7], found [3]"},
    {"group_norm_rank", "group_norm(row)", "group_norm: expected x [N,C,...] with elements, found f32[3]"},
    {"group_norm_epsilon", "group_norm(i, epsilon=nan)",
     "group_norm: expected a finite epsilon of at least 0, found nan"},
    {"batch_norm", "batch_norm(x, row, row)", "f32[2,3]"},
    {"batch_norm_of_given", "batch_norm(i, y4, y4, y4, y4)", "f32[2,4,5,7]"},
    {"batch_norm_no_variance", "batch_norm(i, y4, y4, y4)",
     "batch_norm: expected 3 operands, or 5 with a mean and a variance, found 4"},
    {"batch_norm_variance", "batch_norm(i, y4, y4, y4, row)",
     "batch_norm: expected a variance of shape [4] for [2,4,5,7], found [3]"},
    {"batch_norm_of_none", "batch_norm(j, y4, y4)",
     "batch_norm: expected x [N,C,...] with elements, found f32[0,4,5,7]"},
    {"upsample_nearest", "upsample_nearest(i, factor=3)", "f32[2,4,15,21]"},
    {"upsample_nearest_rank", "upsample_nearest(x3, factor=2)",
     "upsample_nearest: expected x [N,C,H,W], found f32[4,2,3]"},
    {"upsample_nearest_factor", "upsample_nearest(i, factor=0)",
     "upsample_nearest: expected a factor of at least 1, found 0"},
    {"upsample_nearest_long", "upsample_nearest(i, factor=9223372036854775807)",
     "upsample_nearest: axis 2 of f32[2,4,5,7] would be longer than 64 bits hold"},
};

}  // namespace foretell::ir
