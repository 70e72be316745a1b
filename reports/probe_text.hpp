// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/renderer.hpp"
#include "reports/run_model.hpp"
#include "reports/text_writer.hpp"

namespace foretell::reports {

std::string render_probe_text(const ProbeModel& model, const RenderOptions& options);

// Heading, what the columns mean, and one line per constant: its interval, where it comes from.
void write_constants(TextWriter& out, const std::vector<ConstantRow>& constants);

}  // namespace foretell::reports
