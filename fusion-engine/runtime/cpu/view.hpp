// SPDX-License-Identifier: Apache-2.0
// View ops as another reading of the same memory.
#pragma once

#include <optional>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// The reading of `operand` that `node`, a view op, stands for; nullopt where strides can't express a reshape.
std::optional<Tensor> view_of(const ir::Node& node, const Tensor& operand);

}  // namespace foretell::runtime::cpu
