// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/convolution_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace foretell::runtime::cpu {
namespace {

// As of a matrix product's block (matmul_blocks.cpp): several times what calling the library costs.
constexpr std::int64_t kLeastWork = 1 << 16;
constexpr std::int64_t kChannelGrain = 16;  // f32 elements of a 64-byte vector

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// All units together are a multiple of the team, if there is work enough.
void choose_blocks(ConvolutionBlocks& blocks, int team_size) {
  const bool by_group = blocks.of.groups > 1;
  const std::int64_t channels = blocks.op == ir::OpKind::Conv2dInputGrad ? blocks.of.x[1] : blocks.of.y[1];
  const std::int64_t total = by_group ? blocks.of.groups : channels;
  const std::int64_t grain =
      by_group ? kChannelGrain / std::gcd(kChannelGrain, channels / total) : kChannelGrain;
  const std::int64_t images = blocks.sums_images() ? 1 : blocks.of.x[0];
  const std::int64_t wanted = team_size / std::gcd(images, static_cast<std::int64_t>(team_size));
  const std::int64_t affordable = ir::multiplications(blocks.of) / images / kLeastWork;
  const std::int64_t parts = std::max<std::int64_t>(1, std::min(wanted, affordable));
  blocks.size = std::min(total, ceil_div(ceil_div(total, parts), grain) * grain);
  blocks.count = ceil_div(total, blocks.size);
}

}  // namespace

ConvolutionBlocks::Block ConvolutionBlocks::block(std::int64_t i) const {
  const std::int64_t first = i * size;
  if (of.groups == 1) {
    Block whole{.x = of.x[1], .y = of.y[1]};
    if (shares_x()) {
      whole.first_y = first;
      whole.y = std::min(size, of.y[1] - first);
    } else {
      whole.first_x = first;
      whole.x = std::min(size, of.x[1] - first);
    }
    return whole;
  }
  const std::int64_t of_x = of.x[1] / of.groups;
  const std::int64_t of_y = of.y[1] / of.groups;
  const std::int64_t count_here = std::min(size, of.groups - first);
  return {.groups = count_here,
          .first_x = first * of_x,
          .x = count_here * of_x,
          .first_y = first * of_y,
          .y = count_here * of_y};
}

ConvolutionBlocks make_convolution_blocks(ir::OpKind op, const ir::Convolution& of, int team_size) {
  ConvolutionBlocks blocks{.op = op, .of = of};
  const auto reach = [&](std::size_t axis) {
    return (of.y[2 + axis] - 1) * of.strides[axis] + (of.weight[2 + axis] - 1) * of.dilation[axis] + 1;
  };
  const auto within = [&](std::size_t axis) {
    return std::clamp<std::int64_t>(reach(axis) - of.padding[axis], 0, of.x[2 + axis]);
  };
  blocks.rows = reach(0);
  blocks.columns = reach(1);
  blocks.image_rows = within(0);
  blocks.image_columns = within(1);
  choose_blocks(blocks, team_size);
  return blocks;
}

}  // namespace foretell::runtime::cpu
