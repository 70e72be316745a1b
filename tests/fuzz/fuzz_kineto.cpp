// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes through the whole way of `foretell analyze`, strict and lenient. A finding is a
// crash, a leak, a document that differs between one parser thread and two, or a second of processor time per
// MB of text (a second at least: the sanitizer's own start-up is in it).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/all.hpp"
#include "reports/build_model.hpp"
#include "src/base/byte_source.hpp"

namespace {

using namespace foretell;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// What holds of every trace: busy + idle classes = step, none of them negative; self CPU + untraced = step.
void check_sums(const reports::TraceReport& report) {
  const timeline::Split& split = report.split;
  std::int64_t sum = split.busy_ns;
  bool holds = split.busy_ns >= 0;
  for (const std::int64_t ns : split.idle_ns) {
    sum += ns;
    holds = holds && ns >= 0;
  }
  holds = holds && (!split.known || sum == split.step_ns);
  for (const reports::ThreadRow& thread : report.threads) {
    holds = holds && thread.time.self_cpu_ns + thread.time.untraced_ns == report.steps.step_ns;
  }
  if (!holds) {
    std::fputs("the parts of a step do not add up to it\n", stderr);
    std::abort();
  }
}

// The report in every format, or the error's text. `text_bytes` is what was inflated.
std::string analyze(std::span<const char> bytes, bool lenient, unsigned threads, std::uint64_t& text_bytes) {
  const ingest::ReadOptions options{.lenient = lenient,
                                    .threads = threads,
                                    .max_text_bytes = std::uint64_t{32} << 20,
                                    .max_event_bytes = std::uint64_t{4} << 20,
                                    .max_table_bytes = std::uint64_t{256} << 20,
                                    .progress = {}};
  const auto source = open_memory(bytes);
  auto profile = ingest::load_trace(*source, options);
  if (!profile) {
    text_bytes = options.max_text_bytes;  // how much was read is not told
    return profile.error().where + profile.error().message + profile.error().hint;
  }
  text_bytes = profile->info.text_bytes;
  reports::ReportModel model;
  model.traces.push_back(
      {.path = "memory",
       .report = reports::build_trace_report(*profile, timeline::compute_timeline(*profile),
                                             cost::builtin_device_table(), {}),
       .error = std::nullopt});
  check_sums(*model.traces.front().report);
  std::string all;
  for (const reports::Renderer& renderer : reports::all_renderers()) {
    all += renderer.render(model, {});
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  const bool compressed = size > 1 && data[0] == 0x1F && data[1] == 0x8B;
  for (const bool lenient : {false, true}) {
    const double begin = cpu_seconds();
    std::uint64_t text_bytes = 0;
    const std::string report = analyze(bytes, lenient, 1, text_bytes);
    const double seconds = cpu_seconds() - begin;
    const auto limit = static_cast<double>(compressed ? text_bytes : size) / 1e6;
    if (seconds > std::max(1.0, limit)) {
      std::fprintf(stderr, "hang: %.2f s of processor time for %zu bytes\n", seconds, size);
      std::abort();
    }
    if (!lenient && size % 8 == 0 && analyze(bytes, lenient, 2, text_bytes) != report) {
      std::fputs("the report depends on the number of threads\n", stderr);
      std::abort();
    }
  }
  return 0;
}
