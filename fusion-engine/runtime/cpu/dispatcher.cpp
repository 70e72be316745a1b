// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/dispatcher.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <unordered_map>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/kernel_launch.hpp"
#include "fusion-engine/runtime/cpu/matmul.hpp"
#include "fusion-engine/runtime/cpu/type_check.hpp"
#include "fusion-engine/runtime/cpu/view.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::OpKind;

// Operand 1 of these is an index that may be out of range.
bool takes_index(OpKind op) {
  return op == OpKind::Gather || op == OpKind::ScatterAdd || op == OpKind::CrossEntropy;
}

// Part `i` of a concatenation along `axis`, the parts before it having `before` elements there.
Tensor part_of(const Tensor& whole, const Tensor& part, std::size_t axis, std::int64_t before) {
  Tensor place = whole;
  place.data += before * whole.strides[axis] * static_cast<std::int64_t>(ir::size_bytes(whole.dtype));
  place.shape = part.shape;
  return place;
}

}  // namespace

struct Dispatcher::State {
  explicit State(CpuDevice& of) : device(of), matmul(of) {}

  CpuDevice& device;
  Matmul matmul;
  TypeCheck type_check;
  StepCounters counters;
  // Written by kernels: the position of an index out of range, plus one. One each, so that the op can be
  // named.
  std::unordered_map<const ir::Node*, std::int64_t> index_errors;

  bool streams(const Tensor& tensor) const { return tensor.size_bytes() > device.caches.last_level_bytes; }

  Dispatched result_of(const ir::Type& type, std::byte* destination) {
    Dispatched result{.tensor = {.data = destination,
                                 .dtype = type.dtype,
                                 .shape = type.shape,
                                 .strides = ir::dense_strides(type.shape)},
                      .owned = destination == nullptr};
    if (destination == nullptr) {
      result.tensor.data = device.allocator->allocate(static_cast<std::size_t>(result.tensor.size_bytes()));
    }
    return result;
  }

  void launch(const CpuKernel& kernel, KernelCall& call) {
    if (call.output.elements() == 0) {
      return;
    }
    for (std::size_t i = 0; i < call.input_count; ++i) {
      counters.bytes_read += bytes_read(call.inputs[i]);
    }
    counters.bytes_written += call.output.size_bytes();
    ++counters.launches;
    const auto scratch_bytes = static_cast<std::size_t>(kernel.scratch_bytes(call));
    if (scratch_bytes > 0) {
      call.scratch = device.allocator->allocate(scratch_bytes);
    }
    launch_kernel(*device.stream, kernel, call);
    if (scratch_bytes > 0) {
      device.allocator->release(call.scratch, scratch_bytes);
    }
  }

  void launch_copy(const Tensor& from, const Tensor& to) {
    KernelCall call{.op = OpKind::Reshape};
    call.inputs[0] = from;
    call.input_count = 1;
    call.output = to;
    call.stream_output = streams(to);
    launch(copy_kernel(), call);
  }

  Dispatched view(const ir::Node& node, const Tensor& operand, std::byte* destination) {
    const auto reading = view_of(node, operand);
    if (reading && destination == nullptr) {
      return {.tensor = *reading, .owned = false};
    }
    Dispatched result = result_of(node.type, destination);
    Tensor to = result.tensor;
    if (!reading) {  // a reshape keeps the order of elements: copied in the operand's shape, it is the
                     // result's memory
      to.shape = operand.shape;
      to.strides = ir::dense_strides(operand.shape);
    }
    launch_copy(reading ? *reading : operand, to);
    return result;
  }

  Dispatched concat(const ir::Node& node, std::span<const Tensor> operands, std::byte* destination) {
    const Dispatched result = result_of(node.type, destination);
    const auto axis = static_cast<std::size_t>(node.attributes.integer(ir::AttrKey::Axis));
    std::int64_t before = 0;
    for (const Tensor& operand : operands) {
      launch_copy(operand, part_of(result.tensor, operand, axis, before));
      before += operand.shape[axis];
    }
    return result;
  }

