// SPDX-License-Identifier: Apache-2.0
// The dispatcher's check of operands: is the node's type what the op gives for them?
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// Elementwise ops are worked out each time. Shape rules of the others need their attributes' lists and may be
// long: what they gave is kept per node, and holds as long as the operands' types are the same.
class TypeCheck {
 public:
  // Errors (BadInput): what inference says, or that it gives another type than the node has.
  Result<void> check(const ir::Node& node, std::span<const Tensor> operands);

 private:
  struct Checked {
    ir::OpKind op{};
    ir::Type result;
    std::vector<ir::Type> operands;
  };
  std::unordered_map<const ir::Node*, Checked> checked_;
};

}  // namespace foretell::runtime::cpu
