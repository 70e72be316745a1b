// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation: the graph of a loss grows by the graph of its gradients, with one rule per op
// (vjp.hpp). Gradients are graphs like any other, and can be differentiated again.
//
// As frameworks have it: what is constant almost everywhere (sign, floor, ceil, round) has the gradient zero,
// and none passes through integers and bools. Where a function has a kink, amax and amin share among all
// elements that attain it, maximum and minimum between equal operands, and abs and relu have zero there. The
// gradient of dropout is dropout of the cotangent with the same mask.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "src/base/result.hpp"

namespace foretell::passes {

// Adds d loss / d wrt[i] to the graph, for each i, of the type of wrt[i]; zeros where the loss does not
// depend on it. A wrt may be any node of a float type, computed ones too. Errors (BadInput): a loss that is
// not one element of a float type; a wrt that is not of a float type. After an error the graph may have got
// nodes that nothing reads.
Result<std::vector<ir::NodeId>> add_gradients(ir::Graph& graph, ir::NodeId loss,
                                              std::span<const ir::NodeId> wrt);

// The graph with outputs `grad_<input>` after its own. Errors (BadInput): an output or an input that it does
// not have, and as above.
Result<ir::Graph> differentiate(const ir::Graph& graph, std::string_view loss_output,
                                std::span<const std::string> wrt_inputs);

}  // namespace foretell::passes
