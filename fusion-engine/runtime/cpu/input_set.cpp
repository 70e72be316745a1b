// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/input_set.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "fusion-engine/runtime/cpu/copy_command.hpp"
#include "fusion-engine/runtime/cpu/random_fill.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::NodeId;
using ir::OpKind;

Tensor allocate(CpuDevice& device, const ir::Type& type) {
  Tensor tensor = dense_tensor(nullptr, type.dtype, type.shape);
  tensor.data = device.allocator->allocate(bytes_of(tensor));
  return tensor;
}

// By the workers, in the stream's order: large states in little time, and pages lie where they did.
void launch_bytes(Stream& stream, std::span<const std::byte> from, std::byte* to) {
  stream.launch([from = from.data(), all = static_cast<std::int64_t>(from.size()), to](const Lane& lane) {
    std::copy(from + lane.begin(all), from + lane.end(all), to + lane.begin(all));
  });
}

// How many values of an index are in range, by operand 1 of `node`; 0 if it is no index.
std::int64_t index_extent(const ir::Graph& graph, const ir::Node& node) {
  if (node.op == OpKind::CrossEntropy || node.op == OpKind::CrossEntropyGrad) {
    return graph.type(node.operands[0]).shape[1];
  }
  if (ir::takes_index(node.op)) {
    return graph.type(node.operands[0])
        .shape[static_cast<std::size_t>(node.attributes.integer(ir::AttrKey::Axis))];
  }
  return 0;
}

// Users come after operands, so one walk from the end finds what every value is used for.
std::vector<std::int64_t> index_bounds(const ir::Graph& graph) {
  std::vector<std::int64_t> bounds(graph.size(), 0);
  const auto narrow = [&](NodeId id, std::int64_t bound) {
    std::int64_t& known = bounds[ir::index(id)];
    known = bound == 0 ? known : known == 0 ? bound : std::min(known, bound);
  };
  for (std::size_t i = graph.size(); i-- > 0;) {
    const ir::Node& node = graph.nodes()[i];
    if (node.operands.size() >= 2) {
      narrow(node.operands[1], index_extent(graph, node));
    }
    if (ir::category(node.op) == ir::Category::View || ir::category(node.op) == ir::Category::Cast) {
      narrow(node.operands[0], bounds[i]);
    }
  }
  return bounds;
}

std::vector<std::size_t> find_state_inputs(const ir::Graph& graph) {
  std::vector<std::size_t> states;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    if (std::ranges::any_of(graph.outputs(),
                            [&](const ir::Output& output) { return output.state_of == graph.inputs()[i]; })) {
      states.push_back(i);
    }
  }
  return states;
}

}  // namespace

ir::Contents input_contents(const ir::Graph& graph, NodeId input) {
  const ir::Attributes& attributes = graph.node(input).attributes;
  ir::Contents contents;
  contents.low = attributes.real(ir::AttrKey::Low);
  contents.high = attributes.real(ir::AttrKey::High);
  if (const std::int64_t bound = index_bounds(graph)[ir::index(input)]; bound != 0) {
    contents.bound = bound;
  }
  return contents;
}

InputSet InputSet::random(const ir::Graph& graph, CpuDevice& device, std::uint64_t seed) {
  InputSet set;
  set.device_ = &device;
  set.state_inputs_ = find_state_inputs(graph);
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const NodeId input = graph.inputs()[i];
    set.tensors_.push_back(allocate(device, graph.type(input)));
    launch_random_fill(*device.stream, set.tensors_.back(), seed + i, input_contents(graph, input));
  }
  device.stream->synchronize();
  set.save_state();
  return set;
}

Result<InputSet> InputSet::copy(const ir::Graph& graph, CpuDevice& device,
                                std::span<const ir::HostTensor> inputs) {
  if (inputs.size() != graph.inputs().size()) {
    return fail(ErrorCode::BadInput, graph.name(),
                "expected " + std::to_string(graph.inputs().size()) + " inputs, found " +
                    std::to_string(inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ir::Type& type = graph.type(graph.inputs()[i]);
    if (inputs[i].type != type || inputs[i].bytes.size() != static_cast<std::size_t>(ir::size_bytes(type))) {
      return fail(ErrorCode::BadInput, graph.name(),
                  "input " + std::to_string(i) + ": expected " + ir::to_string(type) + ", found " +
                      ir::to_string(inputs[i].type) + " in " + std::to_string(inputs[i].bytes.size()) +
                      " bytes");
    }
  }
  InputSet set;
  set.device_ = &device;
  set.state_inputs_ = find_state_inputs(graph);
  for (const ir::HostTensor& input : inputs) {
    const Tensor tensor = allocate(device, input.type);
    set.tensors_.push_back(tensor);
    // A block may have been released with commands pending that use it.
    launch_bytes(*device.stream, input.bytes, tensor.data);
  }
  device.stream->synchronize();
  set.save_state();
  return set;
}

InputSet::~InputSet() {
  if (tensors_.empty()) {
    return;
  }
  device_->stream->synchronize();  // the allocator may go next
  for (const Tensor& tensor : tensors_) {
    device_->allocator->release(tensor.data, bytes_of(tensor));
  }
}

InputSet::InputSet(InputSet&& other) noexcept
    : device_(other.device_),
      tensors_(std::exchange(other.tensors_, {})),
      state_inputs_(std::exchange(other.state_inputs_, {})),
      saved_state_(std::exchange(other.saved_state_, {})) {}

InputSet& InputSet::operator=(InputSet&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(tensors_, other.tensors_);
  std::swap(state_inputs_, other.state_inputs_);
  std::swap(saved_state_, other.saved_state_);
  return *this;
}

ir::HostTensor InputSet::to_host(std::size_t input) const { return copy_to_host(tensors_[input]); }

void InputSet::save_state() {
  for (const std::size_t input : state_inputs_) {
    const Tensor& tensor = tensors_[input];
    saved_state_.emplace_back(tensor.data, tensor.data + bytes_of(tensor));
  }
}

void InputSet::restore_state() {
  if (state_inputs_.empty()) {
    return;
  }
  for (std::size_t i = 0; i < state_inputs_.size(); ++i) {
    launch_bytes(*device_->stream, saved_state_[i], tensors_[state_inputs_[i]].data);
  }
  device_->stream->synchronize();
}

}  // namespace foretell::runtime::cpu
