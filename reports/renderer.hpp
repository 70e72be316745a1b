// SPDX-License-Identifier: Apache-2.0
// A report format: its name, the file suffix that chooses it, and how it writes the models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report_model.hpp"
#include "reports/run_model.hpp"

namespace foretell::reports {

struct RenderOptions {
  bool color = false;  // text only: escape sequences for a terminal
  std::vector<std::string>
      explain;  // text only: what to print in full, in place of the tables: checks, or "fusion"
};

struct Renderer {
  std::string_view name;    // --format NAME
  std::string_view suffix;  // -o FILE.suffix
  std::string (*render)(const ReportModel& model, const RenderOptions& options);
  std::string (*render_run)(const RunModel& model, const RenderOptions& options);
  std::string (*render_probe)(const ProbeModel& model, const RenderOptions& options);
};

}  // namespace foretell::reports
