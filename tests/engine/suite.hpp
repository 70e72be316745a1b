// SPDX-License-Identifier: Apache-2.0
// How many random graphs the property tests take, and how a failure is told.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::tests {

// Seeds are 1, 2, ...; FORETELL_TEST_FULL=1 takes all, FORETELL_TEST_QUICK=1 (under sanitizers, where each
// takes several times as long) the first fortieth, else the first tenth.
inline constexpr std::uint64_t kAllGraphs = 2000;
inline constexpr std::uint64_t kAllTrainingGraphs = 500;
std::uint64_t graph_count(std::uint64_t all = kAllGraphs);

// The smallest graph for which `faults` still says something, with what it says: text to paste into a test.
// `seed` is that of the inputs' contents (inputs_for).
std::string smallest_failure(const ir::Graph& graph, std::uint64_t seed,
                             const std::function<std::string(const ir::Graph&)>& faults);

}  // namespace foretell::tests
