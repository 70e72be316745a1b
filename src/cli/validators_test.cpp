// SPDX-License-Identifier: Apache-2.0
#include "src/cli/validators.hpp"

#include <gtest/gtest.h>

#include <string>

namespace foretell::cli {
namespace {

struct Case {
  std::string name;
  CLI::Validator validator;
  std::string text;
  std::string refusal;  // empty: accepted
};

class Validator : public testing::TestWithParam<Case> {};

TEST_P(Validator, SaysWhatWasExpectedAndFound) {
  std::string text = GetParam().text;

  EXPECT_EQ(GetParam().validator(text), GetParam().refusal);
}

INSTANTIATE_TEST_SUITE_P(
    Values, Validator,
    testing::Values(
        Case{"Number", positive_number(100), "2.5", ""},
        Case{"NumberInclusive", positive_number(100), "100", ""},
        Case{"NumberZero", positive_number(100), "0", "expected a number above 0 and at most 100, found '0'"},
        Case{"NumberNegative", positive_number(100), "-1",
             "expected a number above 0 and at most 100, found '-1'"},
        Case{"NumberTooLarge", positive_number(100), "1e3",
             "expected a number above 0 and at most 100, found '1e3'"},
        Case{"NumberInfinite", positive_number(100), "inf",
             "expected a number above 0 and at most 100, found 'inf'"},
        Case{"NumberNan", positive_number(100), "nan",
             "expected a number above 0 and at most 100, found 'nan'"},
        Case{"NumberUnit", positive_number(100), "3ms",
             "expected a number above 0 and at most 100, found '3ms'"},
        Case{"NumberEmpty", positive_number(100), "", "expected a number above 0 and at most 100, found ''"},
        Case{"Whole", whole_number(1, 8), "8", ""},
        Case{"WholeTooSmall", whole_number(1, 8), "0", "expected a whole number from 1 to 8, found '0'"},
        Case{"WholeTooLarge", whole_number(1, 8), "9", "expected a whole number from 1 to 8, found '9'"},
        Case{"WholeFraction", whole_number(1, 8), "1.5", "expected a whole number from 1 to 8, found '1.5'"},
        Case{"WholeOpen", whole_number(1, INT64_MAX), "9223372036854775807", ""},
        Case{"WholeOpenTooSmall", whole_number(1, INT64_MAX), "-1",
             "expected a whole number of at least 1, found '-1'"},
        Case{"WholeOverflow", whole_number(1, INT64_MAX), "9223372036854775808",
             "expected a whole number of at least 1, found '9223372036854775808'"},
        Case{"WholeControlCharacter", whole_number(1, 8), "1\x1b",
             "expected a whole number from 1 to 8, found '1?'"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace foretell::cli
