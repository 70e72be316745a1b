// SPDX-License-Identifier: Apache-2.0
#include "src/cli/all.hpp"

#include <array>

#include "src/cli/analyze.hpp"

namespace foretell::cli {

std::span<const Subcommand> all_subcommands() {
  static constexpr std::array kSubcommands{
      Subcommand{"analyze", "say what a recorded trace holds and whether it can be trusted", declare_analyze},
  };
  return kSubcommands;
}

}  // namespace foretell::cli
