// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/cost/device_table.hpp"
#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "reports/report_model.hpp"

namespace foretell::reports {

// The report of one trace. `timeline` must be that of `profile`.
TraceReport build_trace_report(const profile::Profile& profile, timeline::Timeline timeline,
                               const cost::DeviceTable& devices, const timeline::TimelineOptions& options);

}  // namespace foretell::reports
