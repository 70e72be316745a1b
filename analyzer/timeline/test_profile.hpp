// SPDX-License-Identifier: Apache-2.0
// Profiles of a few rows for the tests beside this file. Times in ns.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/profile/profile_builder.hpp"

namespace foretell::timeline {

class TestProfile {
 public:
  TestProfile& op(std::int64_t start, std::int64_t duration, std::string_view name,
                  std::int64_t external_id = -1, profile::HostOpKind kind = profile::HostOpKind::Operator) {
    profile::HostOps& ops = builder_.profile().host_ops;
    ops.append({.start_ns = start,
                .duration_ns = duration,
                .external_id = external_id,
                .name = intern(name),
                .thread = thread(),
                .kind = kind});
    builder_.cover(start, start + duration);
    return *this;
  }
  TestProfile& range(std::int64_t start, std::int64_t duration, std::string_view name) {
    return op(start, duration, name, -1, profile::HostOpKind::UserAnnotation);
  }
  TestProfile& step(std::int64_t start, std::int64_t duration, std::string_view name) {
    profile::StepMarkers& markers = builder_.profile().step_markers;
    markers.start_ns.push_back(start);
    markers.duration_ns.push_back(duration);
    markers.name.push_back(intern(name));
    markers.thread.push_back(thread());
    return range(start, duration, name);
  }
  TestProfile& compilation(std::int64_t start, std::int64_t duration) {
    profile::CompileEvents& events = builder_.profile().compile_events;
    events.start_ns.push_back(start);
    events.duration_ns.push_back(duration);
    events.name.push_back(intern("compile"));
    events.thread.push_back(thread());
    events.kind.push_back(profile::CompileKind::Compilation);
    return *this;
  }
  TestProfile& call(std::int64_t start, std::int64_t duration, std::int64_t correlation,
                    profile::ApiKind kind = profile::ApiKind::KernelLaunch, std::int64_t external_id = -1,
                    std::string_view name = "cudaLaunchKernel") {
    profile::ApiCalls& calls = builder_.profile().api_calls;
    calls.append({.start_ns = start,
                  .duration_ns = duration,
                  .correlation = correlation,
                  .external_id = external_id,
                  .name = intern(name),
                  .thread = thread(),
                  .kind = kind});
    builder_.cover(start, start + duration);
    return *this;
  }
  TestProfile& kernel(std::int64_t start, std::int64_t duration, std::int64_t correlation,
                      std::string_view name = "gemm", std::int64_t stream = 7,
                      profile::ActivityKind kind = profile::ActivityKind::Kernel) {
    profile::DeviceActivities& rows = builder_.profile().activities;
    rows.append({.start_ns = start,
                 .duration_ns = duration,
                 .correlation = correlation,
                 .name = intern(name),
                 .stream = builder_.stream(0, stream),
                 .kind = kind});
    builder_.cover(start, start + duration);
    return *this;
  }
  profile::Profile finish() { return builder_.finish(); }

 private:
  StringId intern(std::string_view text) { return builder_.profile().strings.intern(text); }
  std::uint32_t thread() { return builder_.thread({.number = 42}, {.number = 1}); }

  profile::ProfileBuilder builder_;
};

}  // namespace foretell::timeline
