// SPDX-License-Identifier: Apache-2.0
// Values that a unit keeps for later walks instead of computing them again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fusion-engine/codegen/lower_emitter.hpp"
#include "fusion-engine/codegen/lower_reduction_cut.hpp"

namespace foretell::codegen {

struct KeptValue {
  ir::NodeId value{};
  int walk = 0;  // the first that needs it
};

class KeptValues {
 public:
  // Chooses those that cost more than reading them back, and that a later walk needs itself (not only through
  // others that are kept). None if all together would not stay in a private cache, or if the cut leaves
  // nothing to keep them for.
  KeptValues(Emitter& emitter, const ReductionCut& cut);

  // Inside the walk's loops: computes and stores those that it needs first; later walks read them.
  void keep(int walk);
  // "exp0, sub1"; empty if none.
  std::string names(int walk) const;

 private:
  std::int64_t elements() const;
  ir::loop::Place place() const;

  Emitter& emitter_;
  const ReductionCut& cut_;
  std::vector<KeptValue> kept_;
};

}  // namespace foretell::codegen
