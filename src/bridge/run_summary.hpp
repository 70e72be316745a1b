// SPDX-License-Identifier: Apache-2.0
// What a measured run comes to, in words: the summary of its report.
#pragma once

#include "reports/run_model.hpp"
#include "src/bridge/bound.hpp"
#include "src/bridge/work_count.hpp"

namespace foretell::bridge {

// What a step of the variant is, from its row; measured_ns 0 where it was not measured. `flops` come from the
// graph.
VariantWork variant_work(const reports::VariantRow& row, const WorkCount& count);

// Fills `step_ns`, `binds`, `ceiling` and the sentences from variants and measuring, which are complete.
void summarise(reports::RunReport& run, const BoundConstants& constants, const WorkCount& count);

// The sentences where only the plan was asked for: `groups` and `refusals` are complete.
void summarise_plan(reports::RunReport& run);

}  // namespace foretell::bridge
