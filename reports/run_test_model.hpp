// SPDX-License-Identifier: Apache-2.0
// A run with every part filled, for the renderers' tests.
#pragma once

#include "reports/run_model.hpp"

namespace foretell::reports {

inline RunReport test_run() {
  RunReport run;
  run.workload = "chain";
  run.parameters = {{"ops", "ops", "3", std::int64_t{3}},
                    {"size", "size_bytes", "64.0 MiB", std::int64_t{64 << 20}},
                    {"dtype", "dtype", "f32", std::string("f32")}};
  run.machine = {.cpu_model = "Test CPU",
                 .kernel = "6.1",
                 .instruction_set = "avx2",
                 .cores = 2,
                 .team = 1,
                 .sync = false,
                 .pinned = true,
                 .l1_bytes = 48 << 10,
                 .l2_bytes = 2 << 20,
                 .last_level_bytes = 32 << 20,
                 .compiler = "c++ 12"};
  run.measuring = {
      .verdict = MeasuringVerdict::Complete, .reasons = {}, .rounds = 52, .rejected = 2, .attempts = 1};
  run.step_ns = 36'000'000;
  VariantRow eager;
  eager.name = "eager";
  eager.measured = MeasuredRow{.median_ns = 36'000'000,
                               .ci_ns = {35'900'000, 36'200'000},
                               .samples = 50,
                               .rejected = 2,
                               .speedup = 1.0,
                               .speedup_ci = std::nullopt,
                               .host_ns = 1'200};
  eager.counters = {.dispatches = 3,
                    .launches = 3,
                    .allocations = 3,
                    .system_allocations = 0,
                    .bytes_read = 192 << 20,
                    .bytes_written = 192 << 20,
                    .bytes_converted = 0};
  eager.achieved_gbps = 11.2;
  eager.share_of_copy = 0.97;
  eager.drift = DriftRow{.measured_at = "size 1.00 MiB",
                         .elements = 262144,
                         .max_relative = 5.9e-8,
                         .mean_relative = 1e-8,
                         .max_ulp = 0.5,
                         .ulp_edges = {0.5, 1},
                         .ulp_histogram = {262144, 0, 0},
                         .nonfinite_mismatches = 0,
                         .worst_op = "mul",
                         .worst_op_relative = 5.9e-8};
  eager.bound = BoundRow{.binds = "traffic",
                         .level = "DRAM",
                         .terms = {{"launch", 1'200}, {"traffic", 35'000'000}, {"compute", 100'000}},
                         .explained_share = 0.97,
                         .sentence = "memory traffic binds"};
  VariantRow fused = eager;
  fused.name = "fused";
  fused.drift->worst_op.clear();
  fused.measured->median_ns = 12'500'000;
  fused.measured->speedup = 2.88;
  fused.measured->speedup_ci = Interval{2.8, 2.95};
  fused.compile = CompileRow{.pass_ns = 20'000,
                             .codegen_ns = 80'000,
                             .compile_ns = 400'000'000,
                             .library_ns = 400'900'000,
                             .total_ns = 401'000'000,
                             .kernels = 1,
                             .from_cache = false,
                             .rebuilt_corrupt = false,
                             .break_even_steps = 18};
  fused.memory = MemoryRow{.arena_bytes = 20 << 20,
                           .max_live_bytes = 19 << 20,
                           .given_peak_bytes = 40 << 20,
                           .order = "least-peak-first"};
  run.variants = {eager, fused};
  run.ops = {{.variant = "eager",
              .name = "add",
              .calls = 1,
              .device_ns = 12'000'000,
              .host_ns = 400,
              .bytes = 128 << 20}};
  run.groups = {{.name = "fused0",
                 .ops = {"add", "mul", "relu"},
                 .space = "[16777216]",
                 .bytes_before = 384 << 20,
                 .bytes_after = 128 << 20,
                 .flops = 50331648}};
  run.refusals = {{.reason = "library-op", .sentence = "matmul is the library's"}};
  run.blockers = {{.op = "host_read", .where = "chain: %7", .cost_ns = 900, .remedy = "read it later"}};
  run.constants = {{{"dispatch_ns", "ns", 300, 310, 330, Provenance::Probed, "a test"}, 100}};
  run.ceiling = 3.0;
  run.binds = "traffic";
  run.sentences = {"fused is faster", "memory binds", "50 rounds"};
  run.notes = {"a note"};
  return run;
}

}  // namespace foretell::reports
