// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/suite.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "fusion-engine/ir/text.hpp"
#include "tests/engine/shrink.hpp"

namespace foretell::tests {

std::uint64_t graph_count(std::uint64_t all) {
  constexpr std::uint64_t kUsualShare = 10;
  const char* full = std::getenv("FORETELL_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1" ? all : all / kUsualShare;
}

std::string smallest_failure(const ir::Graph& graph, std::uint64_t seed,
                             const std::function<std::string(const ir::Graph&)>& faults) {
  const ir::Graph small =
      shrink(graph, [&](const ir::Graph& candidate) { return !faults(candidate).empty(); });
  return fmt::format("{}# inputs_for(graph, {})\n{}", faults(small), seed, ir::print(small));
}

}  // namespace foretell::tests
