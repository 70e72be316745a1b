// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/pass.hpp"

namespace foretell::passes {
namespace {

constexpr std::string_view kText = R"(graph g
x = input(to=f32, shape=[2,4])
one = constant(value=1, to=f32)
a = mul(x, one)
b = silu(a)
c = mul(b, a)
d = mul(a, b)
e = sub(c, d)
return y=e
)";

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Pass& pass : all_passes()) {
    all.emplace_back(pass.name);
  }
  return all;
}

TEST(Pipeline, RunsThePassesInOrder) {
  EXPECT_EQ(names(), (std::vector<std::string>{"decompose", "simplify", "eliminate_common_subexpressions",
                                               "eliminate_dead_code"}));
  std::vector<std::string> seen;
  const PipelineOptions options{
      .disabled = {}, .on_pass = [&](std::string_view pass, const ir::Graph&) { seen.emplace_back(pass); }};
  const Result<PipelineResult> result = run_pipeline(ir::parse(kText).value(), options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(seen, names());
  EXPECT_EQ(ir::print(result->graph), R"(graph g
x: f32[2,4] = input(to=f32, shape=[2,4])
%1: f32[2,4] = sigmoid(x)
%2: f32[2,4] = mul(x, %1)
%3: f32[2,4] = mul(x, %2)
%4: f32[2,4] = sub(%3, %3)
return y=%4
)");
  for (const PassRun& run : result->runs) {
    EXPECT_TRUE(run.changed) << run.pass;
    EXPECT_GE(run.duration_ns, 0) << run.pass;
  }
}

TEST(Pipeline, TellsWhatChangedNothing) {
  const PipelineResult once = run_pipeline(ir::parse(kText).value()).value();
  const PipelineResult twice = run_pipeline(once.graph).value();
  for (const PassRun& run : twice.runs) {
    EXPECT_FALSE(run.changed) << run.pass;
  }
  EXPECT_TRUE(twice.graph == once.graph);
}

TEST(Pipeline, LeavesOutDisabledPasses) {
  const ir::Graph graph = ir::parse(kText).value();
  const PipelineResult result = run_pipeline(graph, {.disabled = names(), .on_pass = {}}).value();
  EXPECT_TRUE(result.graph == graph);
  EXPECT_TRUE(result.runs.empty());
}

TEST(Pipeline, AnUnknownPassIsAUsageError) {
  const auto result = run_pipeline(ir::parse(kText).value(), {.disabled = {"simplfy"}, .on_pass = {}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(), (Error{.code = ErrorCode::Usage,
                                   .where = "--disable-pass",
                                   .message = "unknown pass 'simplfy', expected one of: decompose, simplify, "
                                              "eliminate_common_subexpressions, eliminate_dead_code",
                                   .hint = "did you mean 'simplify'?"}));
}

}  // namespace
}  // namespace foretell::passes
