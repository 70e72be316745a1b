// SPDX-License-Identifier: Apache-2.0
#include "src/cli/workload_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fusion-engine/workloads/all.hpp"

namespace foretell::cli {

std::string workload_names() {
  std::vector<std::string_view> names;
  for (const workloads::WorkloadInfo& workload : workloads::all_workloads()) {
    names.push_back(workload.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<WorkloadOption> workload_options() {
  struct Meaning {
    std::string_view option;
    std::string workloads, text;
  };
  std::vector<Meaning> meanings;
  for (const workloads::WorkloadInfo& workload : workloads::all_workloads()) {
    for (const workloads::ParameterInfo& parameter : workload.parameters) {
      const std::string text = fmt::format("{} ({})", parameter.title, parameter.default_text);
      const auto at = std::ranges::find_if(meanings, [&](const Meaning& meaning) {
        return meaning.option == parameter.name && meaning.text == text;
      });
      if (at == meanings.end()) {
        meanings.push_back({parameter.name, std::string(workload.name), text});
      } else {
        at->workloads += fmt::format(", {}", workload.name);
      }
    }
  }
  std::vector<WorkloadOption> options;
  for (const Meaning& meaning : meanings) {
    const std::string help = fmt::format("{}: {}", meaning.workloads, meaning.text);
    const auto at = std::ranges::find(options, meaning.option, &WorkloadOption::name);
    if (at == options.end()) {
      options.push_back({meaning.option, help});
    } else {
      at->help += "; " + help;
    }
  }
  return options;
}

}  // namespace foretell::cli
