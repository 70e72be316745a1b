// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/dispatcher.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/convolution.hpp"
#include "fusion-engine/runtime/cpu/copy_command.hpp"
#include "fusion-engine/runtime/cpu/kernel_launch.hpp"
#include "fusion-engine/runtime/cpu/matmul.hpp"
#include "fusion-engine/runtime/cpu/type_check.hpp"
#include "fusion-engine/runtime/cpu/view.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::OpKind;

// What a kernel moves. (An index of cross_entropy may be out of range, too; it is none of ir::takes_index:
// its decomposition compares with every class, and an index out of range equals none.)
struct Bytes {
  std::int64_t read = 0;
  std::int64_t written = 0;
};
Bytes bytes_of_call(const KernelCall& call) {
  Bytes bytes{.written = call.output.size_bytes()};
  for (std::size_t i = 0; i < call.input_count; ++i) {
    bytes.read += bytes_read(call.inputs[i]);
  }
  if (writes_over_operand(call)) {  // the rows that change, rather than all of them
    const std::int64_t changed = call.inputs[2].size_bytes();
    bytes.read += (call.op == OpKind::ScatterAdd ? changed : 0) - bytes_read(call.inputs[0]);
    bytes.written = changed;
  }
  return bytes;
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
  State(CpuDevice& of, const ir::Graph& whose)
      : device(of),
        graph(whose),
        matmul(of),
        convolution(of, matmul),
        type_check(whose),
        index_errors(whose.size(), 0) {
    for (std::size_t id = 0; id < graph.size(); ++id) {
      if (ir::takes_index(graph.nodes()[id].op)) {
        take_index.push_back(id);
      }
    }
  }

  CpuDevice& device;
  const ir::Graph& graph;
  Matmul matmul;
  Convolution convolution;
  TypeCheck type_check;
  StepCounters counters;
  std::vector<std::size_t> take_index;  // ids, ascending
  // By id; written by kernels: the position of an index out of range, plus one.
  std::vector<std::int64_t> index_errors;

  Dispatched result_of(const ir::Type& type, std::byte* destination) {
    Dispatched result{.tensor = dense_tensor(destination, type.dtype, type.shape),
                      .owned = destination == nullptr};
    if (destination == nullptr) {
      result.tensor.data = device.allocator->allocate(bytes_of(result.tensor));
    }
    return result;
  }

  void launch(const CpuKernel& kernel, KernelCall& call) {
    if (call.output.elements() == 0) {
      return;
    }
    const Bytes bytes = bytes_of_call(call);
    counters.bytes_read += bytes.read;
    counters.bytes_written += bytes.written;
    ++counters.launches;
    launch_kernel(device, kernel, call);
  }

  void launch_copy(const Tensor& from, const Tensor& to) {
    KernelCall call = copy_call(from, to, device.streams(to.size_bytes()));
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

  Dispatched host_read(const ir::Node& node, const Tensor& operand, std::byte* destination) {
    const Dispatched result = result_of(node.type, destination);
    launch_copy(operand, result.tensor);
    device.stream->synchronize();
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

  // Matrices or windows: what a library does.
  Result<Dispatched> multiply(const ir::Node& node, std::span<const Tensor> operands,
                              std::byte* destination) {
    const Dispatched result = result_of(node.type, destination);
    auto launched =
        node.op == OpKind::Matmul
            ? matmul.launch(operands[0], operands[1], node.attributes.flag(ir::AttrKey::TransposeA),
                            node.attributes.flag(ir::AttrKey::TransposeB), result.tensor, counters)
            : convolution.launch(node, operands, result.tensor, counters);
    if (!launched) {
      if (result.owned) {
        device.allocator->release(result.tensor.data, bytes_of(result.tensor));
      }
      return std::unexpected(std::move(launched).error());
    }
    return result;
  }

  Result<Dispatched> run_kernel(ir::NodeId id, std::span<const Tensor> operands, std::byte* destination) {
    const ir::Node& node = graph.node(id);
    const CpuKernel* const kernel = find_kernel(node.op);
    if (kernel == nullptr || operands.size() > kMaxKernelInputs) {
      return fail(ErrorCode::Unsupported, {},
                  std::string(ir::to_string(node.op)) + ": there is no kernel for it");
    }
    Dispatched result = result_of(node.type, destination);
    KernelCall call;
    call.op = node.op;
    call.attributes = &node.attributes;
    std::ranges::copy(operands, call.inputs.begin());
    call.input_count = static_cast<std::uint8_t>(operands.size());
    call.output = result.tensor;
    // Written over an operand, the lines are in the cache, and stores past it would have to throw them out.
    const bool in_place = std::ranges::find(operands, result.tensor.data, &Tensor::data) != operands.end();
    call.stream_output = !in_place && device.streams(result.tensor.size_bytes());
    if (ir::takes_index(node.op)) {
      call.error = &index_errors[ir::index(id)];
    }
    launch(*kernel, call);
    return result;
  }

  Result<Dispatched> dispatch(ir::NodeId id, std::span<const Tensor> operands, std::byte* destination) {
    const ir::Node& node = graph.node(id);
    FORETELL_RETURN_IF_ERROR(type_check.check(id, operands));
    ++counters.dispatches;
    if (ir::category(node.op) == ir::Category::Matmul || ir::category(node.op) == ir::Category::Convolution) {
      return multiply(node, operands, destination);
    }
    if (node.op == OpKind::Concat) {
      return concat(node, operands, destination);
    }
    if (node.op == OpKind::Constant) {
      return constant(node, destination);
    }
    if (node.op == OpKind::HostRead) {
      return host_read(node, operands[0], destination);
    }
    if (ir::category(node.op) == ir::Category::View) {
      return view(node, operands[0], destination);
    }
    return run_kernel(id, operands, destination);
  }

  std::string where(std::size_t id) const { return graph.name() + ": %" + std::to_string(id); }
};

Dispatcher::Dispatcher(CpuDevice& device, const ir::Graph& graph)
    : state_(std::make_unique<State>(device, graph)) {}
Dispatcher::~Dispatcher() { state_->device.stream->synchronize(); }

Result<Dispatcher::Dispatched> Dispatcher::dispatch(ir::NodeId id, std::span<const Tensor> operands,
                                                    std::byte* destination) {
  auto result = state_->dispatch(id, operands, destination);
  if (!result) {
    result.error().where = state_->where(ir::index(id));
  }
  return result;
}

StepCounters& Dispatcher::counters() { return state_->counters; }

Result<void> Dispatcher::take_error() {
  Result<void> result = state_->matmul.take_error();
  if (Result<void> other = state_->convolution.take_error(); !other) {
    result = std::move(other);
  }
  for (const std::size_t id : state_->take_index | std::views::reverse) {
    const std::int64_t position = std::exchange(state_->index_errors[id], 0);
    if (position != 0) {
      result =
          fail(ErrorCode::BadInput, state_->where(id),
               std::string(ir::to_string(state_->graph.nodes()[id].op)) + ": index out of range at element " +
                   std::to_string(position - 1) + " of its index operand");
    }
  }
  return result;
}

}  // namespace foretell::runtime::cpu
