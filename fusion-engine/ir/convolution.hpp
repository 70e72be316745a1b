// SPDX-License-Identifier: Apache-2.0
// The extents of a convolution over two axes and of its gradients, which are the same products summed
// otherwise:
//
//   y[n,k,p,q] = sum over c, r, s of x[n, g C/G + c, h, w] * weight[k,c,r,s]
//     x [N,C,H,W], weight [K,C/G,R,S], y [N,K,P,Q]; g = k / (K/G) of G groups;
//     h = p stride + r dilation - padding, w likewise; outside the image x is 0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

struct Convolution {
  Shape x;
  Shape weight;
  Shape y;
  std::array<std::int64_t, 2> strides{};
  std::array<std::int64_t, 2> padding{};
  std::array<std::int64_t, 2> dilation{};
  std::int64_t groups = 1;
  friend bool operator==(const Convolution&, const Convolution&) = default;
};

// Of a node of Category::Convolution whose operands have these shapes.
Convolution convolution_of(const Node& node, const Shape& a, const Shape& b);

// Of y, as many as there are positions of the window; nullopt where it doesn't fit into the padded image, or
// where 64 bits don't hold an extent. Strides and dilation are positive, padding isn't negative.
std::optional<Shape> convolved_shape(const Shape& x, const Shape& weight, const Attributes& attributes);

// Of one element of y with each of its window, padding included. Stops at the largest int64.
std::int64_t multiplications(const Convolution& it);

}  // namespace foretell::ir
