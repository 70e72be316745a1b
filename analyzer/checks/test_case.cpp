// SPDX-License-Identifier: Apache-2.0
#include "analyzer/checks/test_case.hpp"

#include <cmath>
#include <regex>

namespace foretell::checks {

void expect_well_put(std::string_view id, const Finding& finding) {
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

void expect_case(std::string_view id, const CheckCase& row) {
  const Finding finding = row.view().run(id);

  expect_well_put(id, finding);
  EXPECT_EQ(to_string(finding.verdict), to_string(row.want)) << finding.reason;
  EXPECT_THAT(finding.reason, testing::HasSubstr(row.says));
  if (row.ceiling) {
    ASSERT_TRUE(finding.ceiling.has_value()) << finding.reason;
    EXPECT_NEAR(*finding.ceiling, *row.ceiling, 0.005) << finding.reason;
  }
}

double evidence(const Finding& finding, std::string_view name) {
  for (const Quantity& quantity : finding.evidence) {
    if (quantity.name == name) {
      return quantity.value;
    }
  }
  return std::nan("");
}

}  // namespace foretell::checks
