// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/renderer.hpp"

namespace foretell::reports {

// The form that reports/schema/analyze.schema.json describes. Raised when a key changes its meaning or goes.
inline constexpr int kJsonSchemaVersion = 1;

// One trace: the object itself; several: a header and `traces`. Keys stand in a fixed order.
std::string render_json(const ReportModel& model, const RenderOptions& options);

}  // namespace foretell::reports
