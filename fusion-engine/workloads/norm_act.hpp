// SPDX-License-Identifier: Apache-2.0
// Blocks of x + gelu(layer_norm(x)): one pass over memory where fused, with arithmetic in it.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo norm_act();

}  // namespace foretell::workloads
