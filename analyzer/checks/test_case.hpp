// SPDX-License-Identifier: Apache-2.0
// A row of a check's test: a trace and what is said about it. And what holds for whatever any check says.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <regex>
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
inline void expect_well_put(std::string_view id, const Finding& finding) {
  static const std::regex kOneOfMany(R"((^|[^0-9.,])1 (?!us\b|ms\b|ns\b)[a-z]+s\b)");
  const std::string& reason = finding.reason;
  ASSERT_FALSE(reason.empty()) << id;
  EXPECT_FALSE(reason.ends_with('.') || reason.ends_with(' ')) << id << ": " << reason;
  EXPECT_FALSE(reason.front() >= 'A' && reason.front() <= 'Z' && !reason.starts_with("CPU"))
      << id << ": " << reason;
  EXPECT_EQ(reason.find("  "), std::string::npos) << id << ": " << reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos) << id << ": " << reason;
  EXPECT_EQ(reason.find("e+"), std::string::npos) << id << ": " << reason;
  EXPECT_FALSE(std::regex_search(reason, kOneOfMany)) << id << ": " << reason;
  EXPECT_FALSE(finding.remedy.ends_with('.')) << id;
  for (const std::string& line : finding.reasoning) {
    EXPECT_TRUE(line.ends_with('.')) << id << ": " << line;
    EXPECT_EQ(line.find("  "), std::string::npos) << id << ": " << line;
    EXPECT_FALSE(std::regex_search(line, kOneOfMany)) << id << ": " << line;
  }
  for (const Quantity& quantity : finding.evidence) {
    EXPECT_TRUE(std::isfinite(quantity.value)) << id << ": " << quantity.name;
    EXPECT_NE(quantity.provenance, Provenance::Probed) << id << ": nothing is timed here";
  }
  EXPECT_LE(finding.examples.size(), kMostExamples) << id;
  for (const Example& example : finding.examples) {
    EXPECT_FALSE(example.what.empty()) << id;
  }
  if (finding.ceiling) {
    EXPECT_TRUE(std::isfinite(*finding.ceiling) && *finding.ceiling > 0) << id << ": " << *finding.ceiling;
  }
}

inline void expect_case(std::string_view id, const CheckCase& row) {
  const Finding finding = row.view().run(id);

  expect_well_put(id, finding);
  EXPECT_EQ(to_string(finding.verdict), to_string(row.want)) << finding.reason;
  EXPECT_THAT(finding.reason, testing::HasSubstr(row.says));
  if (row.ceiling) {
    ASSERT_TRUE(finding.ceiling.has_value()) << finding.reason;
    EXPECT_NEAR(*finding.ceiling, *row.ceiling, 0.005) << finding.reason;
  }
}

inline std::string case_name(const testing::TestParamInfo<CheckCase>& row) { return row.param.name; }

// Value of a finding's evidence; NaN: it has none of that name.
inline double evidence(const Finding& finding, std::string_view name) {
  for (const Quantity& quantity : finding.evidence) {
    if (quantity.name == name) {
      return quantity.value;
    }
  }
  return std::nan("");
}

}  // namespace foretell::checks
