// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/cost/constants_file.hpp"
#include "analyzer/cost/device_table.hpp"
#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/report_model.hpp"

namespace foretell::reports {

struct ReportOptions {
  timeline::TimelineOptions timeline;            // that the timeline was computed with
  std::optional<double> input_bytes;             // non-static inputs of a step
  std::optional<cost::ConstantsFile> constants;  // in place of those of the device table
};

// The report of one trace. `timeline` must be that of `profile`.
TraceReport build_trace_report(const profile::Profile& profile, timeline::Timeline timeline,
                               const cost::DeviceTable& devices, const ReportOptions& options);

}  // namespace foretell::reports
