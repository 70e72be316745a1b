// SPDX-License-Identifier: Apache-2.0
// Large matrix products and nothing else: fusion has nothing to gain.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo gemm();

}  // namespace foretell::workloads
