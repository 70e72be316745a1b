// SPDX-License-Identifier: Apache-2.0
#include "src/cli/all.hpp"

#include <array>

#include "src/cli/analyze.hpp"
#include "src/cli/doctor.hpp"
#include "src/cli/probe.hpp"
#include "src/cli/run.hpp"

namespace foretell::cli {

std::span<const Subcommand> all_subcommands() {
  static constexpr std::array kSubcommands{
      Subcommand{"run", "measure a workload here, eager and fused, and say what binds", declare_run},
      Subcommand{"analyze", "say which overhead binds in a recorded trace, and by how much", declare_analyze},
      Subcommand{"doctor", "say what is here to work with, and how to record a good trace", declare_doctor},
      Subcommand{"probe", "time this machine's overheads: launches, copies, allocations", declare_probe},
  };
  return kSubcommands;
}

}  // namespace foretell::cli
