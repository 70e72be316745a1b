// SPDX-License-Identifier: Apache-2.0
// What each op of a step takes.
#pragma once

#include <span>
#include <vector>

#include "fusion-engine/runtime/executor.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// Of several steps of one graph, op by op, the median of each time: a single step with stamps is easily
// disturbed.
std::vector<runtime::OpTime> median_times(std::span<const std::vector<runtime::OpTime>> steps);

// The same of as many steps as fit a fifth of a second, at most nine, behind one that warms up. Errors: of
// the executor.
Result<std::vector<runtime::OpTime>> median_op_times(runtime::Executor& executor);

}  // namespace foretell::bridge
