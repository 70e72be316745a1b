// SPDX-License-Identifier: Apache-2.0
// Runs a graph on the CPU device and holds the results against the interpreter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/codegen/test_directory.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::tests {

enum class Variant : std::uint8_t { Eager, Replay, Planned, Fused, Full };
std::string_view to_string(Variant variant);
inline constexpr std::array kAllVariants{Variant::Eager, Variant::Replay, Variant::Planned, Variant::Fused,
                                         Variant::Full};
// Those that run op by op, and those that run generated kernels.
inline constexpr auto kOpVariants = std::span(kAllVariants).first<3>();
inline constexpr auto kFusedVariants = std::span(kAllVariants).last<2>();

// A device and a kernel cache of its own, empty at first and gone at the end. Fused graphs need the system's
// compiler, which a machine may lack: then `compiler` says so, and there are eager runs only.
class Engine {
 public:
  explicit Engine(const runtime::cpu::StreamOptions& stream = {
                      .threads = 1, .one_lane = false, .pin = false});

  const Result<codegen::Compiler>& compiler() const { return compiler_; }

  // Results of one step: outputs in order, then the inputs as they are afterwards.
  using Results = std::vector<ir::HostTensor>;
  // Of the first of three steps; the third starts from the first one's state and has to repeat it bit by bit.
  // Without state the second has to repeat it too; with state it is put into `second`, unless that is null.
  // Errors are those of the executor; one of this check has the code Limit.
  Result<Results> run(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, Variant variant,
                      Results* second = nullptr);

  // What is wrong with the variant's results, a line per output or input; empty if nothing is. A second step
  // is held against the reference for the state that the first one left.
  std::string faults(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, Variant variant);

 private:
  runtime::cpu::CpuDevice device_;
  Result<codegen::Compiler> compiler_;
  codegen::TestDirectory directory_;
};

// `faults` against values that are known already.
std::string faults_of(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                      std::span<const ir::HostTensor> results, std::span<const interp::Value> reference);
// The same for a second step, whose inputs are those that the first one left.
std::string faults_of_second(const ir::Graph& graph, const Engine::Results& first,
                             const Engine::Results& second);

}  // namespace foretell::tests
