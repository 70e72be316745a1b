// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/renderer.hpp"
#include "reports/run_model.hpp"

namespace foretell::reports {

std::string render_run_text(const RunModel& model, const RenderOptions& options);

// "Machine" as two lines at most: processor, caches, workers.
std::string machine_line(const MachineRow& machine);

}  // namespace foretell::reports
