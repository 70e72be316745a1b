// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/convolution_plan.hpp"

#include <algorithm>
#include <string_view>

namespace foretell::runtime::cpu {
namespace {

using Desc = dnnl::memory::desc;
using Block = ConvolutionBlocks::Block;

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// A block of one size, as the library describes it.
struct Operation {
  dnnl::primitive primitive;
  std::string_view implementation;
  std::array<Desc, 3> laid_out;  // x (of one image, but where images are summed), weight, y
  std::array<int, 3> names;
  Desc scratch;
};

template <class Description>
Operation operation_of(const Description& description, std::array<Desc, 3> laid_out,
                       std::array<int, 3> names) {
  return {.primitive = dnnl::primitive(description.get()),
          .implementation = description.impl_info_str(),
          .laid_out = std::move(laid_out),
          .names = names,
          .scratch = description.scratchpad_desc()};
}

dnnl::memory::dims weight_dims(const ConvolutionBlocks& blocks, const Block& block) {
  const ir::Shape& weight = blocks.of.weight;
  if (blocks.of.groups == 1) {
    return {block.y, block.x, weight[2], weight[3]};
  }
  return {block.groups, block.y / block.groups, block.x / block.groups, weight[2], weight[3]};
}

// Padding is in the laid out image, so that the library sees none.
Operation make_operation(const ConvolutionBlocks& blocks, const Block& block, ir::DType dtype,
                         const dnnl::engine& engine) {
  using Tag = dnnl::memory::format_tag;
  using enum dnnl::algorithm;
  const ir::Convolution& of = blocks.of;
  const auto type = library_type(dtype);
  const std::int64_t images = blocks.sums_images() ? of.x[0] : 1;
  const Desc x({images, block.x, blocks.rows, blocks.columns}, type, Tag::nhwc);
  const Desc y({images, block.y, of.y[2], of.y[3]}, type, Tag::nhwc);
  const Desc weight(weight_dims(blocks, block), type, Tag::any);
  const dnnl::memory::dims strides{of.strides[0], of.strides[1]};
  const dnnl::memory::dims dilation{of.dilation[0] - 1,
                                    of.dilation[1] - 1};  // of the library: elements between
  const dnnl::memory::dims none{0, 0};
  const dnnl::primitive_attr attributes = with_own_scratch();
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, convolution_direct, x, weight, y, strides, dilation, none, none},
      attributes, engine);
  if (blocks.op == ir::OpKind::Conv2dInputGrad) {
    const dnnl::convolution_backward_data::primitive_desc description(
        {convolution_direct, x, weight, y, strides, dilation, none, none}, attributes, engine, forward);
    return operation_of(description, {x, description.weights_desc(), y},
                        {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST});
  }
  if (blocks.op == ir::OpKind::Conv2dWeightGrad) {
    const dnnl::convolution_backward_weights::primitive_desc description(
        {convolution_direct, x, weight, y, strides, dilation, none, none}, attributes, engine, forward);
    return operation_of(description, {x, description.diff_weights_desc(), y},
                        {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST});
  }
  return operation_of(forward, {x, forward.weights_desc(), y},
                      {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
}

// Channels of one image of `rows` by `columns` elements, `row` apart, in order (channel, row, column).
Desc plain_image(std::int64_t channels, std::int64_t rows, std::int64_t columns, const ir::Shape& shape,
                 dnnl::memory::data_type type) {
  return {
      {1, channels, rows, columns}, type, {channels * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1}};
}
// The same in order (row, column, channel).
Desc laid_out_image(std::int64_t channels, std::int64_t rows, std::int64_t columns, std::int64_t row,
                    dnnl::memory::data_type type) {
  return {{1, channels, rows, columns}, type, {rows * row * channels, 1, row * channels, channels}};
}

// Of the whole tensor's channels, those of a block.
Desc plain_weight(const ConvolutionBlocks& blocks, const Block& block, dnnl::memory::data_type type) {
  const ir::Shape& weight = blocks.of.weight;
  const std::int64_t window = weight[2] * weight[3];
  const std::int64_t filter = weight[1] * window;
  dnnl::memory::dims strides{filter, window, weight[3], 1};
  if (blocks.of.groups > 1) {
    strides.insert(strides.begin(), block.y / block.groups * filter);
  }
  return {weight_dims(blocks, block), type, strides};
}

LibraryCall make_move(const Desc& from, const Desc& to, const dnnl::engine& engine, int team_size) {
  const dnnl::reorder::primitive_desc description(engine, from, engine, to, with_own_scratch());
  return {dnnl::reorder(description),
          description.scratchpad_desc(),
          {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
          engine,
          team_size};
}

}  // namespace

bool is_reference(const ConvolutionLibrary::Shape& shape, const dnnl::engine& engine) {
  const ConvolutionBlocks whole = make_convolution_blocks(shape.op, shape.of, 1);
  // Where the library has nothing better it offers its reference, a plain loop: "ref:any".
  return make_operation(whole, whole.block(0), shape.dtype, engine).implementation.starts_with("ref");
}

ConvolutionLibrary::Plan::Plan(const Shape& shape, const dnnl::engine& engine, int team_size)
    : blocks_(make_convolution_blocks(shape.op, shape.of, team_size)),
      dtype_(shape.dtype),
      element_bytes_(ir::size_bytes(shape.dtype)) {
  calls_.push_back(make_calls(blocks_.block(0), engine, team_size));
  if (blocks_.count > 1) {
    calls_.push_back(make_calls(blocks_.block(blocks_.count - 1), engine, team_size));
  }
  place_scratch(team_size);
}

void ConvolutionLibrary::Plan::place_scratch(int team_size) {
  const ir::Shape& x = blocks_.of.x;
  const std::array<std::size_t, 3> sizes{bytes_of(x[0] * x[1] * blocks_.rows * blocks_.columns),
                                         weight_bytes_ * static_cast<std::size_t>(blocks_.count),
                                         bytes_of(ir::elements(blocks_.of.y))};
  for (const Role role : kRoles) {
    begin_[role] = lanes_begin_;
    lanes_begin_ += role == result() ? 0 : aligned(sizes[role]);
  }
  scratch_bytes_ = lanes_begin_ + (result_bytes_ + library_bytes_) * static_cast<std::size_t>(team_size);
}

ConvolutionLibrary::Plan::Role ConvolutionLibrary::Plan::result() const {
  return blocks_.op == ir::OpKind::Conv2d ? Y : (blocks_.sums_images() ? Weight : X);
}

ConvolutionLibrary::Plan::Calls ConvolutionLibrary::Plan::make_calls(const Block& block,
                                                                     const dnnl::engine& engine,
                                                                     int team_size) {
  const Operation operation = make_operation(blocks_, block, dtype_, engine);
  const auto type = library_type(dtype_);
  const ir::Convolution& of = blocks_.of;
  const std::int64_t rows = blocks_.image_rows;
  const std::int64_t columns = blocks_.image_columns;
  const std::array<Desc, 3> plain{plain_image(block.x, rows, columns, of.x, type),
                                  plain_weight(blocks_, block, type),
                                  plain_image(block.y, of.y[2], of.y[3], of.y, type)};
  const std::array<Desc, 3> laid_out{laid_out_image(block.x, rows, columns, blocks_.columns, type),
                                     operation.laid_out[Weight],
                                     laid_out_image(block.y, of.y[2], of.y[3], of.y[3], type)};
  Calls calls;
  for (const Role role : kRoles) {
    if (role == X && rows * columns == 0) {
      continue;
    }
    const bool back = role == result();
    calls.moves[role] = make_move(back ? laid_out[role] : plain[role], back ? plain[role] : laid_out[role],
                                  engine, team_size);
    library_bytes_ = std::max(library_bytes_, aligned(calls.moves[role]->scratch_bytes()));
  }
  calls.convolution = LibraryCall(operation.primitive, operation.scratch,
                                  {{operation.names[X], operation.laid_out[X]},
                                   {operation.names[Weight], operation.laid_out[Weight]},
                                   {operation.names[Y], operation.laid_out[Y]}},
                                  engine, team_size);
  library_bytes_ = std::max(library_bytes_, aligned(calls.convolution->scratch_bytes()));
  weight_bytes_ = std::max(weight_bytes_, aligned(operation.laid_out[Weight].get_size()));
  result_bytes_ = std::max(result_bytes_, aligned(operation.laid_out[result()].get_size()));
  return calls;
}

}  // namespace foretell::runtime::cpu
