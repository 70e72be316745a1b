// SPDX-License-Identifier: Apache-2.0
// --format and -o, the same for every verb that writes a report.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/renderer.hpp"
#include "reports/report_model.hpp"
#include "src/base/result.hpp"

namespace foretell::cli {

struct OutputOptions {
  std::string format;              // empty: text on stdout, or nothing there if files are named
  std::vector<std::string> files;  // each in the format of its suffix, or in `format`
};

void declare_output(CLI::App& app, OutputOptions& options);

// Every file's format can be told from its suffix or --format. Call it before the work.
Result<void> check_output(const OutputOptions& options);
// No report overwrites one of the files it is made from.
Result<void> check_not_input(const OutputOptions& options, const std::vector<std::string>& inputs);
// The whole of `text`, flushed. Errors (Environment): a full disk, a reader that is gone.
Result<void> write_stdout(std::string_view text);
// The whole of `text`, instead of what was in the file. Errors (Environment): it can't be written.
Result<void> write_file(const std::string& path, const std::string& text);
// Writes stdout and every file. Colour is for stdout, if that is a terminal.
Result<void> write_output(const reports::ReportModel& model, const OutputOptions& options,
                          reports::RenderOptions render = {});
Result<void> write_output(const reports::RunModel& model, const OutputOptions& options,
                          reports::RenderOptions render = {});
Result<void> write_output(const reports::ProbeModel& model, const OutputOptions& options,
                          reports::RenderOptions render = {});

}  // namespace foretell::cli
