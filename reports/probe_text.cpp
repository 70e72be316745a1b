// SPDX-License-Identifier: Apache-2.0
#include "reports/probe_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "reports/quantity_text.hpp"
#include "reports/run_text.hpp"
#include "src/base/text.hpp"

namespace foretell::reports {
namespace {

std::string date(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min);
}

}  // namespace

void write_constants(TextWriter& out, const std::vector<ConstantRow>& constants) {
  const bool measured = std::ranges::any_of(
      constants, [](const ConstantRow& row) { return row.constant.provenance == Provenance::Measured; });
  out.heading("Constants");
  out.wrapped(
      "  ",
      fmt::format("low, expected and high of a probed one are the 10th, 50th and 90th percentile of its "
                  "samples{}; a derived one was computed from the caches' sizes",
                  measured ? ", of a measured one the median and its 95 % confidence interval" : ""));
  out.line(
      fmt::format("  {:<24}{:>14}{:>14}{:>14}  {:<10}{:>7}", "", "low", "expected", "high", "", "samples"));
  for (const auto& [constant, samples] : constants) {
    out.line(fmt::format(
        "  {:<24}{:>14}{:>14}{:>14}  {:<10}{:>7}", constant.name, value_text(constant.low, constant.unit),
        value_text(constant.expected, constant.unit), value_text(constant.high, constant.unit),
        to_string(constant.provenance), samples > 0 ? count_text(samples) : std::string("-")));
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
  out.wrapped("  ",
              fmt::format("{} samples, {} of them disturbed{}", count_text(model.samples),
                          count_text(model.rejected), model.busy ? ", used where others were wanting" : ""));
  write_constants(out, model.constants);
  return out.take();
}

}  // namespace foretell::reports
