// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/renderer.hpp"
#include "reports/run_model.hpp"

namespace foretell::reports {

// Of one run all; of several a table, or the fusion plans if those are to be explained.
std::string render_run_text(const RunModel& model, const RenderOptions& options);

// "2.88x (2.80 to 2.95)"; "-" where it is not known.
std::string speedup_text(const MeasuredRow& measured);

// "Machine" as two lines at most: processor, caches, workers.
std::string machine_line(const MachineRow& machine);

}  // namespace foretell::reports
