// SPDX-License-Identifier: Apache-2.0
// foretell doctor [--recipe]
#include "src/cli/doctor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/timeline/recipe.hpp"
#include "src/base/text.hpp"
#include "src/base/version.hpp"
#include "src/cli/output.hpp"
#include "src/cli/run_main.hpp"

namespace foretell::cli {
namespace {

constexpr const char* kDriver = "libcuda.so.1";

struct DoctorOptions {
  bool recipe = false;
  std::string format = "text";
};

std::string recipe() {
  std::string text;
  std::string_view section;
  for (const timeline::RecipeLine& line : timeline::all_recipe_lines()) {
    if (line.section != section) {
      text += fmt::format("{}{}\n", section.empty() ? "" : "\n", line.section);
      section = line.section;
    }
    text += fmt::format("{:<6}{}\n", fmt::format("[{}]", line.id), line.text);
  }
  return text;
}

// Whether the loader finds it. Loading runs nothing of the driver's but its constructors, and no device is
// opened.
bool can_load(const char* library) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return handle != nullptr && ::dlclose(handle) == 0;
}

std::string state_of_machine() {
  return fmt::format(
      "foretell      {}\n"
      "device table  {} built in, constants assumed\n"
      "CUDA driver   {} {}; reading traces needs none\n"
      "recording     'foretell doctor --recipe' says how\n",
      version(), format_counted(cost::builtin_device_table().devices.size(), "device"), kDriver,
      can_load(kDriver) ? "found" : "not found");
}

std::string as_json(const DoctorOptions& options) {
  nlohmann::ordered_json out = {{"schema_version", 1},
                                {"tool", {{"name", "foretell"}, {"version", version()}}}};
  if (options.recipe) {
    out["recipe"] = nlohmann::ordered_json::array();
    for (const timeline::RecipeLine& line : timeline::all_recipe_lines()) {
      out["recipe"].push_back({{"id", line.id}, {"section", line.section}, {"text", line.text}});
    }
  } else {
    out["device_table"] = cost::builtin_device_table().devices.size();
    out["cuda_driver_found"] = can_load(kDriver);
  }
  return out.dump(2) + '\n';
}

Exit doctor(const DoctorOptions& options) {
  const std::string text = options.format == "json" ? as_json(options)
                           : options.recipe         ? recipe()
                                                    : state_of_machine();
  if (const auto written = write_stdout(text); !written) {
    print_error(written.error());
    return exit_of(written.error().code);
  }
  return Exit::Done;
}

}  // namespace

std::function<Exit()> declare_doctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();  // owners: the parser's bindings and the action
  app.add_flag("--recipe", options->recipe, "print how to record a trace that leaves no question open");
  app.add_option("--format", options->format, "format of stdout: text, json (default: text)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"text", "json"}));
  return [options] { return doctor(*options); };
}

}  // namespace foretell::cli
