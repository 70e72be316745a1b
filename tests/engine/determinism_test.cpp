// SPDX-License-Identifier: Apache-2.0
// The same bits whatever the team: units of work don't depend on how they are shared out.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/executor_check.hpp"
#include "tests/engine/merge_graphs.hpp"
#include "tests/engine/random_graph.hpp"

namespace foretell::tests {
namespace {

class Determinism : public testing::TestWithParam<Variant> {};

TEST_P(Determinism, TeamSizeAndOneLaneGiveTheSameBits) {
  constexpr std::uint64_t kFirst = 5001;  // graphs of its own
  constexpr std::uint64_t kCount = 20;
  std::vector<ir::Graph> graphs;
  std::vector<ir::HostTensor> inputs;
  for (std::uint64_t seed = kFirst; seed < kFirst + kCount; ++seed) {
    graphs.push_back(random_graph(seed));
    for (ir::HostTensor& tensor : inputs_for(graphs.back(), seed)) {
      inputs.push_back(std::move(tensor));
    }
  }
  const ir::Graph merged = merge_graphs(graphs);
  Engine one;
  if (std::ranges::find(kFusedVariants, GetParam()) != kFusedVariants.end() && !one.compiler().has_value()) {
    // Generated code needs the system's compiler, which a machine may lack; the build's own may be elsewhere.
    GTEST_SKIP() << "no C++ compiler on this machine: " << one.compiler().error().message;
  }
  const auto want = one.run(merged, inputs, GetParam());
  ASSERT_TRUE(want.has_value()) << want.error().message;
  const runtime::cpu::StreamOptions teams[]{{.threads = 2, .one_lane = false, .pin = false},
                                            {.threads = 3, .one_lane = false, .pin = false},
                                            {.threads = 1, .one_lane = true, .pin = false}};
  for (const runtime::cpu::StreamOptions& team : teams) {
    Engine engine(team);
    const auto found = engine.run(merged, inputs, GetParam());
    ASSERT_TRUE(found.has_value()) << found.error().message;
    for (std::size_t i = 0; i < want->size(); ++i) {
      const std::string_view name =
          i < merged.outputs().size() ? std::string_view(merged.outputs()[i].name) : "input";
      EXPECT_EQ((*found)[i].bytes, (*want)[i].bytes)
          << name << " with " << team.threads << (team.one_lane ? " lane" : " workers");
    }
  }
}

std::string variant_name(const testing::TestParamInfo<Variant>& param) {
  return std::string(to_string(param.param));
}
INSTANTIATE_TEST_SUITE_P(Variants, Determinism, testing::ValuesIn(kAllVariants), variant_name);

}  // namespace
}  // namespace foretell::tests
