// SPDX-License-Identifier: Apache-2.0
// The text form of a graph. parse(print(g)) == g.
//
//   graph mlp
//   x = input(to=f32, shape=[1,64])
//   w: f32[64,64] = input(to=f32, shape=[64,64])   # a type after the name is checked
//   %2 = matmul(x, w)
//   h = relu(%2)                                   # any name may be given to a value
//   repeat 3 {                                     # read only: the body three times, names rebound
//     h = tanh(h)
//   }
//   return y=h, cache=%9 updates cache_in
//
// One statement per line; `#` starts a comment. Attributes follow the operands as key=value, defaults may be
// left out; ints are [1,2], reals are shortest round-trip decimals or inf, nan; names of inputs are
// identifiers or "quoted". In random ops the counter may be left out: the next fresh one is taken (in a
// repeat: each time).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

// What repeats may add to the statements that are written, so that a short text doesn't fill the memory.
inline constexpr std::int64_t kMaxRepeatedStatements = 100'000;

// Every node, in id order, with its type.
std::string print(const Graph& graph);
// Any bytes may come in. Errors (BadInput, Limit): `where` is "file:line:column", the message says what was
// expected and found.
Result<Graph> parse(std::string_view text, std::string_view file = "graph");

}  // namespace foretell::ir
