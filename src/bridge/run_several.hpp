// SPDX-License-Identifier: Apache-2.0
// Runs workloads one after another, with the machine probed once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "reports/run_model.hpp"
#include "src/base/result.hpp"
#include "src/bridge/engine_run.hpp"

namespace foretell::bridge {

struct SeveralRuns {
  reports::RunModel model;       // in the order of the names; one that failed has its error
  std::optional<Error> failure;  // the first one's, where none could be run
};

// With defaults: `names` of the list, or files. `on_workload` hears the place of the one that begins; may be
// empty. Errors: of the device, and of probing it.
Result<SeveralRuns> run_several(std::span<const std::string> names, const RunOptions& options,
                                const std::function<void(std::size_t)>& on_workload);

}  // namespace foretell::bridge
