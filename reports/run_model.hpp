// SPDX-License-Identifier: Apache-2.0
// What `foretell run` and `foretell probe` say, as typed values, before any format. Renderers only format.
// What is not known is absent, never zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "reports/memory_picture.hpp"
#include "src/base/result.hpp"

namespace foretell::reports {

// The machine as the executors use it.
struct MachineRow {
  std::string cpu_model;
  std::string kernel;  // of the operating system: release
  std::string instruction_set;
  std::int64_t cores = 0;
  std::int64_t team = 0;  // workers of the stream
  bool sync = false;      // one lane: the host thread does the work itself
  bool pinned = false;    // each thread is bound to a core; where there are fewer they share
  std::int64_t l1_bytes = 0, l2_bytes = 0, last_level_bytes = 0;
  std::string compiler;  // first line of its --version; empty: none was needed
};

struct ConstantRow {
  cost::Constant constant;
  std::int64_t samples = 0;
};

struct ParameterRow {
  std::string name;   // as the option
  std::string key;    // with its unit, as JSON writes it
  std::string shown;  // for people
  std::variant<std::int64_t, std::vector<std::int64_t>, std::string> value;
};

struct Interval {
  double low = 0;
  double high = 0;
};

// Medians over the samples that were kept, with 95 % confidence.
struct MeasuredRow {
  std::int64_t median_ns = 0;
  Interval ci_ns;
  std::int64_t samples = 0;
  std::int64_t rejected = 0;
  // Eager median over this one's, from interleaved samples; 1 for eager itself; absent without eager.
  std::optional<double> speedup;
  std::optional<Interval> speedup_ci;
  // Median of the host's part: until all of a step is enqueued, without waiting. Absent in the one-lane form,
  // where the host does all of it.
  std::optional<std::int64_t> host_ns;
};

// Of one step.
struct CounterRow {
  std::int64_t dispatches = 0, launches = 0, allocations = 0, system_allocations = 0;
  std::int64_t replayed = 0;  // commands within replays, each of which is one launch a segment
  std::int64_t bytes_read = 0, bytes_written = 0, bytes_converted = 0;

