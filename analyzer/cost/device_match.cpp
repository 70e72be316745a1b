// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/device_match.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "analyzer/cost/device_assume.hpp"
#include "src/base/text.hpp"

namespace foretell::cost {
namespace {

constexpr double kGibi = 1024.0 * 1024 * 1024;
constexpr double kGiga = 1e9;

// Sizes of one part differ by the reserve of driver and error correction.
constexpr double kSeenMemoryTolerance = 0.03;
// A part with a tenth more or fewer multiprocessors under the same name is another part.
constexpr double kSameNameSms = 0.10;

// Lower case, single spaces, no "NVIDIA " in front (older drivers leave it out).
std::string normalised(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.ends_with(' ')) text.pop_back();
  constexpr std::string_view kPrefix = "nvidia ";
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The words of a name that tell products apart ("v100" in "Tesla V100-DGXS-32GB"): those with a digit that
// are neither a memory size nor a form factor.
std::set<std::string, std::less<>> model_words(std::string_view name) {
  std::set<std::string, std::less<>> words;
  std::string text = normalised(name) + ' ';
  std::string word;
  for (const char c : text) {
    if (std::string_view(" -_/").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    const std::string_view unit =
        std::string_view(word).substr(std::min(word.find_first_not_of("0123456789"), word.size()));
    const bool size = is_digit(word.empty() ? ' ' : word[0]) && (unit == "g" || unit == "gb");
    const bool form = word.starts_with("sxm") || word.starts_with("hbm");
    if (std::ranges::any_of(word, is_digit) && !size && !form) words.insert(word);
    word.clear();
  }
  return words;
}

bool name_speaks_against(const Device& device, std::string_view name) {
  const auto asked = model_words(name);
  const auto shared = [&](std::string_view known) {
    return std::ranges::any_of(model_words(known), [&](const auto& word) { return asked.contains(word); });
  };
  return !asked.empty() && !shared(device.name) && std::ranges::none_of(device.aliases, shared);
}

Vendor vendor_of(const DeviceQuery& query) {
  if (query.vendor != Vendor::Unknown) return query.vendor;
  constexpr std::int64_t kAmdOnlyWarp = 64;  // 32 proves nothing: AMD's graphics parts have it too
  if (query.warp_size == kAmdOnlyWarp) return Vendor::Amd;
  const std::string name = ' ' + normalised(query.name) + ' ';
  const auto says = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (says(" amd ") || says(" radeon ") || says(" instinct ")) return Vendor::Amd;
  if (says(" tesla ") || says(" quadro ") || says(" geforce ") ||
      equals_ignore_case(query.name.substr(0, 6), "nvidia")) {
    return Vendor::Nvidia;
  }
  return Vendor::Unknown;
}

// The number as recorded, if it can be one.
std::optional<std::int64_t> stated(std::optional<std::int64_t> value) {
  return value && *value > 0 ? value : std::nullopt;
}

bool within(const Quantity& quantity, std::int64_t value) {
  const auto number = static_cast<double>(value);
  return quantity.low <= number && number <= quantity.high;
}

bool memory_fits(const Device& device, std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  const auto near = [&](std::int64_t seen) {
    return std::abs(size - static_cast<double>(seen)) <= kSeenMemoryTolerance * static_cast<double>(seen);
  };
  if (std::ranges::any_of(device.total_memory_seen_bytes, near)) return true;
  // The nominal size is in powers of ten or of two, less some reserve.
  return device.dram_gb && size >= 0.95 * kGiga * device.dram_gb->expected &&
         size <= 1.005 * kGibi * device.dram_gb->expected;
}

enum class Severity : std::uint8_t { None, Odd, Another };

struct Difference {
  Severity severity = Severity::None;
  std::string text;
};

// How a record differs from a row, worst first; what either leaves out does not differ. A slice of a device
// has fewer multiprocessors and less memory by design.
Difference difference(const Device& device, const DeviceQuery& query, Vendor vendor, bool slice) {
  if (vendor != Vendor::Unknown && vendor != device.vendor) {
    return {Severity::Another,
            fmt::format("the vendor is {}, not {}", to_string(vendor), to_string(device.vendor))};
  }
  if (query.compute_major && query.compute_minor && device.compute_major && device.compute_minor &&
      (query.compute_major != device.compute_major || query.compute_minor != device.compute_minor)) {
    return {Severity::Another,
            fmt::format("the compute capability is {}.{}, not {}.{}", *query.compute_major,
                        *query.compute_minor, *device.compute_major, *device.compute_minor)};
  }
  const auto warp = stated(query.warp_size);
  if (warp && device.warp_size && !within(*device.warp_size, *warp)) {
    return {Severity::Another, fmt::format("the warp size is {}, not {}", *warp, device.warp_size->count())};
  }
  const auto sms = stated(query.sm_count);
  if (sms && device.sm_count && !within(*device.sm_count, *sms) && !slice) {
    const double off = std::abs(static_cast<double>(*sms) / device.sm_count->expected - 1);
    return {off > kSameNameSms ? Severity::Another : Severity::Odd,
            fmt::format("it has {} multiprocessors, not {}", *sms, device.sm_count->count())};
  }
  const auto memory = stated(query.total_memory_bytes);
  if (memory && !slice && (device.dram_gb || !device.total_memory_seen_bytes.empty()) &&
      !memory_fits(device, *memory)) {
    return {Severity::Odd, fmt::format("its memory is {}, not that of the table",
                                       format_bytes(static_cast<std::uint64_t>(*memory)))};
  }
  return {};
}

std::string describe_properties(const DeviceQuery& query, Vendor vendor) {
  std::vector<std::string> parts;
  if (vendor != Vendor::Unknown) parts.emplace_back(to_string(vendor));
  if (query.compute_major && query.compute_minor) {
    parts.push_back(fmt::format("compute capability {}.{}", *query.compute_major, *query.compute_minor));
  }
  if (const auto sms = stated(query.sm_count)) parts.push_back(fmt::format("{} multiprocessors", *sms));
  if (const auto memory = stated(query.total_memory_bytes)) {
    parts.push_back(format_bytes(static_cast<std::uint64_t>(*memory)));
  }
  return parts.empty() ? "none recorded" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string list_names(std::span<const Device* const> devices) {
  std::vector<std::string_view> names;
  for (const Device* device : devices) names.push_back(device->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Quantity recorded(std::int64_t value) {
  const auto number = static_cast<double>(value);
  return {number, number, number, Provenance::Measured, "recorded with the trace"};
}

// Properties of the record replace those of the table: boards are cut down, sliced and virtualised.
void apply_record(Device& device, const DeviceQuery& query) {
  const auto put = [](std::optional<Quantity>& field, std::optional<std::int64_t> value) {
    if (stated(value)) field = recorded(*value);
  };
  put(device.sm_count, query.sm_count);
  put(device.warp_size, query.warp_size);
  put(device.max_threads_per_sm, query.max_threads_per_sm);
  put(device.regs_per_sm, query.regs_per_sm);
  put(device.smem_per_sm_bytes, query.smem_per_sm_bytes);
  put(device.smem_per_block_optin_bytes, query.smem_per_block_optin_bytes);
  if (const auto memory = stated(query.total_memory_bytes)) {
    device.dram_gb = recorded(*memory);
    for (double* bound : {&device.dram_gb->low, &device.dram_gb->expected, &device.dram_gb->high})
      *bound /= kGiga;
  }
  if (stated(query.max_threads_per_sm) && stated(query.warp_size)) {
    device.max_warps_per_sm = recorded(*query.max_threads_per_sm / *query.warp_size);
    device.max_warps_per_sm->provenance = Provenance::Derived;
    device.max_warps_per_sm->source = "recorded threads over recorded warp size";
  }
}

// A MIG slice gets the table's peaks by its share of multiprocessors, bandwidths and L2 by its share of
// memory.
void apply_slice(Device& device, const DeviceQuery& query) {
  const auto sms = stated(query.sm_count);
  const auto memory = stated(query.total_memory_bytes);
  if (!sms || !device.sm_count) return;
  const double sm_share = std::min(1.0, static_cast<double>(*sms) / device.sm_count->expected);
  const double memory_share =
      memory && device.dram_gb
          ? std::min(1.0, static_cast<double>(*memory) / (kGibi * device.dram_gb->expected))
          : sm_share;
  for (const DeviceConstant& info : kDeviceConstants) {
    auto& field = device.*info.field;
    if (!field || info.sliced_by == SlicedBy::Nothing) continue;
    const bool by_sms = info.sliced_by == SlicedBy::Sms;
    const double share = by_sms ? sm_share : memory_share;
    for (double* bound : {&field->low, &field->expected, &field->high}) *bound *= share;
    field->source +=
        fmt::format(", times the slice's {:.3f} of the {}", share, by_sms ? "multiprocessors" : "memory");
  }
}

struct Search {
  const DeviceTable& table;
  const DeviceQuery& query;
  Vendor vendor;
  std::string name;  // normalised, without the suffix of a slice
  bool slice = false;
  std::string properties;

  Search(const DeviceTable& device_table, const DeviceQuery& device_query)
      : table(device_table),
        query(device_query),
        vendor(vendor_of(device_query)),
        name(normalised(device_query.name)),
        properties(describe_properties(device_query, vendor)) {
    if (const std::size_t suffix = name.find(" mig "); suffix != std::string::npos) {
      name.resize(suffix);
      slice = true;
    }
  }

  [[nodiscard]] std::string subject() const {
    return name.empty() ? "the device has no name" : fmt::format("'{}'", printable(query.name));
  }

  [[nodiscard]] DeviceMatch known(const Device& row, MatchKind kind, std::string note) const {
    DeviceMatch match{row, kind, std::move(note)};
    if (slice) apply_slice(match.device, query);
    apply_record(match.device, query);
    assume_missing(match.device, table);
    return match;
  }

  // `similar`: the rows it is known to be one of, if any.
  [[nodiscard]] DeviceMatch unknown(std::vector<const Device*> similar, std::string note) const {
    DeviceMatch match;
    match.note = std::move(note);
    Device& device = match.device;
    device.name = name.empty() ? "unknown device" : printable(query.name);
    device.vendor = vendor;
    device.compute_major = query.compute_major;
    device.compute_minor = query.compute_minor;
    apply_record(device, query);
    assume_all(device, table, similar);
    return match;
  }

  [[nodiscard]] std::vector<const Device*> select(const std::function<bool(const Device&)>& wanted) const {
    std::vector<const Device*> rows;
    for (const Device& device : table.devices) {
      if (wanted(device)) rows.push_back(&device);
    }
    return rows;
  }

  [[nodiscard]] DeviceMatch by_name(std::vector<const Device*> rows, MatchKind kind) const {
    const std::size_t named = rows.size();
    if (named > 1) {
      std::erase_if(rows, [&](const Device* row) {
        return difference(*row, query, vendor, slice).severity != Severity::None;
      });
      if (rows.size() != 1) {
        const std::string all = list_names(select([&](const Device& d) { return is_alias(d); }));
        return unknown(
            rows, fmt::format("{} may be any of {}, and its properties ({}) fit {} of them; its constants "
                              "are assumed",
                              subject(), all, properties, rows.empty() ? "none" : "several"));
      }
    }
    const Device& row = *rows.front();
    const Difference differs = difference(row, query, vendor, slice);
    if (differs.severity == Severity::Another) {
      return unknown({}, fmt::format("{} is the name of {}, but {}; its constants are assumed", subject(),
                                     row.name, differs.text));
    }
    std::string note;
    if (named > 1) {
      note = fmt::format("{} is the name of {} devices; its properties ({}) fit {}", subject(), named,
                         properties, row.name);
    } else if (kind == MatchKind::ByAlias) {
      note = fmt::format("{} is another name of {}", subject(), row.name);
    }
    if (slice) {
      note += fmt::format("{}a slice of {}", note.empty() ? "" : "; ", row.name);
    }
    if (differs.severity == Severity::Odd) {
      note += fmt::format("{}{}", note.empty() ? "" : "; ", differs.text);
    }
    return known(row, kind, std::move(note));
  }

  [[nodiscard]] bool is_alias(const Device& device) const {
    return std::ranges::any_of(device.aliases, [&](const auto& alias) { return normalised(alias) == name; });
  }

  [[nodiscard]] DeviceMatch by_properties() const {
    const std::string absent = name.empty() ? subject() : subject() + " is not in the device table";
    if (!query.compute_major || !query.compute_minor || !stated(query.sm_count)) {
      return unknown(
          {}, fmt::format("{}, and its properties ({}) are too few to find it; its constants are assumed",
                          absent, properties));
    }
    auto rows = select([&](const Device& device) {
      return device.compute_major && device.compute_minor && device.sm_count &&
             difference(device, query, vendor, slice).severity == Severity::None;
    });
    const std::string fitting = list_names(rows);
    const std::size_t fit = rows.size();
    std::erase_if(rows, [&](const Device* row) { return name_speaks_against(*row, query.name); });
    if (rows.size() == 1) {
      return known(
          *rows.front(), MatchKind::ByProperties,
          fmt::format("{}; its properties ({}) fit only {}", absent, properties, rows.front()->name));
    }
    if (rows.size() > 1) {
      return unknown(rows,
                     fmt::format("{}; its properties ({}) fit {} devices ({}), so its constants are assumed "
                                 "from these",
                                 absent, properties, rows.size(), list_names(rows)));
    }
    if (fit > 0) {
      return unknown({},
                     fmt::format("{}; its properties ({}) fit {}, but the name speaks against that, so its "
                                 "constants are assumed",
                                 absent, properties, fitting));
    }
    return unknown(
        {}, fmt::format("{}, and no device of the table has its properties ({}); its constants are assumed",
                        absent, properties));
  }
};

}  // namespace

std::string_view to_string(MatchKind kind) {
  switch (kind) {
    case MatchKind::ByName: return "name";
    case MatchKind::ByAlias: return "alias";
    case MatchKind::ByProperties: return "properties";
    case MatchKind::Unknown: return "unknown";
  }
  return "unknown";
}

DeviceMatch match_device(const DeviceTable& table, const DeviceQuery& query) {
  const Search search(table, query);
  if (!search.name.empty()) {
    if (auto rows = search.select([&](const Device& d) { return normalised(d.name) == search.name; });
        !rows.empty()) {
      return search.by_name(std::move(rows), MatchKind::ByName);
    }
    if (auto rows = search.select([&](const Device& d) { return search.is_alias(d); }); !rows.empty()) {
      return search.by_name(std::move(rows), MatchKind::ByAlias);
    }
  }
  return search.by_properties();
}

std::vector<Constant> device_constants(const Device& device) {
  std::vector<Constant> constants;
  for (const DeviceConstant& info : kDeviceConstants) {
    if (const auto& value = device.*info.field) {
      constants.push_back({std::string(info.name), std::string(info.unit), value->low, value->expected,
                           value->high, value->provenance, value->source});
    }
  }
  return constants;
}

std::vector<Constant> default_constants(const DeviceTable& table, Vendor vendor) {
  std::vector<Constant> constants;
  for (const DefaultConstant& row : table.defaults) {
    const bool of_device = std::ranges::find(kDeviceConstants, row.constant.name, &DeviceConstant::name) !=
                           kDeviceConstants.end();
    if (!of_device && (row.vendor == Vendor::Unknown || row.vendor == vendor))
      constants.push_back(row.constant);
  }
  return constants;
}

}  // namespace foretell::cost
