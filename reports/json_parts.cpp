// SPDX-License-Identifier: Apache-2.0
#include "reports/json_parts.hpp"

#include "reports/json_renderer.hpp"
#include "src/base/version.hpp"

namespace foretell::reports {

using Json = nlohmann::ordered_json;

Json header_json() {
  return {{"schema_version", kJsonSchemaVersion}, {"tool", {{"name", "foretell"}, {"version", version()}}}};
}

std::string write_json(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace foretell::reports
