// SPDX-License-Identifier: Apache-2.0
// Runs a graph on the CPU device and holds the results against the interpreter.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/codegen/test_directory.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::tests {

enum class Variant : std::uint8_t { Eager, Fused };
std::string_view to_string(Variant variant);

// A device and a kernel cache of its own, empty at first and gone at the end.
class Engine {
 public:
  explicit Engine(const runtime::cpu::StreamOptions& stream = {
                      .threads = 1, .one_lane = false, .pin = false});

  // Results of one step: outputs in order, then the inputs as they are afterwards. Runs a second and a third
  // step too, the third from the first one's state: it has to repeat it bit by bit. Errors are those of the
  // executor; one of this check has the code Limit.
  Result<std::vector<ir::HostTensor>> run(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                          Variant variant);

  // What is wrong with the variant's results, a line per output or input; empty if nothing is.
  std::string faults(const ir::Graph& graph, std::span<const ir::HostTensor> inputs, Variant variant);

 private:
  runtime::cpu::CpuDevice device_;
  codegen::Compiler compiler_;
  codegen::TestDirectory directory_;
};

// `faults` against values that are known already.
std::string faults_of(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                      std::span<const ir::HostTensor> results, std::span<const interp::Value> reference);

}  // namespace foretell::tests