  Dispatched constant(const ir::Node& node, std::byte* destination) {
    const Dispatched result = result_of(node.type, destination);
    ir::HostTensor scalar = ir::make_tensor({.dtype = node.type.dtype, .shape = {}});
    ir::set(scalar, 0, node.attributes.real(ir::AttrKey::Value));
    std::array<std::byte, 8> bytes{};
    std::ranges::copy(scalar.bytes, bytes.begin());
    device.stream->launch([bytes, size = scalar.bytes.size(), to = result.tensor.data](const Lane& lane) {
      if (lane.rank == 0) {
        std::memcpy(to, bytes.data(), size);
      }
    });
    ++counters.launches;
    counters.bytes_written += static_cast<std::int64_t>(scalar.bytes.size());
    return result;
  }

  Result<Dispatched> multiply(const ir::Node& node, std::span<const Tensor> operands,
                              std::byte* destination) {
    const Dispatched result = result_of(node.type, destination);
    auto launched = matmul.launch(operands[0], operands[1], node.attributes.flag(ir::AttrKey::TransposeA),
                                  node.attributes.flag(ir::AttrKey::TransposeB), result.tensor, counters);
    if (!launched) {
      if (result.owned) {
        device.allocator->release(result.tensor.data, static_cast<std::size_t>(result.tensor.size_bytes()));
      }
      return std::unexpected(std::move(launched).error());
    }
    return result;
  }

  Result<Dispatched> run_kernel(const ir::Node& node, std::span<const Tensor> operands,
                                std::byte* destination) {
    const CpuKernel* const kernel = find_kernel(node.op);
    if (kernel == nullptr || operands.size() > kMaxKernelInputs) {
      return fail(ErrorCode::Unsupported, {},
                  std::string(ir::to_string(node.op)) + ": there is no kernel for it");
    }
    Dispatched result = result_of(node.type, destination);
    KernelCall call{.op = node.op, .attributes = &node.attributes};
    std::ranges::copy(operands, call.inputs.begin());
    call.input_count = static_cast<std::uint8_t>(operands.size());
    call.output = result.tensor;
    call.stream_output = streams(result.tensor);
    if (takes_index(node.op)) {
      call.error = &index_errors[&node];
    }
    launch(*kernel, call);
    return result;
  }
};

Dispatcher::Dispatcher(CpuDevice& device) : state_(std::make_unique<State>(device)) {}
Dispatcher::~Dispatcher() {
  if (state_) {
    state_->device.stream->synchronize();
  }
}
Dispatcher::Dispatcher(Dispatcher&&) noexcept = default;

Result<Dispatcher::Dispatched> Dispatcher::dispatch(const ir::Node& node, std::span<const Tensor> operands,
                                                    std::byte* destination) {
  FORETELL_RETURN_IF_ERROR(state_->type_check.check(node, operands));
  ++state_->counters.dispatches;
  if (node.op == OpKind::Matmul) {
    return state_->multiply(node, operands, destination);
  }
  if (node.op == OpKind::Concat) {
    return state_->concat(node, operands, destination);
  }
  if (node.op == OpKind::Constant) {
    return state_->constant(node, destination);
  }
  if (ir::category(node.op) == ir::Category::View) {
    return state_->view(node, operands[0], destination);
  }
  return state_->run_kernel(node, operands, destination);
}

StepCounters& Dispatcher::counters() { return state_->counters; }

Result<void> Dispatcher::take_error() {
  for (auto& [node, position] : state_->index_errors) {
    if (position != 0) {
      const std::int64_t at = std::exchange(position, 0) - 1;
      return fail(ErrorCode::BadInput, {},
                  std::string(ir::to_string(node->op)) + ": index out of range at element " +
                      std::to_string(at) + " of its index operand");
    }
  }
  return state_->matmul.take_error();
}

}  // namespace foretell::runtime::cpu
