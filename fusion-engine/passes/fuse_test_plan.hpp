// SPDX-License-Identifier: Apache-2.0
// A plan as short texts, for the tests of fuse.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/fuse.hpp"

namespace foretell::passes {

inline ir::Graph parse(std::string_view text) {
  auto graph = ir::parse(text);
  EXPECT_TRUE(graph.has_value()) << graph.error().message;
  return graph ? *std::move(graph) : ir::Graph();
}

// "relu add", "matmul", "view": one text per step.
inline std::vector<std::string> steps(const ir::Graph& graph, const FusionPlan& plan) {
  std::vector<std::string> result;
  for (const PlanStep& step : plan.steps) {
    std::string text;
    switch (step.kind) {
      case PlanStep::Kind::View: text = "view"; break;
      case PlanStep::Kind::Op: text = fmt::format("op {}", ir::to_string(graph.node(step.node).op)); break;
      case PlanStep::Kind::Kernel:
        for (const ir::NodeId id : plan.groups[step.group].nodes) {
          text += fmt::format("{}{}", text.empty() ? "" : " ", ir::to_string(graph.node(id).op));
        }
        break;
    }
    result.push_back(text);
  }
  return result;
}

inline std::vector<std::string> sentences(const FusionPlan& plan) {
  std::vector<std::string> result;
  for (const Refusal& refusal : plan.refusals) {
    result.push_back(fmt::format("{}: {}", refusal.reason, refusal.sentence));
  }
  return result;
}

}  // namespace foretell::passes
