// SPDX-License-Identifier: Apache-2.0
// Several runs as one table: what binds each workload, what each variant gains, how exact it is.
#pragma once

#include "reports/run_model.hpp"
#include "reports/text_writer.hpp"

namespace foretell::reports {

// A line per variant; below it what the runs have to say, each sentence once.
void write_run_table(TextWriter& out, const RunModel& model);

}  // namespace foretell::reports
