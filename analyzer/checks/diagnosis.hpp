// SPDX-License-Identifier: Apache-2.0
// All checks of one trace, and what they come to: which overhead binds, in three sentences.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/checks/check.hpp"

namespace foretell::checks {

struct DiagnosisInput {
  const profile::Profile& profile;
  const timeline::Timeline& timeline;
  const cost::Device& device;
  std::span<const cost::Constant> constants;
  std::optional<std::int64_t> wall_ns;
  std::optional<double> input_bytes;
};

struct CheckResult {
  const Check* check = nullptr;
  Finding finding;
};

struct Diagnosis {
  whatif::KernelWork work;
  std::vector<whatif::ClassRow> classes;
  whatif::FusionGroups groups;
  std::vector<CheckResult> checks;  // in the order of all_checks()
  // What the step is bound by: the overhead of the binding check with the highest ceiling; "compute" or
  // "none" where none binds; "unknown" where that can't be told.
  std::string binds;
  std::array<std::string, 3> sentences;  // what binds; what to do about it; what that rests on

  [[nodiscard]] const CheckResult* find(std::string_view id) const;
};

Diagnosis diagnose(const DiagnosisInput& input);

}  // namespace foretell::checks
