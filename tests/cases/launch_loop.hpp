// SPDX-License-Identifier: Apache-2.0
// Traces told as stories: a host thread that issues work and a stream that runs it in order. A sketch that
// says "a kernel of 12 us every 10 us" becomes rows with times.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cases/trace_text.hpp"

namespace foretell::cases {

struct LoopTimes {
  std::int64_t latency_ns = 5'000;  // from the begin of a launch call to the start on an idle device
  std::int64_t call_ns = 4'000;     // a launch call holds the host so long
};

struct Work {
  std::int64_t duration_ns = 0;
  std::string name = "gemm";
  std::string args;  // more of them, as JSON text
};

class LaunchLoop {
 public:
  explicit LaunchLoop(TraceText& trace, const LoopTimes& times = {}) : trace_(trace), times_(times) {}

  [[nodiscard]] std::int64_t now_ns() const { return now_; }

  // The host goes on; nothing of it is recorded.
  LaunchLoop& pass(std::int64_t ns) {
    now_ += ns;
    return *this;
  }
  // The host is in an operator.
  LaunchLoop& work(std::int64_t ns, std::string_view op) {
    trace_.op({.ts = us(now_), .dur = us(ns), .name = std::string(op)});
    return pass(ns);
  }

  // One kernel. The host's clock stands: the sketch says when the next one is issued.
  LaunchLoop& launch(const Work& kernel) {
    const std::int64_t id = call("cudaLaunchKernel", times_.call_ns);
    return run(kernel, id, false);
  }
  LaunchLoop& launch_many(int count, const Work& kernel, std::int64_t every_ns) {
    for (int i = 0; i < count; ++i) {
      launch(kernel).pass(every_ns);
    }
    return *this;
  }
  // A copy that does not hold the host.
  LaunchLoop& copy(const Work& copy) {
    const std::int64_t id = call("cudaMemcpyAsync", times_.call_ns);
    return run(copy, id, true);
  }
  // A copy whose call lasts exactly as long as it does.
  LaunchLoop& blocking_copy(const Work& copy) {
    const std::int64_t id = ++correlation_;
    trace_.call({.ts = us(now_), .dur = us(copy.duration_ns), .correlation = id, .name = "cudaMemcpyAsync"});
    add(copy, id, now_, true);
    free_ = now_ + copy.duration_ns;
    return pass(copy.duration_ns);
  }
  // One replay: its work runs with `gap_ns` between. Those whose name begins with "Memcpy" are copies.
  LaunchLoop& replay(const std::vector<Work>& nodes, std::int64_t gap_ns, int graph = 2) {
    constexpr std::int64_t kGraphLaunchNs = 20'000;
    const std::int64_t id = call("cudaGraphLaunch", kGraphLaunchNs);
    std::int64_t start = std::max(now_ + times_.latency_ns, free_);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      Work with_ids = nodes[node];
      with_ids.args += fmt::format(R"({}"graph id": {}, "graph node id": {})",
                                   with_ids.args.empty() ? "" : ", ", graph, node);
      add(with_ids, id, start, with_ids.name.starts_with("Memcpy"));
      free_ = start + with_ids.duration_ns;
      start = free_ + gap_ns;
    }
    return *this;
  }

  // The host waits until the device is done, and returns so much later.
  LaunchLoop& wait(std::int64_t return_ns = 0, std::string_view name = "cudaStreamSynchronize") {
    const std::int64_t until = std::max(now_, free_) + return_ns;
    call(name, until - now_);
    now_ = until;
    return *this;
  }

  // A step lasts until both host and device are done; `marked`: the profiler says so.
  LaunchLoop& end_step(bool marked = true) {
    now_ = std::max(now_, free_);
    if (!marked) {
      return *this;
    }
    trace_.annotation({.ts = us(step_begin_),
                       .dur = us(now_ - step_begin_),
                       .name = fmt::format("ProfilerStep#{}", ++step_)});
    step_begin_ = now_;
    return *this;
  }

 private:
  std::int64_t call(std::string_view name, std::int64_t duration_ns) {
    trace_.call(
        {.ts = us(now_), .dur = us(duration_ns), .correlation = ++correlation_, .name = std::string(name)});
    return correlation_;
  }
  LaunchLoop& run(const Work& work, std::int64_t id, bool is_copy) {
    const std::int64_t start = std::max(now_ + times_.latency_ns, free_);
    add(work, id, start, is_copy);
    free_ = start + work.duration_ns;
    return *this;
  }
  void add(const Work& work, std::int64_t id, std::int64_t start_ns, bool is_copy) {
    const DeviceRow row{.ts = us(start_ns),
                        .dur = us(work.duration_ns),
                        .correlation = id,
                        .name = work.name,
                        .args = work.args};
    is_copy ? trace_.memcpy(row) : trace_.kernel(row);
  }

  TraceText& trace_;
  LoopTimes times_;
  std::int64_t now_ = 0;
  std::int64_t free_ = 0;  // when the stream is done
  std::int64_t step_begin_ = 0;
  std::int64_t correlation_ = 0;
  int step_ = 0;
};

// A45: launches and waits of one thread add up to much beside a step that another thread's work fills.
inline constexpr int kA45Launches = 1'490;
inline TraceText api_time_beside_the_step() {
  TraceText trace;
  trace.annotation({.ts = "0", .dur = "196000", .name = "ProfilerStep#1", .tid = 1})
      .op({.ts = "1000", .dur = "190000", .name = "cpu_tier", .tid = 2});
  for (int i = 0; i < kA45Launches; ++i) {
    trace.call({.ts = us(i * 100'000), .dur = "20", .correlation = i + 1, .tid = 1});
    trace.kernel(
        {.ts = us(i * 100'000 + 30'000), .dur = i + 1 < kA45Launches ? "40" : "440", .correlation = i + 1});
  }
  for (int i = 0; i < 240; ++i) {
    trace.call({.ts = us(150'000'000 + i * 190'000),
                .dur = "100",
                .correlation = 10'000 + i,
                .name = "cudaStreamSynchronize",
                .tid = 1});
  }
  return trace;
}

}  // namespace foretell::cases
