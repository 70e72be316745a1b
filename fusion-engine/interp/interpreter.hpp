// SPDX-License-Identifier: Apache-2.0
// The reference: naive, in double precision. It defines every op; executors are compared with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/ir/host_tensor.hpp"

namespace foretell::interp {

// A value of the reference: floats as doubles without rounding to the dtype between ops, integers as 64-bit
// (wrapped to 32 after each op for i32), bool 0 or 1. Exactly one of the two vectors is used. What rounds to
// the dtype: a cast to a float type that does not hold all values of its operand's type, also inside the
// decomposition of a composite; constants, iota and random numbers.
struct Value {
  ir::Type type;
  std::vector<double> reals;           // of float dtypes
  std::vector<std::int64_t> integers;  // of integer dtypes and bool
  // With EvaluateOptions::bounds: for floats, an upper bound to first order of |computed - reference| per
  // element for an implementation that rounds every op's result to its dtype, or keeps it wider
  // (docs/engine-numerics.md). Infinity where a comparison, rounding or cast could fall either way, or the
  // result could overflow. For integers and bool: 0, or infinity where undetermined.
  std::vector<double> bounds;
};

struct EvaluateOptions {
  bool bounds = false;
};

// Element i as a double: exact but for i64 beyond 2^53.
inline double number(const Value& value, std::size_t i) {
  return value.reals.empty() ? static_cast<double>(value.integers[i]) : value.reals[i];
}
// What the tensor holds, exactly, and the number nearest to each of a value's.
Value to_value(const ir::HostTensor& tensor, const EvaluateOptions& options = {});
ir::HostTensor to_tensor(const Value& value);

// Values of all outputs, in order. `inputs` in the order of graph.inputs(). State outputs are returned, and
// `inputs` left as they are. Errors (BadInput): number, type or size of inputs; an index out of range in
// gather, scatter_add or index_copy.
Result<std::vector<Value>> evaluate(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                    const EvaluateOptions& options = {});
// The values of all nodes, for the worst-op search of the drift report. Indexed by node id.
Result<std::vector<Value>> evaluate_all(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                        const EvaluateOptions& options = {});

}  // namespace foretell::interp
