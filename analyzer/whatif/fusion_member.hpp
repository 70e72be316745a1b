// SPDX-License-Identifier: Apache-2.0
// A kernel as a fusing compiler sees it: how large it is, and what it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/kernel_class.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "analyzer/whatif/kernel_extent.hpp"
#include "analyzer/whatif/kernel_traffic.hpp"
#include "analyzer/whatif/kernel_work.hpp"

namespace foretell::whatif {

struct FusionMember {
  std::uint32_t row = profile::kNoRow;  // of profile.activities
  std::uint32_t op = profile::kNoRow;   // that launched it; kNoRow inside replays
  // Whose shapes are taken, as KernelWork does: kernels of one such op share its bytes.
  std::uint32_t shaped_op = profile::kNoRow;
  std::uint32_t call = profile::kNoRow;  // its launch
  StringId name = StringId::Empty;
  bool in_replay = false;
  bool evident = false;  // shapes or geometry are recorded
  // Updates of parameters: an optimizer's kernel, or an op that works in place within an optimizer's step.
  // What it writes outlives the step, and what it reads is the one before: fusion saves none of its bytes.
  bool lasting = false;
  timeline::KernelClass kernel_class = timeline::KernelClass::Unknown;
  Extent extent;
  double threads = 0;  // of the grid; 0: not recorded
  double bytes = 0;    // 0: unknown
  WorkSource source = WorkSource::None;
  TrafficSplit split;  // of the bytes
  std::int64_t start_ns = 0, end_ns = 0, duration_ns = 0;
};

// Remembers what equal names and equal shapes gave.
class FusionMemberReader {
 public:
  FusionMemberReader(const profile::Profile& profile, const timeline::Timeline& timeline,
                     const KernelWork& work);
  // `row` is a timed kernel.
  FusionMember read(std::uint32_t row);

 private:
  struct OpFacts {
    Extent extent;  // of the largest input, and what all broadcast to: a reduction counts with what it reads
    std::optional<TrafficSplit> split;
  };
  struct OpKey {
    StringId op, dims, types;
    friend bool operator==(const OpKey&, const OpKey&) = default;
  };
  struct OpKeyHash {
    std::size_t operator()(const OpKey& key) const;
  };
  const OpFacts& facts_of_op(std::uint32_t op);
  struct NameFacts {
    NameSplit split;
    ElementwiseTraits elementwise;
  };
  const NameFacts& facts_of_name(StringId name);
  void read_geometry(FusionMember& member, const ElementwiseTraits& traits) const;
  void read_shapes(FusionMember& member, const NameSplit& by_name);

  const profile::Profile& profile_;
  const timeline::Timeline& timeline_;
  const KernelWork& work_;
  std::vector<bool> in_optimizer_;  // by row of host_ops
  std::unordered_map<StringId, NameFacts> name_facts_;
  std::unordered_map<OpKey, OpFacts, OpKeyHash> op_facts_;
};

}  // namespace foretell::whatif
