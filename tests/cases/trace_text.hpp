// SPDX-License-Identifier: Apache-2.0
// Small traces as literal JSON text, and one call that reads and analyses them. Times are text, in
// microseconds as a trace has them, so that nothing passes through floating point on its way into the reader.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/checks/check.hpp"
#include "analyzer/checks/diagnosis.hpp"
#include "analyzer/cost/constants_file.hpp"
#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/all.hpp"
#include "reports/build_model.hpp"
#include "src/base/byte_source.hpp"

namespace foretell::cases {

// Nanoseconds as the microseconds of a trace: 1500 -> "1.500".
inline std::string us(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

// Device lists, for object(); what is recorded of a device is measured, the rest comes from the device table.
inline constexpr std::string_view kH100 =
    R"("deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936, )"
    R"("computeMajor": 9, "computeMinor": 0, "numSms": 132, "warpSize": 32}],)";
inline constexpr std::string_view kV100 =
    R"("deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 16945512448, )"
    R"("computeMajor": 7, "computeMinor": 0, "numSms": 80, "warpSize": 32}],)";

// One row of each kind. An id left out is not written.
struct DeviceRow {
  std::string ts, dur;
  std::optional<std::int64_t> correlation;
  int stream = 7;
  std::string name = "gemm";
  std::string args;  // more of them, as JSON text: R"("graph id": 2)"
};
struct CallRow {
  std::string ts, dur;
  std::optional<std::int64_t> correlation;
  std::string name = "cudaLaunchKernel";
  std::optional<std::int64_t> external_id;
  int tid = 1;
};
struct HostRow {
  std::string ts, dur;
  std::string name = "aten::mul";
  std::optional<std::int64_t> external_id;
  int tid = 1;
};

class TraceText {
 public:
  TraceText& add(std::string_view event) {
    events_ += events_.empty() ? "\n" : ",\n";
    events_ += event;
    return *this;
  }

  TraceText& kernel(const DeviceRow& row) { return device("kernel", row); }
  TraceText& memcpy(const DeviceRow& row) { return device("gpu_memcpy", row); }
  TraceText& sync(const DeviceRow& row) { return device("cuda_sync", row); }
  TraceText& call(const CallRow& row) { return api("cuda_runtime", row); }
  TraceText& driver_call(const CallRow& row) { return api("cuda_driver", row); }
  TraceText& op(const HostRow& row) { return host("cpu_op", row); }
  TraceText& annotation(const HostRow& row) { return host("user_annotation", row); }
  TraceText& python(const HostRow& row) { return host("python_function", row); }
  TraceText& overhead(const HostRow& row) { return host("overhead", row); }

  // The two forms of a file; `before` and `after` are more keys of the object, each with its comma.
  [[nodiscard]] std::string array() const { return "[" + events_ + "\n]\n"; }
  [[nodiscard]] std::string object(std::string_view before = "", std::string_view after = "") const {
    return fmt::format("{{\"schemaVersion\": 1,{} \"traceEvents\": [{}\n]{}}}\n", before, events_, after);
  }

 private:
  static void append_id(std::string& args, std::string_view key, const std::optional<std::int64_t>& id) {
    if (id) {
      args += fmt::format("{}\"{}\": {}", args.empty() ? "" : ", ", key, *id);
    }
  }

  TraceText& device(std::string_view category, const DeviceRow& row) {
    std::string args = fmt::format("\"device\": 0, \"stream\": {}", row.stream);
    append_id(args, "correlation", row.correlation);
    args += row.args.empty() ? "" : ", " + row.args;
    return add(
        fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": {}, "ts": {}, "dur": {}, )"
                    R"("args": {{{}}}}})",
                    category, row.name, row.stream, row.ts, row.dur, args));
  }
  TraceText& api(std::string_view category, const CallRow& row) {
    std::string args;
    append_id(args, "correlation", row.correlation);
    append_id(args, "External id", row.external_id);
    return on_host(category, row.name, row.tid, row.ts, row.dur, args);
  }
  TraceText& host(std::string_view category, const HostRow& row) {
    std::string args;
    append_id(args, "External id", row.external_id);
    return on_host(category, row.name, row.tid, row.ts, row.dur, args);
  }
  TraceText& on_host(std::string_view category, std::string_view name, int tid, std::string_view ts,
                     std::string_view dur, std::string_view args) {
    return add(
        fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 42, "tid": {}, "ts": {}, "dur": {}, )"
                    R"("args": {{{}}}}})",
                    category, name, tid, ts, dur, args));
  }

  std::string events_;
};

