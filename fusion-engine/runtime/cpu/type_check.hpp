// SPDX-License-Identifier: Apache-2.0
// The dispatcher's check of operands: is the node's type what the op gives for them?
#pragma once

#include <span>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/runtime/cpu/tensor.hpp"

namespace foretell::runtime::cpu {

// Shape rules need their attributes' lists and may be long: the operands' types for which inference gave the
// node's type are kept per node, and later ones compared with them.
class TypeCheck {
 public:
  explicit TypeCheck(const ir::Graph& graph) : graph_(graph), checked_(graph.size()) {}
  // Errors (BadInput): what inference says, or that it gives another type than the node has.
  Result<void> check(ir::NodeId id, std::span<const Tensor> operands);

 private:
  struct Checked {
    bool is_known = false;
    std::vector<ir::Type> operands;
  };
  const ir::Graph& graph_;
  std::vector<Checked> checked_;  // by id
};

}  // namespace foretell::runtime::cpu
