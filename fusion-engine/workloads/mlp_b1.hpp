// SPDX-License-Identifier: Apache-2.0
// A small perceptron at batch 1: many small ops, bound by what each costs the host.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo mlp_b1();

}  // namespace foretell::workloads
