// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/copies.hpp"

#include <algorithm>
#include <array>

namespace foretell::timeline {
namespace {

struct DirectionRule {
  std::string_view part;
  CopyDirection direction;
};
// First match wins. CUPTI abbreviates, ROCm spells out, and some name the memory only.
constexpr std::array kRules{
    DirectionRule{"HtoD", CopyDirection::HostToDevice},
    DirectionRule{"DtoH", CopyDirection::DeviceToHost},
    DirectionRule{"DtoD", CopyDirection::DeviceToDevice},
    DirectionRule{"PtoP", CopyDirection::DeviceToDevice},
    DirectionRule{"HtoH", CopyDirection::HostToHost},
    DirectionRule{"HostToDevice", CopyDirection::HostToDevice},
    DirectionRule{"DeviceToHost", CopyDirection::DeviceToHost},
    DirectionRule{"DeviceToDevice", CopyDirection::DeviceToDevice},
    DirectionRule{"Host -> Device", CopyDirection::HostToDevice},
    DirectionRule{"Device -> Host", CopyDirection::DeviceToHost},
    DirectionRule{"Device -> Device", CopyDirection::DeviceToDevice},
    DirectionRule{"-> Pageable", CopyDirection::DeviceToHost},
    DirectionRule{"-> Pinned", CopyDirection::DeviceToHost},
    DirectionRule{"Pageable ->", CopyDirection::HostToDevice},
    DirectionRule{"Pinned ->", CopyDirection::HostToDevice},
};

}  // namespace

CopyDirection copy_direction(std::string_view name) {
  const auto rule = std::ranges::find_if(
      kRules, [&](const DirectionRule& row) { return name.find(row.part) != std::string_view::npos; });
  return rule == kRules.end() ? CopyDirection::Unknown : rule->direction;
}

bool is_pageable_copy(std::string_view name) { return name.find("Pageable") != std::string_view::npos; }

}  // namespace foretell::timeline
