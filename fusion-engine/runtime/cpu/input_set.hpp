// SPDX-License-Identifier: Apache-2.0
// The inputs of a graph in device memory, shared by the executors of one comparison.
#pragma once

#include <span>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// What the input is filled with: floats as its attributes say. Integers below their bound, which is the
// extent that they index (by gather, scatter_add, index_copy, cross_entropy; directly, or through views and
// casts).
ir::Contents input_contents(const ir::Graph& graph, ir::NodeId input);

class InputSet {
 public:
  // Random contents, written by the device's workers so that pages lie near them: input i has the bytes of
  // ir::random_tensor(its type, seed + i, input_contents), so to_host() of it is what the interpreter takes.
  static InputSet random(const ir::Graph& graph, CpuDevice& device, std::uint64_t seed);
  // Copies. Errors (BadInput): number or types differ from the graph's inputs.
  static Result<InputSet> copy(const ir::Graph& graph, CpuDevice& device,
                               std::span<const ir::HostTensor> inputs);
  ~InputSet();
  InputSet(InputSet&&) noexcept;
  InputSet& operator=(InputSet&&) noexcept;

  const Tensor& tensor(std::size_t input) const { return tensors_[input]; }  // by position in graph.inputs()
  std::size_t size() const { return tensors_.size(); }
  ir::HostTensor to_host(std::size_t input) const;
  // Inputs that outputs update, back to their first contents; after all that is enqueued, and waits for it.
  void restore_state();

 private:
  InputSet() = default;
  void save_state();
  CpuDevice* device_ = nullptr;
  std::vector<Tensor> tensors_;
  std::vector<std::size_t> state_inputs_;
  std::vector<std::vector<std::byte>> saved_state_;
};

}  // namespace foretell::runtime::cpu
