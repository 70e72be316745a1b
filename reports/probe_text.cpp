// SPDX-License-Identifier: Apache-2.0
#include "reports/probe_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "reports/run_text.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

std::string shown(double value, std::string_view unit) {
  if (unit == "bytes") {
    return format_bytes(static_cast<std::uint64_t>(value));
  }
  if (unit == "ns") {
    return value < 99.5 ? fmt::format("{:.3g} ns", value) : format_duration(std::llround(value));
  }
  return fmt::format("{:.3g} {}", value, unit);
}

std::string date(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min);
}

}  // namespace

void write_constant_table(TextWriter& out, const std::vector<ConstantRow>& constants) {
  out.line(
      fmt::format("  {:<24}{:>14}{:>14}{:>14}  {:<10}{:>7}", "", "low", "expected", "high", "", "samples"));
  for (const auto& [constant, samples] : constants) {
    out.line(fmt::format("  {:<24}{:>14}{:>14}{:>14}  {:<10}{:>7}", constant.name,
                         shown(constant.low, constant.unit), shown(constant.expected, constant.unit),
                         shown(constant.high, constant.unit), to_string(constant.provenance),
                         samples > 0 ? format_count(static_cast<std::uint64_t>(samples)) : std::string("-")));
  }
}

std::string render_probe_text(const ProbeModel& model, const RenderOptions& options) {
  TextWriter out(options.color);
  out.line(out.styled(Style::Bold, ellipsize(printable(model.machine.cpu_model), kColumns)));
  out.wrapped("  ", machine_line(model.machine));
  out.wrapped("  ",
              fmt::format("probed {} in {}{}", date(model.probed_at_s), format_duration(model.duration_ns),
                          model.file.empty() ? std::string(", kept nowhere")
                          : model.from_file  ? fmt::format(", read from {}", printable(model.file))
                                             : fmt::format(", kept in {}", printable(model.file))));
  out.heading("Constants", "10th, 50th and 90th percentile");
  write_constant_table(out, model.constants);
  return out.take();
}

}  // namespace foretell::reports
