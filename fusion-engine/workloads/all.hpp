// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

// The workloads built in, in the order of the help text.
std::span<const WorkloadInfo> all_workloads();

}  // namespace foretell::workloads
