// SPDX-License-Identifier: Apache-2.0
// Small traces as literal JSON text, and one call that reads and analyses them. Times are text, in
// microseconds as a trace has them, so that nothing passes through floating point on its way into the reader.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/all.hpp"
#include "reports/build_model.hpp"
#include "src/base/byte_source.hpp"

namespace foretell::cases {

// Nanoseconds as the microseconds of a trace: 1500 -> "1.500".
inline std::string us(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

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

// What the whole reading path makes of a text.
struct Analysis {
  profile::Profile profile;
  timeline::Timeline timeline;

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

  // The text report, its line breaks and columns folded to single spaces.
  [[nodiscard]] std::string report() const {
    reports::ReportModel model;
    model.traces.push_back(
        {.path = "memory",
         .report = reports::build_trace_report(profile, timeline, cost::builtin_device_table(), {}),
         .error = std::nullopt});
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

inline Analysis analyze(Result<profile::Profile> loaded) {
  if (!loaded) {
    ADD_FAILURE() << "refused: " << loaded.error().where << ": " << loaded.error().message;
    return {};
  }
  Analysis analysis{.profile = std::move(*loaded), .timeline = {}};
  analysis.timeline = timeline::compute_timeline(analysis.profile);
  return analysis;
}

inline Analysis analyze(std::string_view text, const ingest::ReadOptions& options = {}) {
  return analyze(load(text, options));
}

// The refusal of a text that must be refused.
inline Error refusal(std::string_view text, const ingest::ReadOptions& options = {}) {
  const auto loaded = load(text, options);
  EXPECT_FALSE(loaded.has_value()) << "was read, should be refused";
  return loaded ? Error{} : loaded.error();
}

}  // namespace foretell::cases
