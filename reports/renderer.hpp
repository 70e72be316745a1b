// SPDX-License-Identifier: Apache-2.0
// A report format: its name, the file suffix that chooses it, and how it writes a model.
#pragma once

#include <string>
#include <string_view>

#include "reports/report_model.hpp"

namespace foretell::reports {

struct RenderOptions {
  bool color = false;  // text only: escape sequences for a terminal
};

struct Renderer {
  std::string_view name;    // --format NAME
  std::string_view suffix;  // -o FILE.suffix
  std::string (*render)(const ReportModel& model, const RenderOptions& options);
};

}  // namespace foretell::reports
