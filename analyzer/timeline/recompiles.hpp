// SPDX-License-Identifier: Apache-2.0
// What a compiler did in the trace: compiled regions, guard look-ups, compilations that steady steps still
// pay for, and whether the shapes that cause them vary.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/per_step.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

struct CompileName {
  StringId name = StringId::Empty;
  profile::CompileKind kind = profile::CompileKind::CompiledRegion;
  StepSum count{};
};

struct Recompiles {
  // Outermost ones only: a compiled region holds another, a compilation its parts. Backward regions belong to
  // their forward ones and are left out.
  StepSum regions, lookups, compilations;
  // Distinct code objects among the regions, where their names number them ("Torch-Compiled Region: 2/0"):
  // more than one of a step means that the program left compiled code in between. 0: the names carry no
  // number.
  StepSum frames;
  StepSum lookup_ns, compile_ns;   // host time
  std::vector<CompileName> names;  // compilations first, then most often; every event counts here

  // Shapes, order and number of calls apart: which (op, input shapes) pairs a step holds.
  bool shapes_recorded = false;
  std::uint64_t shape_sets = 0;       // distinct ones over the steady steps that have ops with shapes
  std::vector<StringId> varying_ops;  // ops of every such step whose input shapes are not those of the others

  std::uint64_t kernels = 0;
  std::uint64_t compiler_kernels = 0;  // by name: made by Triton under Inductor
  double compiler_kernel_share = 0;    // of all kernels

  StepSum graph_launches;
  std::int64_t least_graph_launches = 0, most_graph_launches = 0;  // per steady step
};

Recompiles compute_recompiles(const profile::Profile& profile, const Steps& steps);

}  // namespace foretell::timeline
