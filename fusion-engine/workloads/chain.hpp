// SPDX-License-Identifier: Apache-2.0
// N elementwise ops over one tensor: every op is bound by memory, so fusion gains up to N times.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo chain();

}  // namespace foretell::workloads
