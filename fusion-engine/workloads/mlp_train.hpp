// SPDX-License-Identifier: Apache-2.0
// A training step of a perceptron: forward, cross entropy, backward, optimizer. With few rows the optimizer,
// which touches every weight several times, weighs as much as the products.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo mlp_train();

}  // namespace foretell::workloads
