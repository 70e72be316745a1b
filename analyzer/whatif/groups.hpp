// SPDX-License-Identifier: Apache-2.0
// What a fusing compiler could merge in one steady step. A trace has no tensor ids, so a group is a guess
// from neighbours:
//
// A group is a longest run of fusible kernels on one stream, in one steady step, inside one graph replay or
// outside of all, with nothing between them, and with equal extents: the elements of the op's largest input
// where shapes are recorded, else what the launch geometry covers, else equal grids or equal bytes. Kernels
// of which none of that is known join by running next to each other in the same op, or equally long within a
// factor of two; the bytes of such a group count as assumed (WorkSource::Bandwidth). A reduction counts with
// what it reads; behind it kernels over its rows may follow, and full-size ones again, unless all was reduced
// to one value. A fill begins a run. Inside replays nothing but class and time may speak for a kernel; alone,
// it is not claimed.
//
// Bytes behind: what the first member reads, what the others read beside their largest input, what the last
// one writes, and all that parameter updates and equal copies in a row move. A lower bound: a tensor inside
// that is needed later is not seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "analyzer/whatif/kernel_work.hpp"

namespace foretell::whatif {

// The memory level whose traffic a group saves.
enum class Boundary : std::uint8_t { Dram, L2 };
std::string_view to_string(Boundary boundary);  // "dram", "l2"

struct FusionGroup {
  std::vector<std::uint32_t> activities;  // rows, in stream order; two at least
  double bytes_before = 0, bytes_after = 0;
  WorkSource bytes_source = WorkSource::None;  // the least trusted of its members
  Boundary boundary = Boundary::Dram;
  std::int64_t device_ns = 0;  // measured, its kernels
  std::int64_t gap_ns = 0;     // device idle between its members
  // Time of the one kernel that replaces it: device_ns x bytes_after / bytes_before, never below what
  // the shortest kernel takes. Where bytes are not known (WorkSource::None), members count as equally fast.
  // Derived.
  std::int64_t fused_ns = 0;
};

// Groups that are alike (same kernel names in the same order), over the steady steps.
struct GroupFamily {
  std::vector<std::string> kernels;                      // names, in order
  std::string op;                                        // of the first member; empty: unknown
  double per_step = 0;                                   // occurrences
  std::size_t example = 0;                               // index of one of them in FusionGroups::groups
  double bytes_before = 0, bytes_after = 0;              // per step
  std::int64_t device_ns = 0, gap_ns = 0, fused_ns = 0;  // per step
  Boundary boundary = Boundary::Dram;
  WorkSource bytes_source = WorkSource::None;
};

struct FusionGroups {
  std::vector<FusionGroup> groups;    // of all steady steps
  std::vector<GroupFamily> families;  // most saved first, at most 1000; the sums hold all
  std::int64_t device_ns = 0;         // per step: all kernels, a sum over streams
  double fusible_share = 0;           // device time of fusible kernels / device time, steady steps
  std::int64_t saved_device_ns = 0;   // per step: device_ns - fused_ns
  std::int64_t saved_gap_ns = 0;  // per step: gaps between members, device-bound or replayed stretches only
  std::uint64_t kernels_removed = 0;  // per step
  // Device time of kernels that groups can't claim, said, never guessed: per step, of those in graph replays
  // with neither shapes nor geometry nor alike neighbours; of all fusible ones of the trace, where device
  // time per step is unknown.
  std::int64_t unclaimed_ns = 0;
};

FusionGroups find_groups(const profile::Profile& profile, const timeline::Timeline& timeline,
                         const KernelWork& work, const cost::Device& device);

}  // namespace foretell::whatif
