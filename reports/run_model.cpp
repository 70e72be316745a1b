// SPDX-License-Identifier: Apache-2.0
#include "reports/run_model.hpp"

namespace foretell::reports {

std::string_view to_string(MeasuringVerdict verdict) {
  switch (verdict) {
    case MeasuringVerdict::Complete: return "complete";
    case MeasuringVerdict::Partial: return "partial";
    case MeasuringVerdict::Unusable: return "unusable";
  }
  return "unusable";
}

}  // namespace foretell::reports