// What a trace can't hold, as the command line gives it.
struct Given {
  std::optional<std::int64_t> wall_ns = std::nullopt;
  std::optional<double> input_bytes = std::nullopt;
  std::vector<cost::Constant> constants = {};
};

// A constant that is exactly `value`.
inline cost::Constant constant(std::string name, double value) {
  return {.name = std::move(name),
          .unit = {},
          .low = value,
          .expected = value,
          .high = value,
          .provenance = Provenance::Measured,
          .source = "the case"};
}

// What the whole reading path makes of a text.
struct Analysis {
  profile::Profile profile;
  timeline::Timeline timeline;
  reports::TraceReport trace_report;  // with the diagnosis, as the program makes it

  [[nodiscard]] std::uint64_t count(profile::Stat stat) const { return profile.stats[stat]; }
  [[nodiscard]] const timeline::Facts& facts() const { return timeline.facts; }
  [[nodiscard]] timeline::Verdict verdict() const { return timeline.integrity.verdict; }

  // Is `fragment` part of what the reader is told? Case does not matter.
  [[nodiscard]] testing::AssertionResult says(std::string_view fragment) const {
    const auto contains = [&](const std::string& sentence) {
      const auto equal = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
      };
      return !std::ranges::search(sentence, fragment, equal).empty();
    };
    const bool said_so = std::ranges::any_of(timeline.integrity.reasons, contains) ||
                         std::ranges::any_of(timeline.integrity.notes, contains);
    return (said_so ? testing::AssertionSuccess() : testing::AssertionFailure())
           << "looked for: " << fragment << "\nsaid:" << said();
  }
  [[nodiscard]] std::string said() const {
    std::string all;
    for (const std::string& reason : timeline.integrity.reasons) {
      all += fmt::format("\n  reason: {}", reason);
    }
    for (const std::string& note : timeline.integrity.notes) {
      all += fmt::format("\n  note: {}", note);
    }
    return all;
  }

  // What a check found; an empty finding where there is no such check.
  [[nodiscard]] const checks::Finding& finding(std::string_view id) const {
    static const checks::Finding kNone;
    for (const checks::CheckResult& result : trace_report.checks) {
      if (result.check->id == id) {
        return result.finding;
      }
    }
    ADD_FAILURE() << "no check " << id;
    return kNone;
  }
  [[nodiscard]] std::string_view binds() const { return trace_report.binds; }
  [[nodiscard]] checks::Verdict verdict_on(std::string_view id) const { return finding(id).verdict; }
  [[nodiscard]] double ceiling(std::string_view id) const {
    const std::optional<double> ceiling = finding(id).ceiling;
    if (!ceiling) {
      ADD_FAILURE() << id << " gives no ceiling: " << finding(id).reason;
    }
    return ceiling.value_or(0);
  }
  [[nodiscard]] double evidence(std::string_view id, std::string_view name) const {
    for (const checks::Quantity& quantity : finding(id).evidence) {
      if (quantity.name == name) {
        return quantity.value;
      }
    }
    ADD_FAILURE() << id << " rests on no " << name;
    return 0;
  }
  [[nodiscard]] std::int64_t idle_ns(timeline::IdleClass idle_class) const {
    return of(timeline.split.idle_ns, idle_class);
  }
  [[nodiscard]] double busy_share() const {
    return static_cast<double>(timeline.split.busy_ns) / static_cast<double>(timeline.split.step_ns);
  }

  // Busy and idle classes together are the step, to the nanosecond: of every step, and of the typical one.
  [[nodiscard]] testing::AssertionResult split_adds_up() const {
    const timeline::Split& split = timeline.split;
    const auto sum = [](const auto& parts) {
      return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    };
    const auto negative = [](std::int64_t ns) { return ns < 0; };
    for (std::size_t i = 0; i < split.steps.size(); ++i) {
      const timeline::StepSplit& step = split.steps[i];
      if (sum(step.busy_ns) + sum(step.idle_ns) != step.end_ns - step.begin_ns ||
          std::ranges::any_of(step.busy_ns, negative) || std::ranges::any_of(step.idle_ns, negative)) {
        return testing::AssertionFailure() << "step " << i << ": busy " << sum(step.busy_ns) << " + idle "
                                           << sum(step.idle_ns) << ", lasts " << step.end_ns - step.begin_ns;
      }
    }
    if (split.known && (sum(split.busy) != split.busy_ns || std::ranges::any_of(split.idle_ns, negative) ||
                        split.busy_ns + sum(split.idle_ns) != split.step_ns)) {
      return testing::AssertionFailure() << "busy " << split.busy_ns << " (classes " << sum(split.busy)
                                         << ") + idle " << sum(split.idle_ns) << ", step " << split.step_ns;
    }
    return testing::AssertionSuccess();
  }

  // All that is said about where the time goes, for the message of a failing test.
  [[nodiscard]] std::string diagnosed() const {
    std::string all = fmt::format("binds {}", binds());
    for (const std::string& sentence : trace_report.sentences) {
      all += "\n  " + sentence;
    }
    for (const checks::CheckResult& result : trace_report.checks) {
      all += fmt::format("\n  {} {} {:.3f}: {}", result.check->id, checks::to_string(result.finding.verdict),
                         result.finding.ceiling.value_or(0), result.finding.reason);
    }
    all += fmt::format("\n  step {} busy {}", timeline.split.step_ns, timeline.split.busy_ns);
    for (std::size_t i = 0; i < timeline::kIdleClasses; ++i) {
      const auto idle_class = static_cast<timeline::IdleClass>(i);
      if (idle_ns(idle_class) != 0) {
        all += fmt::format(" {} {}", timeline::to_string(idle_class), idle_ns(idle_class));
      }
    }
    return all + "\n";
  }

  // The text report, its line breaks and columns folded to single spaces.
  [[nodiscard]] std::string report() const {
    reports::ReportModel model;
    model.traces.push_back({.path = "memory", .report = trace_report, .error = std::nullopt});
    std::string folded;
    for (const char c : reports::all_renderers().front().render(model, {})) {
      const bool space = c == ' ' || c == '\n';
      if (!space || (!folded.empty() && folded.back() != ' ')) {
        folded += space ? ' ' : c;
      }
    }
    return folded;
  }

  // The row of an op or a kernel by its name; the first where there are several.
  [[nodiscard]] std::uint32_t op_row(std::string_view name) const {
    return row_of(profile.host_ops.name, name);
  }
  [[nodiscard]] std::uint32_t activity_row(std::string_view name) const {
    return row_of(profile.activities.name, name);
  }
  // All of one op name; zeros where there is none.
  [[nodiscard]] timeline::OpTime op_time(std::string_view name) const {
    for (const timeline::OpTime& time : timeline.ops.by_name) {
      if (profile.text(time.name) == name) {
        return time;
      }
    }
    ADD_FAILURE() << "no op " << name;
    return {};
  }

 private:
  [[nodiscard]] std::uint32_t row_of(const Column<StringId>& names, std::string_view name) const {
    for (std::uint32_t row = 0; row < names.size(); ++row) {
      if (profile.text(names[row]) == name) {
        return row;
      }
    }
    ADD_FAILURE() << "no row named " << name;
    return profile::kNoRow;
  }
};

