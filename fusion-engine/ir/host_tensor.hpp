// SPDX-License-Identifier: Apache-2.0
// A dense tensor in host memory: what goes into and comes out of interpreter and executors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::ir {

struct HostTensor {
  Type type;
  std::vector<std::byte> bytes;  // elements(shape) * size_bytes(dtype), row-major
};

// All elements zero.
HostTensor make_tensor(const Type& type);
// Element i as a double: exact but for i64 beyond 2^53. Stores round to the dtype (to nearest, ties to even;
// integers towards zero and saturating, NaN to 0; bool: not zero).
double get(const HostTensor& tensor, std::int64_t i);
void set(HostTensor& tensor, std::int64_t i, double value);
// The same for integers and bool, exact for all of them. Stores saturate; bool: not zero.
std::int64_t get_integer(const HostTensor& tensor, std::int64_t i);
void set_integer(HostTensor& tensor, std::int64_t i, std::int64_t value);

// Reproducible contents for an input. Floats: uniform in [low, high), or low where both are the same;
// integers: uniform in [0, bound); bool: fair coin.
struct Contents {
  double low = -1;
  double high = 1;
  std::int64_t bound = 8;
};
HostTensor random_tensor(const Type& type, std::uint64_t seed, const Contents& contents = {});

}  // namespace foretell::ir
