// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/parameter.hpp"

#include <gmock/gmock.h>

#include <array>

namespace foretell::workloads {
namespace {

using testing::ElementsAre;

constexpr ParameterInfo kCount{"ops", ParameterKind::Count, "3", 1, 100, ""};
constexpr ParameterInfo kBytes{"size", ParameterKind::Bytes, "64M", 8, std::int64_t{1} << 40, ""};
constexpr ParameterInfo kExtents{"size", ParameterKind::Extents, "1024", 1, 1 << 20, ""};
constexpr ParameterInfo kType{"dtype", ParameterKind::Type, "f32", 0, 0, ""};
constexpr std::array<std::string_view, 2> kOptimizers{"sgd", "adam"};
constexpr ParameterInfo kChoice{"optimizer", ParameterKind::Choice, "adam", 0, 0, "", kOptimizers};

struct Good {
  const ParameterInfo* info;
  std::string_view text;
  std::vector<std::int64_t> numbers;
  std::string_view shown;
};

TEST(ParseParameter, TakesCountsSizesExtentsAndTypes) {
  const Good rows[] = {
      {&kCount, "1", {1}, "1"},
      {&kCount, "100", {100}, "100"},
      {&kBytes, "8", {8}, "8 B"},
      {&kBytes, "4K", {4096}, "4.00 KiB"},
      {&kBytes, "256M", {256 << 20}, "256 MiB"},
      {&kBytes, "256MiB", {256 << 20}, "256 MiB"},
      {&kBytes, "1G", {1 << 30}, "1.00 GiB"},
      {&kBytes, "1T", {std::int64_t{1} << 40}, "1.00 TiB"},
      {&kExtents, "64", {64, 64, 64}, "64 x 64 x 64"},
      {&kExtents, "8,512,1024", {8, 512, 1024}, "8 x 512 x 1024"},
      {&kType, "bf16", {}, "bf16"},
      {&kChoice, "sgd", {}, "sgd"},
  };
  for (const Good& row : rows) {
    SCOPED_TRACE(row.text);
    const auto parsed = parse_parameter(*row.info, row.text);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->numbers, row.numbers);
    EXPECT_EQ(to_string(*parsed), row.shown);
  }
  EXPECT_EQ(parse_parameter(kType, "bf16")->dtype, ir::DType::BF16);
}

struct Bad {
  const ParameterInfo* info;
  std::string_view text;
  std::string_view message;
};

TEST(ParseParameter, SaysWhatItExpectedAndFound) {
  constexpr std::string_view kSize = "expected a size from 8 B to 1.00 TiB, as 4096, 64K, 256M, 1G, found ";
  const Bad rows[] = {
      {&kChoice, "adamw", "expected one of: sgd, adam, found 'adamw'"},
      {&kCount, "0", "expected a whole number from 1 to 100, found '0'"},
      {&kCount, "101", "expected a whole number from 1 to 100, found '101'"},
      {&kCount, "3.5", "expected a whole number from 1 to 100, found '3.5'"},
      {&kCount, "", "expected a whole number from 1 to 100, found ''"},
      {&kCount, "4K", "expected a whole number from 1 to 100, found '4K'"},
      {&kBytes, "7", "'7'"},
      {&kBytes, "M", "'M'"},
      {&kBytes, "-1M", "'-1M'"},
      {&kBytes, "4096iB", "'4096iB'"},
      {&kBytes, "iB", "'iB'"},
      {&kBytes, "MiB", "'MiB'"},
      {&kBytes, "", "''"},
      {&kBytes, "9223372036854775807G", "'9223372036854775807G'"},
      {&kBytes, "64T", "'64T'"},
      {&kExtents, "1,2", "expected N, or M,N,K, each from 1 to 1048576, found '1,2'"},
      {&kExtents, "1,2,3,4", "expected N, or M,N,K, each from 1 to 1048576, found '1,2,3,4'"},
      {&kExtents, "1,0,3", "expected N, or M,N,K, each from 1 to 1048576, found '1,0,3'"},
      {&kExtents, "1,,3", "expected N, or M,N,K, each from 1 to 1048576, found '1,,3'"},
      {&kType, "i32", "expected a float type: f32, f64, bf16, f16, found 'i32'"},
      {&kType, "float", "expected a float type: f32, f64, bf16, f16, found 'float'"},
  };
  for (const Bad& row : rows) {
    SCOPED_TRACE(row.text);
    const auto parsed = parse_parameter(*row.info, row.text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::Usage);
    EXPECT_EQ(parsed.error().where, std::string("--") + std::string(row.info->name));
    EXPECT_EQ(parsed.error().message, row.message.starts_with("'")
                                          ? std::string(kSize) + std::string(row.message)
                                          : std::string(row.message));
  }
}

constexpr std::array kInfos{kCount, kBytes, kType};

TEST(BindParameters, GivenOnesAndDefaultsInTheOrderOfTheRows) {
  const GivenParameter given[] = {{"dtype", "f64"}, {"ops", "7"}};
  const auto bound = bind_parameters("chain", kInfos, given);

  ASSERT_TRUE(bound);
  std::vector<std::string> shown;
  for (const Parameter& each : *bound) {
    shown.push_back(each.name + "=" + to_string(each));
  }
  EXPECT_THAT(shown, ElementsAre("ops=7", "size=64.0 MiB", "dtype=f64"));
  EXPECT_EQ(number(*bound, "ops"), 7);
}

TEST(BindParameters, UnknownNamesListTheValidOnes) {
  const GivenParameter given[] = {{"hidden", "7"}};
  const auto bound = bind_parameters("chain", kInfos, given);

  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error(), (Error{ErrorCode::Usage, "--hidden", "the workload 'chain' has no such parameter",
                                  "it takes --ops, --size, --dtype"}));
}

TEST(BindParameters, RefusesOneGivenTwice) {
  const GivenParameter given[] = {{"ops", "7"}, {"ops", "8"}};
  const auto bound = bind_parameters("chain", kInfos, given);

  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message, "expected once, found more than once");
}

}  // namespace
}  // namespace foretell::workloads
