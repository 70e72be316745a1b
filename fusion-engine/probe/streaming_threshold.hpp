// SPDX-License-Identifier: Apache-2.0
// From which size of a result on it pays to write it past the caches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "fusion-engine/probe/samples.hpp"
#include "src/base/result.hpp"

namespace foretell::probe {

// Medians of copies of one size.
struct StreamingTrial {
  double plain_gbps = 0;
  double streaming_gbps = 0;
  std::int64_t samples = 0;  // of both
};

// The constant `streaming_bytes`: the smallest size at which streaming stores win, and do at every larger
// one. Tries powers of two, since what is chosen by it becomes part of generated source and must not change
// from probe to probe; within [least_bytes, most_bytes] and from the largest on, so that the first loss ends
// it. `low` is the largest size that was lost or, where none was, the smallest tried. nullopt: the largest is
// lost, or there is none. Errors: of `trial`.
Result<std::optional<ProbedConstant>> find_streaming_threshold(
    std::int64_t least_bytes, std::int64_t most_bytes,
    const std::function<Result<StreamingTrial>(std::int64_t size_bytes)>& trial);

}  // namespace foretell::probe
