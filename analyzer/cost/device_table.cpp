// SPDX-License-Identifier: Apache-2.0
// Reads the device file. One device:
//   {"name": "NVIDIA L4", "aliases": ["L4"], "vendor": "nvidia", "compute_major": 8, "compute_minor": 9,
//    "sm_count": {"low": 58, "expected": 58, "high": 60}, "boost_clock_mhz": 2040, "kernel_floor_graph_ns":
//    null}
#include "analyzer/cost/device_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "analyzer/cost/json_fields.hpp"
#include "embedded/devices.hpp"
#include "src/base/check.hpp"
#include "src/base/text.hpp"

namespace foretell::cost {
namespace {

constexpr std::int64_t kFormatVersion = 1;
constexpr double kSheetSpread = 0.05;
constexpr double kMeasuredSpread = 0.10;

std::unexpected<Error> bad(std::string where, std::string message) {
  return fail(ErrorCode::BadInput, std::move(where), std::move(message),
              "docs/devices.md describes the form of a device file");
}

std::unexpected<Error> expected(const std::string& where, std::string_view what, std::string_view key,
                                const Json& value) {
  return bad(where, fmt::format("expected {} for '{}', found {}", what, key, found(value)));
}

Result<void> check_keys(const Json& object, std::span<const std::string_view> known,
                        const std::string& where) {
  const auto unknown = describe_unknown_key(object, known);
  return unknown ? Result<void>(bad(where, *unknown)) : Result<void>();
}

// Absent and null are the empty string.
Result<std::string> read_text(const Json& object, std::string_view key, const std::string& where) {
  const Json* value = find(object, key);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return expected(where, "text", key, *value);
  return value->get<std::string>();
}

Result<std::string> read_name(const Json& object, const std::string& where) {
  FORETELL_ASSIGN_OR_RETURN(auto name, read_text(object, "name", where));
  if (name.find_first_not_of(" \t") == std::string::npos) {
    return bad(where, "expected text for 'name', found none");
  }
  return name;
}

Result<std::vector<std::string>> read_texts(const Json& object, std::string_view key,
                                            const std::string& where) {
  std::vector<std::string> texts;
  const Json* value = find(object, key);
  if (value == nullptr) return texts;
  if (!value->is_array()) return expected(where, "an array of texts", key, *value);
  for (const Json& item : *value) {
    if (!item.is_string()) return expected(where, "an array of texts", key, item);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

bool is_whole(const Json& value) {
  return value.is_number_unsigned() ? value.get<std::uint64_t>() <= std::uint64_t{1} << 53
                                    : value.is_number_integer() && value.get<std::int64_t>() >= 0;
}

Result<std::optional<std::int64_t>> read_whole(const Json& object, std::string_view key,
                                               const std::string& where) {
  const Json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (!is_whole(*value)) return expected(where, "a whole number", key, *value);
  return value->get<std::int64_t>();
}

// `any` names the vendor that is no vendor; empty where one must be given.
Result<Vendor> read_vendor(const Json& object, std::string_view any, const std::string& where) {
  const std::string choices = any.empty() ? "'nvidia' or 'amd'" : fmt::format("'{}', 'nvidia' or 'amd'", any);
  const Json* value = find(object, "vendor");
  if (value == nullptr) return bad(where, fmt::format("expected {} for 'vendor', found none", choices));
  if (*value == "nvidia") return Vendor::Nvidia;
  if (*value == "amd") return Vendor::Amd;
  if (!any.empty() && *value == any) return Vendor::Unknown;
  return expected(where, choices, "vendor", *value);
}

struct Bounds {
  double low, expected, high;
};

Result<Bounds> read_bounds(const Json& object, const std::string& where) {
  const auto read = [&](std::string_view key) -> Result<double> {
    const Json* value = find(object, key);
    if (value == nullptr)
      return bad(where, fmt::format("expected a number above 0 for '{}', found none", key));
    if (!value->is_number() || !(value->get<double>() > 0)) {
      return expected(where, "a number above 0", key, *value);
    }
    return value->get<double>();
  };
  FORETELL_ASSIGN_OR_RETURN(const double low, read("low"));
  FORETELL_ASSIGN_OR_RETURN(const double middle, read("expected"));
  FORETELL_ASSIGN_OR_RETURN(const double high, read("high"));
  if (low > middle || middle > high) {
    return bad(where, fmt::format("expected low <= expected <= high, found {}, {}, {}", low, middle, high));
  }
  return Bounds{low, middle, high};
}

constexpr std::array<std::string_view, 3> kBoundKeys{"low", "expected", "high"};

Result<std::optional<Bounds>> read_quantity(const Json& device, const DeviceConstant& info,
                                            const std::string& where) {
  const Json* value = find(device, info.name);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) {
    const std::string place = fmt::format("{}: {}", where, info.name);
    FORETELL_RETURN_IF_ERROR(check_keys(*value, kBoundKeys, place));
    FORETELL_ASSIGN_OR_RETURN(const Bounds bounds, read_bounds(*value, place));
    return bounds;
  }
  const bool limit = info.kind == ConstantKind::Limit;
  if (!value->is_number() || !(value->get<double>() > 0) || (limit && !is_whole(*value))) {
    const std::string_view number = limit ? "a whole number above 0" : "a number above 0";
    return expected(where, fmt::format("{}, low, expected and high, or null", number), info.name, *value);
  }
  const double number = value->get<double>();
  switch (info.kind) {
    case ConstantKind::Limit: return Bounds{number, number, number};
    case ConstantKind::Sheet: return Bounds{number * (1 - kSheetSpread), number, number * (1 + kSheetSpread)};
    case ConstantKind::Measured:
      return Bounds{number * (1 - kMeasuredSpread), number, number * (1 + kMeasuredSpread)};
  }
  return std::nullopt;
}

std::string source_phrase(const Device& device, const DeviceConstant& info, std::string_view table) {
  if (info.field == &Device::dram_achievable_gbps && !device.dram_achievable_basis.empty()) {
    return fmt::format("{}: {}", table, device.dram_achievable_basis);
  }
  return fmt::format("{}: {}", table,
                     info.kind == ConstantKind::Measured ? "measured by others" : "data sheet");
}

// A source is an address, or a key of the file's "sources".
Result<std::vector<std::string>> read_sources(const Json& object, const Json* named,
                                              const std::string& where) {
  FORETELL_ASSIGN_OR_RETURN(auto sources, read_texts(object, "sources", where));
  for (std::string& source : sources) {
    const Json* address = named == nullptr ? nullptr : find(*named, source);
    if (address != nullptr && address->is_string()) {
      source = address->get<std::string>();
    } else if (source.find("://") == std::string::npos) {
      return bad(where,
                 fmt::format("expected an address or a key of 'sources', found '{}'", printable(source)));
    }
  }
  return sources;
}

constexpr std::array<std::string_view, 10> kDeviceTextKeys{"name",
                                                           "aliases",
                                                           "vendor",
                                                           "arch",
                                                           "compute_major",
                                                           "compute_minor",
                                                           "total_memory_seen_bytes",
                                                           "dram_achievable_basis",
                                                           "notes",
                                                           "sources"};

constexpr auto kDeviceKeys = [] {
  std::array<std::string_view, kDeviceTextKeys.size() + kDeviceConstants.size()> keys;
  const auto end = std::ranges::copy(kDeviceTextKeys, keys.begin()).out;
  std::ranges::transform(kDeviceConstants, end, &DeviceConstant::name);
  return keys;
}();

Result<Device> read_device(const Json& row, const Json* named_sources, std::string where,
                           std::string_view table) {
  if (!row.is_object()) return bad(where, fmt::format("expected an object, found {}", found(row)));
  Device device;
  FORETELL_ASSIGN_OR_RETURN(device.name, read_name(row, where));
  where += fmt::format(" ('{}')", printable(device.name));
  FORETELL_RETURN_IF_ERROR(check_keys(row, kDeviceKeys, where));
  FORETELL_ASSIGN_OR_RETURN(device.aliases, read_texts(row, "aliases", where));
  FORETELL_ASSIGN_OR_RETURN(device.vendor, read_vendor(row, "", where));
  FORETELL_ASSIGN_OR_RETURN(device.arch, read_text(row, "arch", where));
  FORETELL_ASSIGN_OR_RETURN(device.compute_major, read_whole(row, "compute_major", where));
  FORETELL_ASSIGN_OR_RETURN(device.compute_minor, read_whole(row, "compute_minor", where));
  if (const Json* seen = find(row, "total_memory_seen_bytes"); seen != nullptr) {
    if (!seen->is_array() || !std::ranges::all_of(*seen, is_whole)) {
      return expected(where, "an array of whole numbers", "total_memory_seen_bytes", *seen);
    }
    device.total_memory_seen_bytes = seen->get<std::vector<std::int64_t>>();
  }
  FORETELL_ASSIGN_OR_RETURN(device.dram_achievable_basis, read_text(row, "dram_achievable_basis", where));
  FORETELL_ASSIGN_OR_RETURN(device.notes, read_text(row, "notes", where));
  FORETELL_ASSIGN_OR_RETURN(device.sources, read_sources(row, named_sources, where));
  for (const DeviceConstant& info : kDeviceConstants) {
    FORETELL_ASSIGN_OR_RETURN(const auto bounds, read_quantity(row, info, where));
    if (bounds) {
      device.*info.field = Quantity{bounds->low, bounds->expected, bounds->high, Provenance::Assumed,
                                    source_phrase(device, info, table)};
    }
  }
  return device;
}

constexpr std::array<std::string_view, 9> kDefaultKeys{"name", "unit",    "vendor", "low",    "expected",
                                                       "high", "meaning", "basis",  "sources"};

Result<DefaultConstant> read_default(const Json& row, const Json* named_sources, std::string where,
                                     std::string_view table) {
  if (!row.is_object()) return bad(where, fmt::format("expected an object, found {}", found(row)));
  DefaultConstant read;
  FORETELL_ASSIGN_OR_RETURN(read.constant.name, read_name(row, where));
  where += fmt::format(" ('{}')", printable(read.constant.name));
  FORETELL_RETURN_IF_ERROR(check_keys(row, kDefaultKeys, where));
  FORETELL_ASSIGN_OR_RETURN(read.constant.unit, read_text(row, "unit", where));
  FORETELL_ASSIGN_OR_RETURN(read.vendor, read_vendor(row, "any", where));
  FORETELL_ASSIGN_OR_RETURN(const Bounds bounds, read_bounds(row, where));
  read.constant.low = bounds.low;
  read.constant.expected = bounds.expected;
  read.constant.high = bounds.high;
  FORETELL_RETURN_IF_ERROR(read_text(row, "meaning", where));
  FORETELL_RETURN_IF_ERROR(read_sources(row, named_sources, where));
  FORETELL_ASSIGN_OR_RETURN(const auto basis, read_text(row, "basis", where));
  read.constant.source = fmt::format("{}: {}", table, basis.empty() ? "default" : basis);
  return read;
}

// The array of that key; absent is empty.
Result<const Json*> find_array(const Json& root, std::string_view key, const std::string& where) {
  static const Json kNone = Json::array();
  const Json* value = find(root, key);
  if (value == nullptr) return &kNone;
  if (!value->is_array()) return expected(where, "an array", key, *value);
  return value;
}

std::string_view kind_name(ConstantKind kind) {
  switch (kind) {
    case ConstantKind::Limit: return "limit";
    case ConstantKind::Sheet: return "sheet";
    case ConstantKind::Measured: return "measured";
  }
  return "";
}

// "constants" describes kDeviceConstants for the manual, row by row, or is left out.
Result<void> check_descriptions(const Json& rows, const std::string& where) {
  if (!rows.empty() && rows.size() != kDeviceConstants.size()) {
    return bad(where, fmt::format("expected {} rows in 'constants', found {}", kDeviceConstants.size(),
                                  rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DeviceConstant& info = kDeviceConstants[i];
    const auto says = [&](std::string_view key, std::string_view value) {
      const Json* text = rows[i].is_object() ? find(rows[i], key) : nullptr;
      return text != nullptr && *text == value;
    };
    if (!says("name", info.name) || !says("unit", info.unit) || !says("kind", kind_name(info.kind))) {
      return bad(fmt::format("{}: constants[{}]", where, i),
                 fmt::format("expected '{}' of kind {} in {}", info.name, kind_name(info.kind), info.unit));
    }
  }
  return {};
}

Result<DeviceTable> read_table(const Json& root, const std::string& where) {
  if (!root.is_object()) return bad(where, fmt::format("expected an object, found {}", found(root)));
  constexpr std::array<std::string_view, 5> kKeys{"format_version", "constants", "defaults", "devices",
                                                  "sources"};
  FORETELL_RETURN_IF_ERROR(check_keys(root, kKeys, where));
  FORETELL_ASSIGN_OR_RETURN(const auto version, read_whole(root, "format_version", where));
  if (version != kFormatVersion) {
    return bad(where, fmt::format("expected {} for 'format_version', found {}", kFormatVersion,
                                  version ? std::to_string(*version) : "none"));
  }
  FORETELL_ASSIGN_OR_RETURN(const Json* descriptions, find_array(root, "constants", where));
  FORETELL_RETURN_IF_ERROR(check_descriptions(*descriptions, where));
  const Json* sources = find(root, "sources");
  if (sources != nullptr && !sources->is_object()) return expected(where, "an object", "sources", *sources);

  DeviceTable table;
  FORETELL_ASSIGN_OR_RETURN(const Json* defaults, find_array(root, "defaults", where));
  for (const Json& row : *defaults) {
    const std::string place = fmt::format("{}: defaults[{}]", where, table.defaults.size());
    FORETELL_ASSIGN_OR_RETURN(auto read, read_default(row, sources, place, where));
    table.defaults.push_back(std::move(read));
  }
  FORETELL_ASSIGN_OR_RETURN(const Json* devices, find_array(root, "devices", where));
  for (const Json& row : *devices) {
    const std::string place = fmt::format("{}: devices[{}]", where, table.devices.size());
    FORETELL_ASSIGN_OR_RETURN(auto device, read_device(row, sources, place, where));
    const auto same = [&](const Device& other) { return equals_ignore_case(other.name, device.name); };
    if (std::ranges::any_of(table.devices, same)) {
      return bad(place, fmt::format("expected one row per name, found '{}' twice", printable(device.name)));
    }
    table.devices.push_back(std::move(device));
  }
  if (table.devices.empty()) return bad(where, "expected at least one row in 'devices', found none");
  return table;
}

}  // namespace

std::string_view to_string(Vendor vendor) {
  switch (vendor) {
    case Vendor::Unknown: return "unknown";
    case Vendor::Nvidia: return "nvidia";
    case Vendor::Amd: return "amd";
  }
  return "unknown";
}

Result<DeviceTable> parse_device_table(std::string_view json, std::string_view where) {
  const std::string place(where);
  try {
    return read_table(Json::parse(json), place);
  } catch (const std::exception& error) {
    return bad(place, fmt::format("expected JSON, found: {}", parser_message(error.what())));
  }
}

const DeviceTable& builtin_device_table() {
  static const DeviceTable kTable = [] {
    auto table = parse_device_table(embedded::kDevices, "device table");
    FORETELL_CHECK(table.has_value());
    return std::move(*table);
  }();
  return kTable;
}

}  // namespace foretell::cost
