// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/device_assume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/base/text.hpp"

namespace foretell::cost {
namespace {

using Field = std::optional<Quantity> Device::*;

constexpr std::size_t kFewValues = 3;
constexpr double kFewValuesSpread = 2;

struct Group {
  std::vector<const Device*> rows;
  std::string of;  // "devices of compute capability 8.9"
  bool same_arch = true;
};

std::vector<Group> groups_for(const Device& device, const DeviceTable& table,
                              std::span<const Device* const> similar) {
  Group capability, vendor;
  for (const Device& row : table.devices) {
    if (device.vendor != Vendor::Unknown && row.vendor != device.vendor) continue;
    vendor.rows.push_back(&row);
    if (device.compute_major && device.compute_minor && row.compute_major == device.compute_major &&
        row.compute_minor == device.compute_minor) {
      capability.rows.push_back(&row);
    }
  }
  if (!capability.rows.empty()) {
    capability.of = fmt::format("of compute capability {}.{}", *device.compute_major, *device.compute_minor);
  }
  vendor.of = device.vendor == Vendor::Unknown ? "of the table"
                                               : fmt::format("of vendor {}", to_string(device.vendor));
  vendor.same_arch = false;
  return {Group{{similar.begin(), similar.end()}, "that it may be", true}, capability, vendor};
}

double median(std::vector<double> values, ConstantKind kind) {
  std::ranges::sort(values);
  const std::size_t upper = values.size() / 2;
  const std::size_t lower = (values.size() - 1) / 2;
  // Of an even number of limits the lower one: a mean of two would be no limit of any device.
  return kind == ConstantKind::Limit ? values[lower] : (values[lower] + values[upper]) / 2;
}

// Median of `field` over a group, each value divided by the row's `per` (null: as it is).
std::optional<Quantity> group_median(const Group& group, const DeviceConstant& info, Field per) {
  std::vector<double> lows, values, highs;
  for (const Device* row : group.rows) {
    const auto& value = row->*info.field;
    if (!value || (per != nullptr && !(row->*per))) continue;
    const double divisor = per == nullptr ? 1 : (row->*per)->expected;
    lows.push_back(value->low / divisor);
    values.push_back(value->expected / divisor);
    highs.push_back(value->high / divisor);
  }
  if (values.empty()) return std::nullopt;
  Quantity result;
  result.low = std::ranges::min(lows);
  result.expected = median(values, info.kind);
  result.high = std::ranges::max(highs);
  if (values.size() < kFewValues && info.kind != ConstantKind::Limit) {
    result.low = std::min(result.low, result.expected / kFewValuesSpread);
    result.high = std::max(result.high, result.expected * kFewValuesSpread);
  }
  result.source = fmt::format("assumed: median of {} {}", format_counted(values.size(), "device"), group.of);
  return result;
}

Quantity times(const Quantity& factor, const Quantity& base, std::string source) {
  return {factor.low * base.low, factor.expected * base.expected, factor.high * base.high,
          Provenance::Assumed, std::move(source)};
}

const DefaultConstant* find_default(const DeviceTable& table, std::string_view name, Vendor vendor) {
  const auto row = std::ranges::find_if(table.defaults, [&](const DefaultConstant& candidate) {
    return candidate.constant.name == name &&
           (candidate.vendor == Vendor::Unknown || candidate.vendor == vendor);
  });
  return row == table.defaults.end() ? nullptr : &*row;
}

Quantity quantity_of(const Constant& constant) {
  return {constant.low, constant.expected, constant.high, Provenance::Assumed, constant.source};
}

std::optional<Quantity> assume(const Device& device, const DeviceTable& table, std::span<const Group> groups,
                               const DeviceConstant& info) {
  const auto from_groups = [&](Field per, std::string_view per_what) -> std::optional<Quantity> {
    if (per != nullptr && !(device.*per)) return std::nullopt;
    for (const Group& group : groups) {
      if (info.assumption == Assumption::PerSmSameArch && !group.same_arch) continue;
      auto result = group_median(group, info, per);
      if (result && per != nullptr) {
        result = times(*result, *(device.*per), result->source + std::string(per_what));
      }
      if (result) return result;
    }
    return std::nullopt;
  };
  switch (info.assumption) {
    case Assumption::Median: return from_groups(nullptr, "");
    case Assumption::PerSm:
    case Assumption::PerSmSameArch: return from_groups(&Device::sm_count, ", per multiprocessor");
    case Assumption::PerDram:
      return from_groups(&Device::dram_achievable_gbps, ", relative to memory bandwidth");
    case Assumption::ShareOfPeak: {
      const auto* share = find_default(table, "dram_achievable_share", device.vendor);
      if (share == nullptr || !device.dram_peak_gbps) return std::nullopt;
      return times(quantity_of(share->constant), *device.dram_peak_gbps,
                   fmt::format("assumed: {} of the peak", share->constant.expected));
    }
    case Assumption::Default: {
      const auto* row = find_default(table, info.name, device.vendor);
      return row == nullptr ? std::nullopt : std::optional(quantity_of(row->constant));
    }
  }
  return std::nullopt;
}

bool may_mean_none(const DeviceConstant& info) {
  switch (info.assumption) {
    case Assumption::Median:
    case Assumption::PerSm:
    case Assumption::PerSmSameArch: return true;
    case Assumption::PerDram:
    case Assumption::ShareOfPeak:
    case Assumption::Default: return false;
  }
  return false;
}

void fill(Device& device, const DeviceTable& table, std::span<const Device* const> similar, bool in_table) {
  const std::vector<Group> groups = groups_for(device, table, similar);
  for (const DeviceConstant& info : kDeviceConstants) {
    auto& field = device.*info.field;
    if (!field && !(in_table && may_mean_none(info))) field = assume(device, table, groups, info);
  }
}

}  // namespace

void assume_missing(Device& device, const DeviceTable& table) { fill(device, table, {}, true); }

void assume_all(Device& device, const DeviceTable& table, std::span<const Device* const> similar) {
  fill(device, table, similar, false);
}

}  // namespace foretell::cost
