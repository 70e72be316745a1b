// SPDX-License-Identifier: Apache-2.0
// Host and device time per module of the model. Modules come from the recorded Python frames of their calls,
// or from the hierarchy recorded with an op; a backward op belongs to the module of its forward op.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

// A module instance at its place in the model. Its numbers are its own, without those of the modules inside.
struct Module {
  StringId name = StringId::Empty;         // with the frame's prefix; module_path() leaves it out
  std::uint32_t parent = profile::kNoRow;  // index of the enclosing module
  std::uint64_t calls = 0;       // frames; outermost ops where the hierarchy is recorded with the op
  std::int64_t self_cpu_ns = 0;  // of its operators, each moment once
  std::int64_t device_ns = 0;    // of the activities launched in it, graph replays included
  std::uint64_t kernels = 0;
  std::uint64_t launches = 0;
};

struct Modules {
  std::vector<Module> all;  // longest self_cpu + device first; empty: the trace names no modules
  // Index of `all` or kNoRow, per row of host_ops, api_calls and activities. Empty when `all` is.
  Column<std::uint32_t> module_of_op, module_of_call, module_of_activity;
};

Modules compute_modules(const profile::Profile& profile, const Links& links, const DurationAudit& audit);

// "ResNet_0/Sequential_1/Conv2d_4"; the outermost ones of a very deep nest are cut off.
std::string module_path(const profile::Profile& profile, const Modules& modules, std::uint32_t module);

}  // namespace foretell::timeline
