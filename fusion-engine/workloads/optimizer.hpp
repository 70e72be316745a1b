// SPDX-License-Identifier: Apache-2.0
// A training step around a model: gradients of its loss, and the update of every weight in place.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fusion-engine/workloads/parameter.hpp"
#include "fusion-engine/workloads/weights.hpp"

namespace foretell::workloads {

// "sgd": with momentum, as PyTorch has it. "adam": Kingma, Ba: Adam, 2014, with bias correction from a count
// of steps, which is a state like the moments.
inline constexpr std::array<std::string_view, 2> kOptimizers{"sgd", "adam"};
// "single": ops of its own for every weight. "foreach": weights, gradients and moments are one flat tensor
// each, and a few ops update all.
inline constexpr std::array<std::string_view, 2> kUpdates{"single", "foreach"};

inline constexpr ParameterInfo kOptimizerParameter{"optimizer", ParameterKind::Choice, "adam",     0,
                                                   0,           "sgd or adam",         kOptimizers};
inline constexpr ParameterInfo kUpdatesParameter{
    "updates", ParameterKind::Choice, "single", 0, 0, "of each weight (single), or of all at once (foreach)",
    kUpdates};

// Gives the loss, one number.
using Model = std::function<ir::Term(GraphBuilder& b, Weights& weights)>;

// The model's loss is the output "loss"; what is updated are states. `parameters` hold "dtype", "optimizer"
// and "updates".
Result<ir::Graph> training_step(std::string name, std::span<const Parameter> parameters, const Model& model);

}  // namespace foretell::workloads
