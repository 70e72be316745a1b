// SPDX-License-Identifier: Apache-2.0
#include "src/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "reports/all.hpp"
#include "src/base/names.hpp"
#include "src/base/system_message.hpp"
#include "src/base/text.hpp"

namespace foretell::cli {
namespace {

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const reports::Renderer& renderer : reports::all_renderers()) {
    names.push_back(renderer.name);
  }
  return names;
}

Result<const reports::Renderer*> find_format(std::string_view name) {
  for (const reports::Renderer& renderer : reports::all_renderers()) {
    if (renderer.name == name) {
      return &renderer;
    }
  }
  return std::unexpected(unknown_name("--format", "format", name, format_names()));
}

Result<const reports::Renderer*> format_of_file(const std::string& file, const std::string& format) {
  const auto by_suffix = std::ranges::find_if(
      reports::all_renderers(),
      [&](const reports::Renderer& renderer) { return file.ends_with(renderer.suffix); });
  if (by_suffix != reports::all_renderers().end()) {
    return &*by_suffix;
  }
  if (!format.empty()) {
    return find_format(format);
  }
  std::vector<std::string_view> suffixes;
  for (const reports::Renderer& renderer : reports::all_renderers()) {
    suffixes.push_back(renderer.suffix);
  }
  return fail(ErrorCode::Usage, "-o " + printable(file),
              fmt::format("the suffix names no format, expected one of: {}", fmt::join(suffixes, ", ")),
              "or name the format: --format " + std::string(reports::all_renderers().front().name));
}

bool wants_color() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

Result<void> write_all_of(std::string_view text, std::FILE* file, const std::string& where) {
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0) {
    return fail(ErrorCode::Environment, where, fmt::format("can't write: {}", system_message(errno)));
  }
  return {};
}

}  // namespace

Result<void> write_file(const std::string& path, const std::string& text) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "wb"), [](std::FILE* f) { return f == nullptr ? 0 : std::fclose(f); });
  FORETELL_RETURN_IF_ERROR(write_all_of(text, file.get(), path));
  if (std::fclose(file.release()) != 0) {  // where some systems say that there was no room
    return fail(ErrorCode::Environment, path, fmt::format("can't write: {}", system_message(errno)));
  }
  return {};
}

namespace {

// `render` gives the text of a format.
template <class Render>
Result<void> write_all(const OutputOptions& options, reports::RenderOptions how, const Render& render) {
  for (const std::string& file : options.files) {
    FORETELL_ASSIGN_OR_RETURN(const reports::Renderer* renderer, format_of_file(file, options.format));
    FORETELL_RETURN_IF_ERROR(write_file(file, render(*renderer, how)));
  }
  if (options.files.empty() || !options.format.empty()) {
    FORETELL_ASSIGN_OR_RETURN(const reports::Renderer* renderer,
                              options.format.empty()
                                  ? Result<const reports::Renderer*>(&reports::all_renderers().front())
                                  : find_format(options.format));
    how.color = wants_color();
    FORETELL_RETURN_IF_ERROR(write_stdout(render(*renderer, how)));
  }
  return {};
}

}  // namespace

Result<void> write_stdout(std::string_view text) { return write_all_of(text, stdout, "stdout"); }

void declare_output(CLI::App& app, OutputOptions& options) {
  app.add_option("--format", options.format,
                 fmt::format("format of stdout: {} (default: text)", fmt::join(format_names(), ", ")))
      ->type_name("NAME");
  app.add_option("-o,--output", options.files,
                 "write the report to FILE, in the format of its suffix (.txt, .json); may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
}

Result<void> check_output(const OutputOptions& options) {
  if (!options.format.empty()) {
    FORETELL_RETURN_IF_ERROR(find_format(options.format));
  }
  for (const std::string& file : options.files) {
    FORETELL_RETURN_IF_ERROR(format_of_file(file, options.format));
  }
  return {};
}

Result<void> check_not_input(const OutputOptions& options, const std::vector<std::string>& inputs) {
  for (const std::string& file : options.files) {
    for (const std::string& input : inputs) {
      std::error_code unknown;  // a file that does not exist yet is nobody's
      if (std::filesystem::equivalent(file, input, unknown)) {
        return fail(ErrorCode::Usage, "-o " + printable(file), "would overwrite an input it is made from",
                    "name another file");
      }
    }
  }
  return {};
}

Result<void> write_output(const reports::ReportModel& model, const OutputOptions& options,
                          reports::RenderOptions render) {
  return write_all(options, std::move(render), [&](const reports::Renderer& renderer, const auto& how) {
    return renderer.render(model, how);
  });
}

Result<void> write_output(const reports::RunModel& model, const OutputOptions& options,
                          reports::RenderOptions render) {
  return write_all(options, std::move(render), [&](const reports::Renderer& renderer, const auto& how) {
    return renderer.render_run(model, how);
  });
}

Result<void> write_output(const reports::ProbeModel& model, const OutputOptions& options,
                          reports::RenderOptions render) {
  return write_all(options, std::move(render), [&](const reports::Renderer& renderer, const auto& how) {
    return renderer.render_probe(model, how);
  });
}

}  // namespace foretell::cli
