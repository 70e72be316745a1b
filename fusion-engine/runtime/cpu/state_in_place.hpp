// SPDX-License-Identifier: Apache-2.0
// Which state outputs may be written straight to the state's buffer by the kernel that computes them.
#pragma once

#include <span>
#include <vector>

#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/passes/fusion_plan.hpp"

namespace foretell::runtime::cpu {

// By output of the graph. True where
//  - a kernel computes it, and it is the first output of its node that updates a state;
//  - no other output shows the old value, and no step after the kernel reads the state's buffer;
//  - the kernel itself does not read that buffer, or it reads exactly the element that it then writes: one
//    stage without reduced axes, both values dense and as large as the iteration space, and all that reads
//    the old value is part of computing the new one (a generated body may store one output before it loads
//    for the next).
std::vector<bool> states_in_place(const ir::Graph& graph, const passes::FusionPlan& plan,
                                  std::span<const codegen::KernelSource> kernels);

}  // namespace foretell::runtime::cpu
