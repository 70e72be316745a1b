// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/streaming_threshold.hpp"

#include <bit>

namespace foretell::probe {

Result<std::optional<ProbedConstant>> find_streaming_threshold(
    std::int64_t least_bytes, std::int64_t most_bytes,
    const std::function<Result<StreamingTrial>(std::int64_t size_bytes)>& trial) {
  ProbedConstant found{
      .constant = {.name = "streaming_bytes",
                   .unit = "bytes",
                   .provenance = Provenance::Probed,
                   .source = "size of a result from which on stores past the caches are the faster ones"},
      .samples = 0};
  cost::Constant& constant = found.constant;
  for (auto size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most_bytes)));
       size > 0 && size >= least_bytes; size /= 2) {
    FORETELL_ASSIGN_OR_RETURN(const StreamingTrial tried, trial(size));
    found.samples += tried.samples;
    constant.low = static_cast<double>(size);
    if (tried.streaming_gbps <= tried.plain_gbps) {
      break;
    }
    constant.expected = constant.high = static_cast<double>(size);
  }
  return constant.expected > 0 ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace foretell::probe
