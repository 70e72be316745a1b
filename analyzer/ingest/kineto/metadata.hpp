// SPDX-License-Identifier: Apache-2.0
// The top-level keys that are used. All others are ignored: they may hold what must not be shown.
#pragma once

#include <string_view>

#include "analyzer/profile/profile_builder.hpp"

namespace foretell::ingest::kineto {

// `json` is one valid JSON value. A value of an unexpected type is ignored.
void set_metadata(std::string_view key, std::string_view json, profile::ProfileBuilder& builder);

}  // namespace foretell::ingest::kineto
