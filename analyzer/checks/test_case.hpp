// SPDX-License-Identifier: Apache-2.0
// A row of a check's test: a trace and what is said about it. And what holds for whatever any check says.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/checks/test_view.hpp"

namespace foretell::checks {

struct CheckCase {
  std::string name;
  std::function<TestView()> view;
  Verdict want = Verdict::Unknown;
  std::string says;                    // part of the reason
  std::optional<double> ceiling = {};  // nullopt: whatever it is
};

// A reason continues a sentence and is followed by a full stop, so it has none and starts small; a count of
// one goes with a singular.
void expect_well_put(std::string_view id, const Finding& finding);

void expect_case(std::string_view id, const CheckCase& row);

inline std::string case_name(const testing::TestParamInfo<CheckCase>& row) { return row.param.name; }

// Value of a finding's evidence; NaN: it has none of that name.
double evidence(const Finding& finding, std::string_view name);

}  // namespace foretell::checks
