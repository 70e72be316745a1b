// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/suite.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "fusion-engine/ir/text.hpp"
#include "tests/engine/shrink.hpp"

namespace foretell::tests {

std::uint64_t graph_count(std::uint64_t all) {
  const auto is = [](const char* variable, std::string_view value) {
    const char* const set = std::getenv(variable);
    return set != nullptr && set == value;
  };
  if (is("FORETELL_TEST_FULL", "1")) {
    return all;
  }
  return is("FORETELL_TEST_QUICK", "1") ? all / 40 : all / 10;
}

std::string smallest_failure(const ir::Graph& graph, std::uint64_t seed,
                             const std::function<std::string(const ir::Graph&)>& faults) {
  const ir::Graph small =
      shrink(graph, [&](const ir::Graph& candidate) { return !faults(candidate).empty(); });
  return fmt::format("{}# inputs_for(graph, {})\n{}", faults(small), seed, ir::print(small));
}

}  // namespace foretell::tests