  [[nodiscard]] std::int64_t bytes() const { return bytes_read + bytes_written; }
};

// Of one step of several, where states go on from step to step.
struct StepDriftRow {
  std::int64_t step = 0;  // the first is 1
  double max_relative = 0, mean_relative = 0;
};

// Against the reference in double precision.
struct DriftRow {
  std::string measured_at;  // "size 1.00 MiB" where a smaller instance stands for the whole; empty: the whole
  std::int64_t elements = 0;
  double max_relative = 0, mean_relative = 0, max_ulp = 0;
  std::vector<double> ulp_edges;            // upper edges of the histogram's bins but the last
  std::vector<std::int64_t> ulp_histogram;  // one more
  std::int64_t nonfinite_mismatches = 0;
  // The op whose result is farthest off, given the operands it got; empty: not looked for. Only of variants
  // that run ops one by one: fused kernels give no result of a single op.
  std::string worst_op;
  double worst_op_relative = 0;
  // Steps 1, 2, 4, ...: the reference goes its own way, its states rounded to their dtype. Empty: no states.
  std::vector<StepDriftRow> over_steps;
};

// One thing that could fill a variant's time.
struct BoundTerm {
  std::string_view name;  // "launch", "traffic", "compute"
  double time_ns = 0;
};

// What limits a variant, from the probe's constants.
struct BoundRow {
  std::string_view binds;  // "launch", "traffic", "compute", "unknown"
  // Of the memory its ops work in: "L1", "L2", "last-level cache", "DRAM"; may be empty.
  std::string_view level;
  std::vector<BoundTerm> terms;  // the largest first; one that no constant is known for is not there
  double explained_share = 0;    // the largest term / the measured median
  std::string sentence;
};

struct CompileRow {
  std::int64_t pass_ns = 0, codegen_ns = 0, compile_ns = 0;
  std::int64_t library_ns = 0;  // hashing, cache, compiling, loading
  std::int64_t total_ns = 0;    // passes, codegen and library
  std::int64_t kernels = 0;
  bool from_cache = false;
  bool rebuilt_corrupt = false;
  // Absent where the variant is no faster, and where its kernels came from the cache: what compiling them
  // took is not known then.
  std::optional<std::int64_t> break_even_steps;
};

// Of one step's intermediates, in one arena. Sizes are rounded up to the alignment.
struct MemoryRow {
  std::int64_t arena_bytes = 0;
  std::int64_t max_live_bytes = 0;    // of the order that was chosen: no arena can be smaller
  std::int64_t given_peak_bytes = 0;  // of the steps as given: of `planned` what eager execution needs
  std::string order;                  // how steps are ordered: "given", "least-peak-first", ...
};

struct VariantRow {
  std::string name;
  std::optional<MeasuredRow> measured;
  CounterRow counters;
  std::optional<double> achieved_gbps;  // its bytes over its median
  std::optional<double> share_of_copy;  // that over the best copy's of this session; absent without copies
  std::optional<DriftRow> drift;
  std::optional<BoundRow> bound;
  std::optional<CompileRow> compile;
  std::optional<MemoryRow> memory;              // absent: its memory is not planned
  std::optional<MemoryPicture> memory_picture;  // with it, if it was asked for
  std::string error;                            // why it was not measured; empty if it was
};

struct RunOpRow {
  std::string variant;
  std::string name;
  std::int64_t calls = 0;
  std::int64_t device_ns = 0, host_ns = 0, bytes = 0;  // sums of one step, with a time stamp between ops
};

struct RunGroupRow {
  std::string name;              // "fused0"
  std::vector<std::string> ops;  // in order
  std::string space;             // "[1024,256], reduced over axes 1"
  std::int64_t bytes_before = 0, bytes_after = 0, flops = 0;
};

// What keeps a step from being one replay.
struct RunBlockerRow {
  std::string op, where;                // "host_read", "block: %12"
  std::optional<std::int64_t> cost_ns;  // a wait and a new submission, as probed
  std::string remedy;
};

struct RefusalRow {
  std::string reason;  // an id
  std::string sentence;
};

enum class MeasuringVerdict : std::uint8_t { Complete, Partial, Unusable };
std::string_view to_string(MeasuringVerdict verdict);  // "complete", "partial", "unusable"

// Which samples were kept.
struct MeasuringRow {
  MeasuringVerdict verdict = MeasuringVerdict::Complete;  // unusable: the machine was busy
  std::vector<std::string> reasons;
  std::int64_t rounds = 0;    // in each, every variant once
  std::int64_t rejected = 0;  // rounds or samples that something disturbed
  std::int64_t attempts = 1;
};

struct RunReport {
  std::string workload;
  std::vector<ParameterRow> parameters;
  MachineRow machine;
  MeasuringRow measuring;
  std::optional<std::int64_t> step_ns;  // median of the first variant that was measured
  std::vector<VariantRow> variants;
  std::vector<RunOpRow> ops;
  std::vector<RunGroupRow> groups;
  std::vector<RefusalRow> refusals;
  std::vector<RunBlockerRow> blockers;
  std::vector<ConstantRow> constants;  // probed, and the copies measured in this session
  std::optional<double> ceiling;       // bytes of eager / bytes of fused
  std::string binds;                   // what binds eager; as in BoundRow
  std::array<std::string, 3> sentences;
  std::vector<std::string> notes;
  std::string error;  // why nothing of it was run, beside its name there is nothing then; empty: it was
};

// One run, or one of each of several workloads.
struct RunModel {
  std::vector<RunReport> runs;
};

struct ProbeModel {
  MachineRow machine;
  std::vector<ConstantRow> constants;
  std::int64_t probed_at_s = 0;
  std::int64_t duration_ns = 0;
  std::int64_t samples = 0;   // taken
  std::int64_t rejected = 0;  // of them: something disturbed them
  bool busy = false;          // too many were: they stand in for others, and nothing is kept
  std::string file;           // where it is kept; empty: nowhere
  bool from_file = false;     // not probed now
};

}  // namespace foretell::reports
