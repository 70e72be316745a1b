// SPDX-License-Identifier: Apache-2.0
// Which boundary binds a variant at this size: what the host pays per op, memory traffic at the level where
// the ops' tensors are, or arithmetic. Quantities in, verdict and sentence out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/probe/probe.hpp"
#include "reports/run_model.hpp"
#include "src/bridge/work_count.hpp"

namespace foretell::bridge {

// A level of memory, as the probe found it.
struct LevelRate {
  std::string_view name;      // "L1"
  double capacity_bytes = 0;  // of the whole team; 0: no limit
  double touched_bytes = 0;   // by the probe's copy in it
  double gbps = 0;            // of the best of the copies: bytes read and written per nanosecond
};

// What the probe says of the machine; 0 where it says nothing.
struct BoundConstants {
  bool one_lane = false;       // the host thread does the device's work: times add up
  double dispatch_ns = 0;      // host, per eager op; in one lane with its (empty) work
  double drain_ns = 0;         // device, per command
  double replay_op_ns = 0;     // the same within a replay
  double library_call_ns = 0;  // device, per matrix product however small
  double vector_gflops = 0;
  FlopsByType gemm_gflops;        // of the types that were probed
  std::vector<LevelRate> levels;  // from the nearest on
  // The best copy of this session, that took turns with the variants; gbps 0: there was none.
  double session_touched_bytes = 0;
  double session_gbps = 0;
};
BoundConstants bound_constants(const probe::ProbeResult& probed);

// What one step of a variant does, and how long it took.
struct VariantWork {
  double measured_ns = 0;
  std::optional<double> host_ns;  // measured: until the step is enqueued; else dispatches are costed
  double dispatches = 0, launches = 0;
  double replayed = 0;  // commands within replays; a launch is then a replay
  double bytes = 0;
  double flops = 0;  // elementwise and reductions
  FlopsByType matmul_flops;
  double library_calls = 0;  // matrix products
};

// The level whose capacity holds `touched_bytes`.
std::string_view level_of(const BoundConstants& constants, double touched_bytes);
// What a copy reaches that touches so many bytes. The session's, if it touched about as many (up to a factor
// of two): it met the same machine. Else the probe's rates, linear in the logarithm of the bytes between two
// of them, since the step from one level to the next is spread over the sizes around a capacity.
double copy_gbps_at(const BoundConstants& constants, double touched_bytes);

// An op finds what the op before it wrote if both fit: what a launch touches, on average, decides the level.
// The largest of three times binds: the host's, the bytes' at a copy's rate there, the arithmetic's at the
// rate of a vector routine and of a large product of that type; without such a rate arithmetic is left out,
// and the sentence says so. "unknown" if none is half of what was measured, or the largest is more than a
// fifth above it: then the constants are not those of this run.
reports::BoundRow explain_bound(const VariantWork& work, const BoundConstants& constants);

// What the bytes saved allow from eager to fused, at the rates of the level where either works, and why the
// gain is what it is. Empty where nothing was measured.
std::string explain_ceiling(const VariantWork& eager, const reports::BoundRow& eager_bound,
                            const VariantWork& fused, const reports::BoundRow& fused_bound,
                            const BoundConstants& constants);

}  // namespace foretell::bridge
