// SPDX-License-Identifier: Apache-2.0
// How a convolution or a gradient of one is shared by a team: by images and by ranges of channels of the
// result, one thread to each. Who writes a part of the result is the only one who does, and adds all there is
// to add to it.
#pragma once

#include <cstdint>

#include "fusion-engine/ir/convolution.hpp"

namespace foretell::runtime::cpu {

struct ConvolutionBlocks {
  ir::OpKind op{};
  ir::Convolution of;
  std::int64_t count = 1;
  // Of every block but the last, which may be smaller: channels of the result, or, of several groups, groups.
  std::int64_t size = 0;
  // The rows and columns of the padded image that windows reach: no more of it is laid out.
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  // Of the image itself, those among them.
  std::int64_t image_rows = 0;
  std::int64_t image_columns = 0;

  // What a block reads and writes.
  struct Block {
    std::int64_t groups = 1;
    std::int64_t first_x = 0;  // channel
    std::int64_t x = 0;        // channels
    std::int64_t first_y = 0;
    std::int64_t y = 0;
  };
  Block block(std::int64_t i) const;

  bool sums_images() const { return op == ir::OpKind::Conv2dWeightGrad; }
  // Each block reads all channels of x (or of y), rather than some of its own.
  bool shares_x() const { return of.groups == 1 && op != ir::OpKind::Conv2dInputGrad; }
  bool shares_y() const { return of.groups == 1 && op == ir::OpKind::Conv2dInputGrad; }
  // A gradient of weights is summed over the images, so they stay together.
  std::int64_t units() const { return sums_images() ? count : count * of.x[0]; }
};

// Of a batch that isn't empty.
ConvolutionBlocks make_convolution_blocks(ir::OpKind op, const ir::Convolution& of, int team_size);

}  // namespace foretell::runtime::cpu
