// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/convolution_f64.hpp"

#include <algorithm>

namespace foretell::runtime::cpu {
namespace {

// Where one element of a window meets a row of y: elements [first, last) of it, and those of x, `stride`
// apart.
struct Meeting {
  std::int64_t x;  // positions in the planes
  std::int64_t weight;
  std::int64_t y;
  std::int64_t count;
  std::int64_t stride;
};

// Calls visit(Meeting) for each element of the window and row of y that meet within the image.
template <class Visit>
void for_each_meeting(const ir::Convolution& of, Visit visit) {
  const std::int64_t stride = of.strides[1];
  for (std::int64_t r = 0; r < of.weight[2]; ++r) {
    for (std::int64_t s = 0; s < of.weight[3]; ++s) {
      const std::int64_t left = s * of.dilation[1] - of.padding[1];  // column of x that q = 0 meets
      const std::int64_t first = std::max<std::int64_t>(0, (stride - 1 - left) / stride);
      const std::int64_t last = std::min(of.y[3], (of.x[3] - left + stride - 1) / stride);
      for (std::int64_t p = 0; p < of.y[2] && first < last; ++p) {
        const std::int64_t h = p * of.strides[0] + r * of.dilation[0] - of.padding[0];
        if (h >= 0 && h < of.x[2]) {
          visit(Meeting{.x = h * of.x[3] + first * stride + left,
                        .weight = r * of.weight[3] + s,
                        .y = p * of.y[3] + first,
                        .count = last - first,
                        .stride = stride});
        }
      }
    }
  }
}

// A plane of the result and one of each operand.
struct Planes {
  const double* a;
  const double* b;
  double* result;
};

void add_products(ir::OpKind op, const ir::Convolution& of, const Planes& planes) {
  for_each_meeting(of, [&](const Meeting& at) {
    if (op == ir::OpKind::Conv2d) {
      const double* x = planes.a + at.x;
      const double weight = planes.b[at.weight];
      double* y = planes.result + at.y;
      for (std::int64_t i = 0; i < at.count; ++i) {
        y[i] += weight * x[i * at.stride];
      }
    } else if (op == ir::OpKind::Conv2dInputGrad) {
      const double* dy = planes.a + at.y;
      const double weight = planes.b[at.weight];
      double* x = planes.result + at.x;
      for (std::int64_t i = 0; i < at.count; ++i) {
        x[i * at.stride] += weight * dy[i];
      }
    } else {
      const double* x = planes.a + at.x;
      const double* dy = planes.b + at.y;
      double sum = 0;
      for (std::int64_t i = 0; i < at.count; ++i) {
        sum += dy[i] * x[i * at.stride];
      }
      planes.result[at.weight] += sum;
    }
  });
}

}  // namespace

std::int64_t ConvolutionF64::units() const {
  switch (op) {
    case ir::OpKind::Conv2dInputGrad: return of.x[0] * of.x[1];
    case ir::OpKind::Conv2dWeightGrad: return of.weight[0] * of.weight[1];
    default: return of.y[0] * of.y[1];
  }
}

void ConvolutionF64::run(std::int64_t unit) const {
  const std::int64_t x_plane = of.x[2] * of.x[3];
  const std::int64_t weight_plane = of.weight[2] * of.weight[3];
  const std::int64_t y_plane = of.y[2] * of.y[3];
  const std::int64_t channels = of.weight[1];  // of a group
  const std::int64_t filters = of.weight[0] / of.groups;
  const auto x_at = [&](std::int64_t image, std::int64_t channel) {
    return (image * of.x[1] + channel) * x_plane;
  };
  const auto weight_at = [&](std::int64_t filter, std::int64_t c) {
    return (filter * channels + c) * weight_plane;
  };
  const auto y_at = [&](std::int64_t image, std::int64_t filter) {
    return (image * of.y[1] + filter) * y_plane;
  };
  if (op == ir::OpKind::Conv2d) {
    const std::int64_t filter = unit % of.y[1];
    const std::int64_t image = unit / of.y[1];
    std::fill_n(result + unit * y_plane, y_plane, 0);
    for (std::int64_t c = 0; c < channels; ++c) {
      add_products(op, of,
                   {a + x_at(image, filter / filters * channels + c), b + weight_at(filter, c),
                    result + unit * y_plane});
    }
  } else if (op == ir::OpKind::Conv2dInputGrad) {
    const std::int64_t channel = unit % of.x[1];
    const std::int64_t image = unit / of.x[1];
    std::fill_n(result + unit * x_plane, x_plane, 0);
    for (std::int64_t k = 0; k < filters; ++k) {
      const std::int64_t filter = channel / channels * filters + k;
      add_products(
          op, of,
          {a + y_at(image, filter), b + weight_at(filter, channel % channels), result + unit * x_plane});
    }
  } else {
    const std::int64_t filter = unit / channels;
    std::fill_n(result + unit * weight_plane, weight_plane, 0);
    for (std::int64_t image = 0; image < of.x[0]; ++image) {
      add_products(op, of,
                   {a + x_at(image, filter / filters * channels + unit % channels), b + y_at(image, filter),
                    result + unit * weight_plane});
    }
  }
}

}  // namespace foretell::runtime::cpu
