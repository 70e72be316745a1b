// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/convolution.hpp"

#include <array>
#include <string>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/conversion.hpp"
#include "fusion-engine/runtime/cpu/convolution_f64.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::OpKind;

struct LibraryWork {
  ConvolutionLibrary::Plan* plan;
  ConvolutionLibrary::Addresses at;
  std::atomic<int>* status;
  void operator()(const Lane& lane) const { ConvolutionLibrary::run(*plan, lane, at, *status); }
};

struct F64Work {
  ConvolutionF64 convolution;
  void operator()(const Lane& lane) const {
    const std::int64_t units = convolution.units();
    for (std::int64_t unit = lane.begin(units); unit < lane.end(units); ++unit) {
      convolution.run(unit);
    }
  }
};

// Each element of y is a product of a row of the weight with a column of x, the channels at one place. (A
// gradient of the weight would be a sum of such products over the images.)
bool is_product(OpKind op, const ir::Convolution& of) {
  constexpr std::array<std::int64_t, 2> kNone{0, 0};
  constexpr std::array<std::int64_t, 2> kOne{1, 1};
  return op != OpKind::Conv2dWeightGrad && of.weight[2] == 1 && of.weight[3] == 1 && of.padding == kNone &&
         of.strides == kOne;
}

// A dense tensor read as one of another shape.
Tensor as(const Tensor& tensor, const ir::Shape& shape) {
  return dense_tensor(tensor.data, tensor.dtype, shape);
}

}  // namespace

Convolution::Convolution(CpuDevice& device, Matmul& matmul)
    : device_(device), matmul_(matmul), library_(device.stream->team_size()) {}

// By group: the groups of all images are a batch.
Result<void> Convolution::launch_product(OpKind op, const ir::Convolution& of, const Tensor& a,
                                         const Tensor& weight, const Tensor& result, StepCounters& counters) {
  const auto places = [&](const Tensor& image) {
    return as(image,
              {image.shape[0], of.groups, image.shape[1] / of.groups, image.shape[2] * image.shape[3]});
  };
  const Tensor filters = as(weight, {of.groups, weight.shape[0] / of.groups, weight.shape[1]});
  return matmul_.launch(filters, places(a), op == OpKind::Conv2dInputGrad, false, places(result), counters);
}

Result<void> Convolution::launch_library(OpKind op, const ir::Convolution& of, const Tensor& a,
                                         const Tensor& b, const Tensor& result) {
  FORETELL_ASSIGN_OR_RETURN(ConvolutionLibrary::Plan* const plan,
                            library_.prepare({.op = op, .dtype = result.dtype, .of = of}));
  const std::size_t bytes = ConvolutionLibrary::scratch_bytes(*plan);
  std::byte* const scratch = device_.allocator->allocate(bytes);
  device_.stream->launch(
      LibraryWork{.plan = plan,
                  .at = {.a = a.data, .b = b.data, .result = result.data, .scratch = scratch},
                  .status = &status_});
  device_.allocator->release(scratch, bytes);
  return {};
}

Result<void> Convolution::launch_dense(OpKind op, const ir::Convolution& of, const Tensor& a, const Tensor& b,
                                       const Tensor& result, StepCounters& counters) {
  if (is_product(op, of)) {
    return launch_product(op, of, a, b, result, counters);
  }
  const bool is_f64 = result.dtype == ir::DType::F64;
  if (!is_f64 && result.dtype != ir::DType::F32 && !library_.has(result.dtype)) {
    return launch_in_f32(device_, std::array{a, b}, result, counters,
                         [&](const auto& operands, const Tensor& wide) {
                           return launch_dense(op, of, operands[0], operands[1], wide, counters);
                         });
  }
  if (is_f64) {
    device_.stream->launch(F64Work{{.op = op,
                                    .of = of,
                                    .a = reinterpret_cast<const double*>(a.data),
                                    .b = reinterpret_cast<const double*>(b.data),
                                    .result = reinterpret_cast<double*>(result.data)}});
  } else {
    FORETELL_RETURN_IF_ERROR(launch_library(op, of, a, b, result));
  }
  ++counters.launches;
  counters.bytes_read += a.size_bytes() + b.size_bytes();
  counters.bytes_written += result.size_bytes();
  return {};
}

Result<void> Convolution::launch(const ir::Node& node, std::span<const Tensor> operands, const Tensor& result,
                                 StepCounters& counters) {
  if (result.elements() == 0) {
    return {};
  }
  if (operands[0].elements() == 0) {  // a gradient of the weight over no images
    launch_zeros(device_, result);
    ++counters.launches;
    counters.bytes_written += result.size_bytes();
    return {};
  }
  std::array<Tensor, 2> dense{operands[0], operands[1]};
  for (Tensor& operand : dense) {
    if (!operand.is_dense()) {
      std::byte* const copy = device_.allocator->allocate(bytes_of(operand));
      operand = launch_conversion(device_, operand, operand.dtype, copy, counters);
    }
  }
  Result<void> launched = launch_dense(node.op, ir::convolution_of(node, dense[0].shape, dense[1].shape),
                                       dense[0], dense[1], result, counters);
  for (const std::size_t i : {0U, 1U}) {
    if (!operands[i].is_dense()) {
      device_.allocator->release(dense[i].data, bytes_of(dense[i]));
    }
  }
  return launched;
}

Result<void> Convolution::take_error() {
  const int status = status_.exchange(0, std::memory_order_relaxed);
  if (status != 0) {
    return fail(ErrorCode::Environment, "conv2d", "oneDNN failed with status " + std::to_string(status));
  }
  return {};
}

}  // namespace foretell::runtime::cpu
