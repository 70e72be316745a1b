// SPDX-License-Identifier: Apache-2.0
// The sections of a run's text on the engine itself: how exact its results are, what it fused, where
// intermediates lie, what compiling cost.
#pragma once

#include "reports/run_model.hpp"
#include "reports/text_writer.hpp"

namespace foretell::reports {

void write_drift(TextWriter& out, const RunReport& run);
void write_fused_kernels(TextWriter& out, const RunReport& run);
void write_memory(TextWriter& out, const RunReport& run);
void write_compiling(TextWriter& out, const RunReport& run);
// --explain fusion: every kernel with its ops, every refusal with its reason.
void write_fusion(TextWriter& out, const RunReport& run);

}  // namespace foretell::reports
