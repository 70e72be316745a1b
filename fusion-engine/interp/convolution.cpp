// SPDX-License-Identifier: Apache-2.0
// A convolution and its gradients are sums of the same products, each into another of the three tensors.
#include "fusion-engine/ir/convolution.hpp"

#include <cmath>

#include "fusion-engine/interp/error_model.hpp"
#include "fusion-engine/interp/evaluate_node.hpp"

namespace foretell::interp {

namespace {

// Positions of the elements of one product, in order of convolution.hpp's formula.
struct Product {
  std::size_t x, weight, y;
};

// What a window reads of the plane of one channel, and where that meets the plane of one filter.
template <class Visit>
void for_each_in_plane(const ir::Convolution& it, const Product& planes, Visit visit) {
  for (std::int64_t p = 0; p < it.y[2]; ++p) {
    for (std::int64_t q = 0; q < it.y[3]; ++q) {
      for (std::int64_t r = 0; r < it.weight[2]; ++r) {
        for (std::int64_t s = 0; s < it.weight[3]; ++s) {
          const std::int64_t h = p * it.strides[0] + r * it.dilation[0] - it.padding[0];
          const std::int64_t w = q * it.strides[1] + s * it.dilation[1] - it.padding[1];
          if (h >= 0 && h < it.x[2] && w >= 0 && w < it.x[3]) {
            visit(Product{.x = planes.x + static_cast<std::size_t>(h * it.x[3] + w),
                          .weight = planes.weight + static_cast<std::size_t>(r * it.weight[3] + s),
                          .y = planes.y + static_cast<std::size_t>(p * it.y[3] + q)});
          }
        }
      }
    }
  }
}

template <class Visit>
void for_each_product(const ir::Convolution& it, Visit visit) {
  const std::int64_t filters = it.weight[0] / it.groups;
  for (std::int64_t n = 0; n < it.x[0]; ++n) {
    for (std::int64_t k = 0; k < it.weight[0]; ++k) {
      for (std::int64_t c = 0; c < it.weight[1]; ++c) {
        const std::int64_t channel = k / filters * it.weight[1] + c;
        const Product planes{
            .x = static_cast<std::size_t>((n * it.x[1] + channel) * it.x[2] * it.x[3]),
            .weight = static_cast<std::size_t>((k * it.weight[1] + c) * it.weight[2] * it.weight[3]),
            .y = static_cast<std::size_t>((n * it.weight[0] + k) * it.y[2] * it.y[3])};
        for_each_in_plane(it, planes, visit);
      }
    }
  }
}

// Positions in the operands and in the result.
Product by_role(ir::OpKind op, const Product& at) {
  if (op == ir::OpKind::Conv2d) {
    return at;
  }
  return op == ir::OpKind::Conv2dInputGrad ? Product{.x = at.y, .weight = at.weight, .y = at.x}
                                           : Product{.x = at.x, .weight = at.y, .y = at.weight};
}

}  // namespace

Value evaluate_convolution(const ir::Node& node, const Value& a, const Value& b,
                           const EvaluateOptions& options) {
  Value out = make_value(node.type, options);
  std::vector<double> sizes(out.bounds.size());  // sum of |a| |b|
  std::vector<std::int64_t> terms(out.bounds.size());
  for_each_product(ir::convolution_of(node, a.type.shape, b.type.shape), [&](const Product& product) {
    const auto [i, j, to] = by_role(node.op, product);
    const double x = a.reals[i];
    const double y = b.reals[j];
    out.reals[to] += x * y;
    if (options.bounds) {
      ++terms[to];
      sizes[to] += std::fabs(x * y);
      out.bounds[to] += std::fabs(x) * b.bounds[j] + a.bounds[i] * (std::fabs(y) + b.bounds[j]);
    }
  });
  const Rounding model = rounding(node.type.dtype);
  for (std::size_t i = 0; i < out.bounds.size(); ++i) {
    out.bounds[i] = sum_bound(out.reals[i], sizes[i], out.bounds[i], terms[i], model);
  }
  return out;
}

}  // namespace foretell::interp
