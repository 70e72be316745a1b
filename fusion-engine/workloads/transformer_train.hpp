// SPDX-License-Identifier: Apache-2.0
// A training step of a small language model: embedding, blocks of causal attention and GELU layers, cross
// entropy over the vocabulary, backward, optimizer.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo transformer_train();

}  // namespace foretell::workloads
