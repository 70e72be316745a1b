// SPDX-License-Identifier: Apache-2.0
// Constants that the user knows better than any table (--constants FILE):
//   {"constants": [{"name": "launch_call_ns", "unit": "ns", "low": 2500, "expected": 3000, "high": 4000,
//                   "provenance": "measured", "source": "our own timing, idle host"}]}
// `low` and `high` default to `expected`, `provenance` to assumed. A name is one of kDeviceConstants or of
// the device file's defaults.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "src/base/result.hpp"

namespace foretell::cost {

struct ConstantsFile {
  std::vector<Constant> constants;  // one per name; `source` begins with the file
};

// Strict, as parse_device_table(): unknown names and keys, other units, wrong types and numbers out of order
// are errors with `where` = "<where>: constants[2] ('launch_call_ns')".
Result<ConstantsFile> parse_constants(std::string_view json, std::string_view where);

// Replaces the device's constants, and those of `constants` with the same name; the others are appended.
// Position: after match_device(), which may rest on the device file's own values.
void apply(const ConstantsFile& file, Device& device, std::vector<Constant>& constants);

}  // namespace foretell::cost
