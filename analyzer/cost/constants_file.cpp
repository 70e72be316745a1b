// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/constants_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/cost/json_fields.hpp"
#include "src/base/text.hpp"

namespace foretell::cost {
namespace {

std::unexpected<Error> bad(std::string where, std::string message) {
  return fail(ErrorCode::BadInput, std::move(where), std::move(message),
              R"(the form is {"constants": [{"name": "launch_call_ns", "unit": "ns", "expected": 3000}]})");
}

std::unexpected<Error> expected(const std::string& where, std::string_view what, std::string_view key,
                                const Json* value) {
  return bad(where, fmt::format("expected {} for '{}', found {}", what, key,
                                value == nullptr ? "none" : found(*value)));
}

struct Known {
  std::string_view name, unit;
  const DeviceConstant* of_device = nullptr;
};

// Of the device first: the device file has defaults for some of them.
std::vector<Known> known_constants() {
  std::vector<Known> known;
  for (const DeviceConstant& info : kDeviceConstants) {
    known.push_back({info.name, info.unit, &info});
  }
  for (const DefaultConstant& row : builtin_device_table().defaults) {
    if (std::ranges::find(known, row.constant.name, &Known::name) == known.end()) {
      known.push_back({row.constant.name, row.constant.unit});
    }
  }
  return known;
}

Result<std::optional<std::string>> read_text(const Json& row, std::string_view key,
                                             const std::string& where) {
  const Json* value = find(row, key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    return expected(where, "text", key, value);
  }
  return value->get<std::string>();
}

Result<Known> read_known(const Json& row, const std::string& where) {
  FORETELL_ASSIGN_OR_RETURN(const auto name, read_text(row, "name", where));
  if (!name) {
    return expected(where, "text", "name", nullptr);
  }
  const std::vector<Known> known = known_constants();
  const auto at = std::ranges::find(known, std::string_view(*name), &Known::name);
  if (at != known.end()) {
    return *at;
  }
  std::vector<std::string_view> names;
  std::ranges::transform(known, std::back_inserter(names), &Known::name);
  const auto meant = nearest(*name, names);
  return bad(where, fmt::format("unknown constant '{}'{}", printable(*name),
                                meant ? fmt::format(" (did you mean '{}'?)", *meant)
                                      : fmt::format(", expected one of: {}", fmt::join(names, ", "))));
}

// A property of a device is divided by, so it is above 0; a cost may be 0. Limits are whole.
Result<double> read_number(const Json& row, std::string_view key, const Known& known,
                           std::optional<double> otherwise, const std::string& where) {
  const bool limit = known.of_device != nullptr && known.of_device->kind == ConstantKind::Limit;
  const std::string_view what = limit                        ? "a whole number above 0"
                                : known.of_device != nullptr ? "a number above 0"
                                                             : "a number of at least 0";
  const Json* value = find(row, key);
  if (value == nullptr && otherwise) {
    return *otherwise;
  }
  if (value == nullptr || !value->is_number()) {
    return expected(where, what, key, value);
  }
  constexpr double kLargestWhole = 9007199254740992;  // 2^53: every whole number up to it is exact
  const double number = value->get<double>();
  const bool in_range = known.of_device != nullptr ? number > 0 : number >= 0;
  if (!std::isfinite(number) || !in_range ||
      (limit && (number > kLargestWhole || number != std::floor(number)))) {
    return expected(where, what, key, value);
  }
  return number;
}

Result<Provenance> read_provenance(const Json& row, const std::string& where) {
  FORETELL_ASSIGN_OR_RETURN(const auto text, read_text(row, "provenance", where));
  if (!text) {
    return Provenance::Assumed;
  }
  for (const Provenance each :
       {Provenance::Measured, Provenance::Probed, Provenance::Derived, Provenance::Assumed}) {
    if (to_string(each) == *text) {
      return each;
    }
  }
  return bad(where, fmt::format("expected measured, probed, derived or assumed for 'provenance', found '{}'",
                                printable(ellipsize(*text, 40))));
}

constexpr std::array<std::string_view, 7> kRowKeys{"name", "unit",       "low",   "expected",
                                                   "high", "provenance", "source"};

Result<Constant> read_constant(const Json& row, std::string where, std::string_view file) {
  if (!row.is_object()) {
    return bad(where, fmt::format("expected an object, found {}", found(row)));
  }
  FORETELL_ASSIGN_OR_RETURN(const Known known, read_known(row, where));
  where += fmt::format(" ('{}')", known.name);
  if (const auto unknown = describe_unknown_key(row, kRowKeys)) {
    return bad(where, *unknown);
  }
  FORETELL_ASSIGN_OR_RETURN(const auto unit, read_text(row, "unit", where));
  if (unit && *unit != known.unit) {
    return bad(where, fmt::format("expected '{}' for 'unit', found '{}'", known.unit,
                                  printable(ellipsize(*unit, 40))));
  }
  Constant constant{.name = std::string(known.name), .unit = std::string(known.unit)};
  FORETELL_ASSIGN_OR_RETURN(constant.expected, read_number(row, "expected", known, std::nullopt, where));
  FORETELL_ASSIGN_OR_RETURN(constant.low, read_number(row, "low", known, constant.expected, where));
  FORETELL_ASSIGN_OR_RETURN(constant.high, read_number(row, "high", known, constant.expected, where));
  if (constant.low > constant.expected || constant.expected > constant.high) {
    return bad(where, fmt::format("expected low <= expected <= high, found {}, {}, {}", constant.low,
                                  constant.expected, constant.high));
  }
  FORETELL_ASSIGN_OR_RETURN(constant.provenance, read_provenance(row, where));
  FORETELL_ASSIGN_OR_RETURN(const auto source, read_text(row, "source", where));
  constant.source = source && !source->empty() ? fmt::format("{}: {}", file, *source) : std::string(file);
  return constant;
}

Result<ConstantsFile> read_file(const Json& root, const std::string& where) {
  if (!root.is_object()) {
    return bad(where, fmt::format("expected an object, found {}", found(root)));
  }
  constexpr std::array<std::string_view, 1> kKeys{"constants"};
  if (const auto unknown = describe_unknown_key(root, kKeys)) {
    return bad(where, *unknown);
  }
  const Json* rows = find(root, "constants");
  if (rows == nullptr || !rows->is_array()) {
    return expected(where, "an array", "constants", rows);
  }
  ConstantsFile file;
  for (const Json& row : *rows) {
    const std::string place = fmt::format("{}: constants[{}]", where, file.constants.size());
    FORETELL_ASSIGN_OR_RETURN(auto constant, read_constant(row, place, where));
    if (std::ranges::find(file.constants, constant.name, &Constant::name) != file.constants.end()) {
      return bad(place, fmt::format("expected one row per name, found '{}' twice", constant.name));
    }
    file.constants.push_back(std::move(constant));
  }
  return file;
}

}  // namespace

Result<ConstantsFile> parse_constants(std::string_view json, std::string_view where) {
  const std::string place(where);
  try {
    return read_file(Json::parse(json), place);
  } catch (const std::exception& error) {
    return bad(place, fmt::format("expected JSON, found: {}", parser_message(error.what())));
  }
}

void apply(const ConstantsFile& file, Device& device, std::vector<Constant>& constants) {
  for (const Constant& given : file.constants) {
    const auto* const info = std::ranges::find(kDeviceConstants, given.name, &DeviceConstant::name);
    const bool of_device = info != kDeviceConstants.end();
    if (of_device) {
      device.*(info->field) = Quantity{given.low, given.expected, given.high, given.provenance, given.source};
    }
    const auto at = std::ranges::find(constants, given.name, &Constant::name);
    if (at != constants.end()) {
      *at = given;
    } else if (!of_device) {
      constants.push_back(given);
    }
  }
}

}  // namespace foretell::cost
