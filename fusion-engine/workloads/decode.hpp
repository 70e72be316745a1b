// SPDX-License-Identifier: Apache-2.0
// One token of each sequence through a small transformer with a KV cache, as text is generated: many small
// ops, and states that are updated in place.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo decode();

}  // namespace foretell::workloads
