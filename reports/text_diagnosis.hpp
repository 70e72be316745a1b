// SPDX-License-Identifier: Apache-2.0
// The diagnosis as text: the picture of the step, the checks, one check in full.
#pragma once

#include <string_view>

#include "reports/report_model.hpp"
#include "reports/text_writer.hpp"

namespace foretell::reports {

void write_step_picture(TextWriter& out, const TraceReport& report);
void write_checks(TextWriter& out, const TraceReport& report);
// The whole reasoning of one check (--explain).
void write_explanation(TextWriter& out, const TraceReport& report, std::string_view check_id);

}  // namespace foretell::reports
