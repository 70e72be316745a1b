// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as the text form of a graph. A finding is a crash, a leak, a graph that was
// read and doesn't verify, or one whose text doesn't give it back; and a pass that makes such a graph, or has
// more to do when it runs again.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/ir/verify.hpp"
#include "fusion-engine/passes/pass.hpp"

namespace {

using namespace foretell;

// Larger ones only take longer.
constexpr std::size_t kMaxNodes = 2000;

void require(bool holds, const char* what, const ir::Graph& graph) {
  if (!holds) {
    std::fprintf(stderr, "%s:\n%s", what, ir::print(graph).c_str());
    std::abort();
  }
}

void check(const ir::Graph& graph) {
  require(ir::verify(graph).has_value(), "the graph doesn't verify", graph);
  const Result<ir::Graph> again = ir::parse(ir::print(graph));
  require(again.has_value() && *again == graph, "the text doesn't give the graph back", graph);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ir::Graph> graph = ir::parse(text);
  if (!graph.has_value() || graph->size() > kMaxNodes) {
    return 0;
  }
  check(*graph);
  ir::Graph before = *graph;
  for (const passes::Pass& pass : passes::all_passes()) {
    const ir::Graph after = pass.run(before);
    check(after);
    require(pass.run(after) == after, "a pass has more to do the second time", before);
    before = after;
  }
  return 0;
}
