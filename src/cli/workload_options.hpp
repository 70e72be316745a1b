// SPDX-License-Identifier: Apache-2.0
// What the list of workloads gives the command line: their names and their parameters as options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretell::cli {

std::string workload_names();  // "chain, norm-act, ..."

// The options of all workloads, each once; `help` says which workloads take it, and as what.
struct WorkloadOption {
  std::string_view name;
  std::string help;
};
std::vector<WorkloadOption> workload_options();

}  // namespace foretell::cli
