// SPDX-License-Identifier: Apache-2.0
// Many intermediates of assorted sizes, each read more than once: what memory for results costs.
//
// An op of it moves some hundred KiB that stay in a cache, so it takes some tens of microseconds. With
// --allocator system each result is new memory, and the first touch of its pages costs about a microsecond
// each (probe: page_fault_ns), several times the op. The caching allocator pays that once, but keeps a block
// of each size at hand, for there are no two alike; a plan of lifetimes needs neither.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo churn();

}  // namespace foretell::workloads
