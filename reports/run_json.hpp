// SPDX-License-Identifier: Apache-2.0
// The JSON of `foretell run` and `foretell probe`; reports/schema/run.schema.json and probe.schema.json
// describe them.
#pragma once

#include <string>

#include "reports/renderer.hpp"
#include "reports/run_model.hpp"

namespace foretell::reports {

// One run: the object itself; several: a header and `runs`.
std::string render_run_json(const RunModel& model, const RenderOptions& options);
std::string render_probe_json(const ProbeModel& model, const RenderOptions& options);

}  // namespace foretell::reports
