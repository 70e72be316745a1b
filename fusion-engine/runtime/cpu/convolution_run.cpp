// SPDX-License-Identifier: Apache-2.0
// The stages of a plan, as a worker goes through them.
#include <algorithm>
#include <cstring>

#include "fusion-engine/runtime/cpu/convolution_plan.hpp"

namespace foretell::runtime::cpu {

std::size_t ConvolutionLibrary::Plan::plain_offset(Role role, std::int64_t block, std::int64_t image) const {
  const Block part = blocks_.block(block);
  const ir::Convolution& of = blocks_.of;
  switch (role) {
    case X: return bytes_of((image * of.x[1] + part.first_x) * of.x[2] * of.x[3]);
    case Y: return bytes_of((image * of.y[1] + part.first_y) * of.y[2] * of.y[3]);
    case Weight: break;
  }
  const std::int64_t channel = of.groups == 1 ? part.first_x : 0;
  return bytes_of((part.first_y * of.weight[1] + channel) * of.weight[2] * of.weight[3]);
}

// Of images, block after block, each with all images of its channels.
std::size_t ConvolutionLibrary::Plan::laid_out_offset(Role role, std::int64_t block,
                                                      std::int64_t image) const {
  const Block part = blocks_.block(block);
  const ir::Convolution& of = blocks_.of;
  switch (role) {
    case X:
      return begin_[role] +
             bytes_of((of.x[0] * part.first_x + image * part.x) * blocks_.rows * blocks_.columns);
    case Y: return begin_[role] + bytes_of((of.x[0] * part.first_y + image * part.y) * of.y[2] * of.y[3]);
    case Weight: break;
  }
  return begin_[role] + weight_bytes_ * static_cast<std::size_t>(block);
}

std::size_t ConvolutionLibrary::Plan::interior_offset(const Block& block) const {
  return bytes_of((blocks_.of.padding[0] * blocks_.columns + blocks_.of.padding[1]) * block.x);
}

void ConvolutionLibrary::Plan::clear_padding(std::byte* padded, const Block& block) const {
  const auto clear = [&](std::int64_t first, std::int64_t last) {  // positions (row, column)
    std::memset(padded + bytes_of(first * block.x), 0, bytes_of((last - first) * block.x));
  };
  const std::int64_t end = blocks_.rows * blocks_.columns;
  if (blocks_.image_rows == 0 || blocks_.image_columns == 0) {
    return clear(0, end);
  }
  std::int64_t cleared = 0;  // or part of the image
  for (std::int64_t row = 0; row < blocks_.image_rows; ++row) {
    const std::int64_t first = (blocks_.of.padding[0] + row) * blocks_.columns + blocks_.of.padding[1];
    clear(cleared, first);
    cleared = first + blocks_.image_columns;
  }
  clear(cleared, end);
}

void ConvolutionLibrary::Plan::lay_out(Role role, std::int64_t block, std::int64_t image, int rank,
                                       const Addresses& at) {
  const bool is_first = role == X || (role == Y && result() == X);
  const std::byte* const operand = is_first ? at.a : at.b;
  std::byte* to = at.scratch + laid_out_offset(role, block, image);
  if (role == X) {
    clear_padding(to, blocks_.block(block));
    to += interior_offset(blocks_.block(block));
  }
  if (auto& move = calls_of(block).moves[role]) {
    move->run(rank, {operand + plain_offset(role, block, image), to}, library_memory(rank, at));
  }
}

void ConvolutionLibrary::Plan::lay_out_operands(const Lane& lane, const Addresses& at) {
  const std::int64_t images = blocks_.of.x[0];
  std::int64_t before = 0;  // units of the roles before this one
  const std::array<std::int64_t, 3> units{(blocks_.shares_x() ? 1 : blocks_.count) * images, blocks_.count,
                                          (blocks_.shares_y() ? 1 : blocks_.count) * images};
  std::int64_t all = 0;
  for (const Role role : kRoles) {
    all += role == result() ? 0 : units[role];
  }
  for (const Role role : kRoles) {
    if (role == result()) {
      continue;
    }
    const std::int64_t begin = std::max(lane.begin(all), before);
    const std::int64_t end = std::min(lane.end(all), before + units[role]);
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t i = unit - before;
      const bool of_images = role != Weight;
      lay_out(role, of_images ? i / images : i, of_images ? i % images : 0, lane.rank, at);
    }
    before += units[role];
  }
}

void ConvolutionLibrary::Plan::lay_back(std::int64_t block, std::int64_t image, int rank,
                                        const Addresses& at) {
  const Block part = blocks_.block(block);
  const std::byte* from = lane_memory(rank, at);
  std::byte* const to = at.result + plain_offset(result(), block, image);
  if (result() == X) {
    const ir::Shape& x = blocks_.of.x;
    if (blocks_.image_rows < x[2] || blocks_.image_columns < x[3]) {  // the rest met no window
      std::memset(to, 0, bytes_of(part.x * x[2] * x[3]));
    }
    from += interior_offset(part);
  }
  if (auto& move = calls_of(block).moves[result()]) {
    move->run(rank, {from, to}, library_memory(rank, at));
  }
}

void ConvolutionLibrary::Plan::convolve(const Lane& lane, const Addresses& at) {
  const std::int64_t images = blocks_.sums_images() ? 1 : blocks_.of.x[0];
  const std::int64_t units = blocks_.units();
  for (std::int64_t unit = lane.begin(units); unit < lane.end(units); ++unit) {
    const std::int64_t block = unit / images;
    const std::int64_t image = unit % images;
    const auto memory = [&](Role role) {
      return role == result() ? lane_memory(lane.rank, at) : at.scratch + laid_out_offset(role, block, image);
    };
    calls_of(block).convolution->run(lane.rank, {memory(X), memory(Weight), memory(Y)},
                                     library_memory(lane.rank, at));
    lay_back(block, image, lane.rank, at);
  }
}

}  // namespace foretell::runtime::cpu
