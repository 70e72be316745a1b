// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/renderer.hpp"
#include "reports/run_model.hpp"
#include "reports/text_writer.hpp"

namespace foretell::reports {

std::string render_probe_text(const ProbeModel& model, const RenderOptions& options);

// One line per constant: expected, its interval, and how it was got.
void write_constant_table(TextWriter& out, const std::vector<ConstantRow>& constants);

}  // namespace foretell::reports