inline Result<profile::Profile> load(std::string_view text, const ingest::ReadOptions& options = {}) {
  const auto source = open_memory(text);
  return ingest::load_trace(*source, options);
}

inline Analysis analyze(Result<profile::Profile> loaded, const Given& given = {}) {
  if (!loaded) {
    ADD_FAILURE() << "refused: " << loaded.error().where << ": " << loaded.error().message;
    return {};
  }
  Analysis analysis{.profile = std::move(*loaded), .timeline = {}, .trace_report = {}};
  analysis.timeline = timeline::compute_timeline(analysis.profile, {.wall_ns = given.wall_ns});
  EXPECT_TRUE(analysis.split_adds_up());
  analysis.trace_report =
      reports::build_trace_report(analysis.profile, analysis.timeline, cost::builtin_device_table(),
                                  {.timeline = {.wall_ns = given.wall_ns},
                                   .input_bytes = given.input_bytes,
                                   .constants = cost::ConstantsFile{given.constants}});
  return analysis;
}

inline Analysis analyze(std::string_view text, const ingest::ReadOptions& options = {}) {
  return analyze(load(text, options));
}
inline Analysis analyze(std::string_view text, const Given& given) { return analyze(load(text), given); }

// The refusal of a text that must be refused.
inline Error refusal(std::string_view text, const ingest::ReadOptions& options = {}) {
  const auto loaded = load(text, options);
  EXPECT_FALSE(loaded.has_value()) << "was read, should be refused";
  return loaded ? Error{} : loaded.error();
}

}  // namespace foretell::cases
