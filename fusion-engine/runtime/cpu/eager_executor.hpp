// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/input_set.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::runtime::cpu {

// One dispatch per op, in id order, dead nodes left out: what a framework does without a compiler.
// Intermediates are released after their last use. All references outlive the executor.
std::unique_ptr<Executor> make_eager_executor(const ir::Graph& graph, CpuDevice& device, InputSet& inputs);

}  // namespace foretell::runtime::cpu
