// SPDX-License-Identifier: Apache-2.0
// For tests of passes: two graphs as text that a pass has to make the same.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/eliminate_dead_code.hpp"

namespace foretell::passes {

inline constexpr std::string_view kCaseInputs = R"(graph case
x = input(to=f32, shape=[2,3])
y = input(to=f32, shape=[2,3])
row = input(to=f32, shape=[3])
n = input(to=i32, shape=[2,3])
m = input(to=i32, shape=[2,3])
h = input(to=bf16, shape=[2,3])
b = input(to=bool, shape=[2,3])
c = input(to=bool, shape=[2,3])
x3 = input(to=f32, shape=[4,2,3])
)";

struct PassCase {
  const char* name;
  const char* text;  // statements; r is the output
  const char* want;  // statements that stay as they are
};
inline std::ostream& operator<<(std::ostream& out, const PassCase& row) { return out << row.name; }

inline ir::Graph graph_of(std::string_view statements) {
  Result<ir::Graph> graph = ir::parse(std::string(kCaseInputs) + std::string(statements) + "return r=r\n");
  EXPECT_TRUE(graph.has_value()) << (graph.has_value() ? ""
                                                       : graph.error().where + ": " + graph.error().message);
  return graph.has_value() ? *std::move(graph) : ir::Graph();
}

// The pass makes `text` what `want` is, dead nodes aside, leaves `want` alone, and has no more to do the
// second time.
inline void expect_rewrite(ir::Graph (*pass)(const ir::Graph&), const PassCase& row) {
  const ir::Graph before = graph_of(row.text);
  const ir::Graph want = graph_of(row.want);
  const ir::Graph after = pass(before);
  EXPECT_EQ(ir::print(eliminate_dead_code(after)), ir::print(want));
  EXPECT_EQ(ir::print(pass(want)), ir::print(want));
  EXPECT_TRUE(pass(after) == after) << ir::print(pass(after));
  EXPECT_TRUE(ir::verify(after).has_value());
}

}  // namespace foretell::passes
