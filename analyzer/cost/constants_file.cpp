// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/constants_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "analyzer/cost/json_fields.hpp"
#include "src/base/text.hpp"

namespace foretell::cost {
namespace {

constexpr std::string_view kForm =
    R"(the form is {"constants": [{"name": "launch_call_ns", "unit": "ns", "expected": 3000}]})";

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

Result<Known> find_known(const std::string& name, const std::string& where) {
  const std::vector<Known> known = known_constants();
  const auto at = std::ranges::find(known, std::string_view(name), &Known::name);
  if (at != known.end()) {
    return *at;
  }
  std::vector<std::string_view> names;
  std::ranges::transform(known, std::back_inserter(names), &Known::name);
  const auto meant = nearest(name, names);
  return fail(ErrorCode::BadInput, where,
              fmt::format("unknown constant '{}'{}", printable(name),
                          meant ? fmt::format(" (did you mean '{}'?)", *meant)
                                : fmt::format(", expected one of: {}", fmt::join(names, ", "))),
              std::string(kForm));
}

// A property of a device is divided by, so it is above 0; a cost may be 0. Limits are whole.
double read_number(Fields& fields, std::string_view key, const Known& known) {
  const bool limit = known.of_device != nullptr && known.of_device->kind == ConstantKind::Limit;
  const Json* value = fields.find(key);
  constexpr double kLargestWhole = 9007199254740992;  // 2^53: every whole number up to it is exact
  const double number = value != nullptr && value->is_number() ? value->get<double>() : -1;
  const bool in_range = known.of_device != nullptr ? number > 0 : number >= 0;
  if (!std::isfinite(number) || !in_range ||
      (limit && (number > kLargestWhole || number != std::floor(number)))) {
    fields.fault(limit                        ? "a whole number above 0"
                 : known.of_device != nullptr ? "a number above 0"
                                              : "a number of at least 0",
                 key);
  }
  return number;
}

constexpr std::array kProvenances{Provenance::Measured, Provenance::Probed, Provenance::Derived,
                                  Provenance::Assumed};
constexpr std::array<std::string_view, 7> kRowKeys{"name", "unit",       "low",   "expected",
                                                   "high", "provenance", "source"};

Result<Constant> read_constant(const Json& row, const std::string& where, std::string_view file) {
  Fields unnamed(row, where, std::string(kForm));
  const std::string name = unnamed.text("name");
  FORETELL_RETURN_IF_ERROR(unnamed.done());
  FORETELL_ASSIGN_OR_RETURN(const Known known, find_known(name, where));
  Fields fields(row, fmt::format("{} ('{}')", where, known.name), std::string(kForm));
  fields.only(kRowKeys);
  if (const auto unit = fields.text_if_any("unit"); unit && *unit != known.unit) {
    fields.fault(
        fmt::format("expected '{}' for 'unit', found '{}'", known.unit, printable(ellipsize(*unit, 40))));
  }
  Constant constant{.name = std::string(known.name), .unit = std::string(known.unit)};
  constant.expected = read_number(fields, "expected", known);
  constant.low = fields.find("low") == nullptr ? constant.expected : read_number(fields, "low", known);
  constant.high = fields.find("high") == nullptr ? constant.expected : read_number(fields, "high", known);
  fields.check_order(constant);
  constant.provenance = fields.find("provenance") == nullptr ? Provenance::Assumed
                                                             : fields.provenance("provenance", kProvenances);
  const auto source = fields.text_if_any("source");
  constant.source = source && !source->empty() ? fmt::format("{}: {}", file, *source) : std::string(file);
  FORETELL_RETURN_IF_ERROR(fields.done());
  return constant;
}

Result<ConstantsFile> read_file(const Json& root, const std::string& where) {
  constexpr std::array<std::string_view, 1> kKeys{"constants"};
  Fields fields(root, where, std::string(kForm));
  fields.only(kKeys);
  const Json& rows = fields.array("constants");
  FORETELL_RETURN_IF_ERROR(fields.done());
  ConstantsFile file;
  for (const Json& row : rows) {
    const std::string place = fmt::format("{}: constants[{}]", where, file.constants.size());
    FORETELL_ASSIGN_OR_RETURN(auto constant, read_constant(row, place, where));
    if (std::ranges::find(file.constants, constant.name, &Constant::name) != file.constants.end()) {
      return fail(ErrorCode::BadInput, place,
                  fmt::format("expected one row per name, found '{}' twice", constant.name),
                  std::string(kForm));
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
    return fail(ErrorCode::BadInput, place,
                fmt::format("expected JSON, found: {}", parser_message(error.what())), std::string(kForm));
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
