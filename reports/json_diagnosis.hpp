// SPDX-License-Identifier: Apache-2.0
// The diagnosis as JSON; reports/schema/analyze.schema.json describes every key.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/report_model.hpp"

namespace foretell::reports {

nlohmann::ordered_json step_json(const TraceReport& report);
nlohmann::ordered_json ops_json(const TraceReport& report);
nlohmann::ordered_json modules_json(const TraceReport& report);
nlohmann::ordered_json threads_json(const TraceReport& report);
nlohmann::ordered_json kernel_classes_json(const TraceReport& report);
nlohmann::ordered_json groups_json(const TraceReport& report);
nlohmann::ordered_json checks_json(const TraceReport& report);

}  // namespace foretell::reports
