// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/renderer.hpp"

namespace foretell::reports {

// For people at a terminal: at most 100 columns, colour only where asked for.
std::string render_text(const ReportModel& model, const RenderOptions& options);

}  // namespace foretell::reports
