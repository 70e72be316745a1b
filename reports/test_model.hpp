// SPDX-License-Identifier: Apache-2.0
// For tests: a report of which every part is filled, and one of a file that could not be read.
#pragma once

#include "reports/report_model.hpp"

namespace foretell::reports {

inline checks::CheckResult test_check() {
  static const checks::Check kCheck{"launch", "Launch bound?", "capture the step", "launch", nullptr};
  checks::Finding finding;
  finding.verdict = checks::Verdict::Binds;
  finding.reason = "the device waits 220 ns of the 500 ns step";
  finding.evidence = {{"launch_idle_ns", 220, Provenance::Derived}};
  finding.examples = {{.what = "aten::add",
                       .where = "train.py(42): step",
                       .id = "correlation 17",
                       .count = 3,
                       .time_ns = 200}};
  finding.ceiling = 1.79;
  finding.reasoning = {"Idle time before late launches counts."};
  return {&kCheck, finding};
}

inline TraceReport test_report() {
  TraceReport report;
  report.source = {.path = "decode.json.gz",
                   .format = "kineto",
                   .size_bytes = 1'000,
                   .text_bytes = 9'000,
                   .events = 12,
                   .resolution_ns = 1,
                   .base_time_ns = 1'700'000'000'000'000'000,
                   .rank = 3,
                   .world_size = 8};
  DeviceRow device{.id = 0, .recorded_name = "Some GPU", .listed = true, .work_records = 12, .match = {}};
  device.match.note = "not in the table";
  report.devices = {device};
  report.integrity = {.verdict = timeline::Verdict::Partial,
                      .reasons = {"sampled: counts can't be concluded"},
                      .notes = {"1 string repaired"},
                      .counters = {{"strings_repaired", 1}}};
  report.facts = {.kernels = 4,
                  .memcpys = 1,
                  .memsets = 1,
                  .cpu_ops = 2,
                  .launch_calls = 4,
                  .graph_launches = 1,
                  .steps = 2,
                  .kernel_sum_ns = 400,
                  .kernel_busy_ns = 300,
                  .device_busy_ns = 350,
                  .span_ns = 2'000,
                  .linked_share = 0.75,
                  .active_devices = 1};
  report.steps = {.kind = timeline::StepKind::ProfilerStep,
                  .all = {{.name = "ProfilerStep#1", .start_ns = 0, .duration_ns = 1'500, .warmup = true},
                          {.name = "ProfilerStep#2", .start_ns = 1'500, .duration_ns = 500, .busy_ns = 200}},
                  .steady = 1,
                  .step_ns = 500,
                  .busy_ns = 200};
  report.wall_ns = 450;
  report.launches = {
      .linked = 4, .delay_median_ns = 30, .call_sum_ns = 40, .call_median_ns = 10, .queue_max = 2};
  report.graphs = {.launches = 1, .kernels = 2, .kernels_per_replay = 2, .device_time_share = 0.5};
  report.clipped_kernel_sum_ns = 390;
  report.clipped_device_busy_ns = 340;
  report.profiler_overhead_ns = 7;
  report.ops = {
      {"aten::add",
       {.calls = 2, .total_ns = 60, .self_cpu_ns = 50, .device_ns = 400, .kernels = 4, .launches = 4},
       4'096}};
  report.split.known = true;
  report.split.steps = {{.begin_ns = 0, .end_ns = 1'500}, {.begin_ns = 1'500, .end_ns = 2'000}};
  report.split.step_ns = 500;
  report.split.busy_ns = 200;
  report.split.busy = {150, 30, 20};
  of(report.split.idle_ns, timeline::IdleClass::Launch) = 220;
  of(report.split.idle_ns, timeline::IdleClass::Sync) = 80;
  report.split.devices = {{.device = 0, .busy_ns = 200, .idle_ns = report.split.idle_ns}};
  report.split_devices = {0};
  report.modules = {{.path = "Model_0/Linear_1",
                     .calls = 2,
                     .self_cpu_ns = 40,
                     .device_ns = 300,
                     .kernels = 3,
                     .launches = 3,
                     .bytes = 2'048}};
  report.threads = {{"process 42, thread 43", {.self_cpu_ns = 450, .untraced_ns = 50, .launches = 4}}};
  report.kernel_classes = {{.kernel_class = timeline::KernelClass::Elementwise,
                            .activities = 4,
                            .device_ns = 400,
                            .share = 1.0,
                            .bytes = 4'096,
                            .bytes_source = whatif::WorkSource::Shapes,
                            .bytes_per_ns = 10.24,
                            .roof_share = 0.01}};
  report.groups = {{.kernels = {"mul_kernel", "add_kernel"},
                    .op = "aten::mul",
                    .per_step = 1,
                    .bytes_before = 4'096,
                    .bytes_after = 2'048,
                    .device_ns = 200,
                    .fused_ns = 100,
                    .boundary = whatif::Boundary::L2,
                    .bytes_source = whatif::WorkSource::Geometry}};
  report.checks = {test_check()};
  report.communicators = {{"18446744073709551617", 2}};
  report.constants = {
      {"dram_achievable_gbps", "GB/s", 900, 1'000, 1'100, Provenance::Assumed, "device table"}};
  report.sentences = {"What it holds.", "Whether to trust it.", "What a step is."};
  report.binds = "unknown";
  return report;
}

inline TraceOutcome test_trace() {
  return {.path = "decode.json.gz", .report = test_report(), .error = std::nullopt};
}

inline TraceOutcome test_unread() {
  return {.path = "nowhere.json",
          .report = std::nullopt,
          .error = Error{ErrorCode::BadInput, "nowhere.json", "no such file", "look elsewhere"}};
}

}  // namespace foretell::reports
