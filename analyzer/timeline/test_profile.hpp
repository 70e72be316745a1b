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
    ops.start_ns.push_back(start);
    ops.duration_ns.push_back(duration);
    ops.external_id.push_back(external_id);
    ops.name.push_back(intern(name));
    ops.thread.push_back(thread());
    ops.detail.push_back(profile::kNoRow);
    ops.kind.push_back(kind);
    ops.from_begin_end.push_back(false);
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
    calls.start_ns.push_back(start);
    calls.duration_ns.push_back(duration);
    calls.correlation.push_back(correlation);
    calls.external_id.push_back(external_id);
    calls.name.push_back(intern(name));
    calls.thread.push_back(thread());
    calls.kind.push_back(kind);
    builder_.cover(start, start + duration);
    return *this;
  }
  TestProfile& kernel(std::int64_t start, std::int64_t duration, std::int64_t correlation,
                      std::string_view name = "gemm", std::int64_t stream = 7,
                      profile::ActivityKind kind = profile::ActivityKind::Kernel) {
    profile::DeviceActivities& rows = builder_.profile().activities;
    rows.start_ns.push_back(start);
    rows.duration_ns.push_back(duration);
    rows.correlation.push_back(correlation);
    rows.external_id.push_back(profile::kNoId);
    rows.graph_id.push_back(profile::kNoId);
    rows.graph_node_id.push_back(profile::kNoId);
    rows.bytes.push_back(-1);
    rows.name.push_back(intern(name));
    rows.stream.push_back(builder_.stream(0, stream));
    rows.launch.push_back(profile::kNoRow);
    rows.kind.push_back(kind);
    rows.timed.push_back(true);
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
