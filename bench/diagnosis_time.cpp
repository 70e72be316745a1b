// SPDX-License-Identifier: Apache-2.0
// Time of the diagnosis against that of reading: `diagnosis_time TRACE [REPEATS]`. Prints medians in seconds
// of reading the trace into tables, of the timeline, and of the checks and the report, and the ratio of the
// latter two to the first.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/build_model.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  using namespace foretell;
  const int repeats = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 3;
  std::vector<double> read;
  std::vector<double> timeline_s;
  std::vector<double> diagnosis;
  for (int i = 0; i < repeats && argc > 1; ++i) {
    auto start = Clock::now();
    const auto profile = ingest::load_trace(argv[1], {});
    if (!profile) {
      std::fprintf(stderr, "diagnosis_time: %s\n", profile.error().message.c_str());
      return 3;
    }
    read.push_back(seconds_since(start));
    start = Clock::now();
    timeline::Timeline timeline = timeline::compute_timeline(*profile);
    timeline_s.push_back(seconds_since(start));
    start = Clock::now();
    const reports::TraceReport report =
        reports::build_trace_report(*profile, std::move(timeline), cost::builtin_device_table(), {});
    diagnosis.push_back(seconds_since(start));
    if (report.checks.empty()) {
      return 70;
    }
  }
  if (read.empty()) {
    std::fprintf(stderr, "usage: diagnosis_time TRACE [REPEATS]\n");
    return 2;
  }
  std::printf("read %.3f s, timeline %.3f s, checks and report %.3f s: ratio %.3f\n", median(read),
              median(timeline_s), median(diagnosis), (median(timeline_s) + median(diagnosis)) / median(read));
  return 0;
}
