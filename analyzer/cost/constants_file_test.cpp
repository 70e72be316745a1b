// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/constants_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "analyzer/cost/device_match.hpp"

namespace foretell::cost {
namespace {

using testing::ElementsAre;

std::string file_of(std::string_view rows) { return fmt::format(R"({{"constants": [{}]}})", rows); }

TEST(ParseConstants, ReadsEveryField) {
  const auto file = parse_constants(file_of(R"(
      {"name": "dram_achievable_gbps", "unit": "GB/s", "low": 2900, "expected": 3000.5, "high": 3100,
       "provenance": "probed", "source": "copy of 1 GiB"},
      {"name": "graph_node_launch_ns", "expected": 0})"),
                                    "my.json");

  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->constants,
              ElementsAre(Constant{"dram_achievable_gbps", "GB/s", 2900, 3000.5, 3100, Provenance::Probed,
                                   "my.json: copy of 1 GiB"},
                          Constant{"graph_node_launch_ns", "ns", 0, 0, 0, Provenance::Assumed, "my.json"}));
}

TEST(ParseConstants, KnowsEveryConstantThatReportsPrint) {
  for (const DeviceConstant& info : kDeviceConstants) {
    EXPECT_TRUE(parse_constants(
        file_of(fmt::format(R"({{"name": "{}", "unit": "{}", "expected": 1}})", info.name, info.unit)), "f"))
        << info.name;
  }
  for (const DefaultConstant& row : builtin_device_table().defaults) {
    EXPECT_TRUE(parse_constants(file_of(fmt::format(R"({{"name": "{}", "unit": "{}", "expected": 1}})",
                                                    row.constant.name, row.constant.unit)),
                                "f"))
        << row.constant.name;
  }
}

struct Refusal {
  std::string name, json, where, message;
};

class ParseConstantsRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(ParseConstantsRefuses, NamingThePlace) {
  const auto file = parse_constants(GetParam().json, "my.json");

  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::BadInput);
  EXPECT_EQ(file.error().where, GetParam().where);
  EXPECT_EQ(file.error().message, GetParam().message);
  EXPECT_FALSE(file.error().hint.empty());
}

const std::string kFirst = "my.json: constants[0]";
const std::string kLaunch = "my.json: constants[0] ('launch_call_ns')";
const std::string kSms = "my.json: constants[0] ('sm_count')";

INSTANTIATE_TEST_SUITE_P(
    Files, ParseConstantsRefuses,
    testing::Values(
        Refusal{"NoObject", "[]", "my.json", "expected an object, found array"},
        Refusal{"NoArray", "{}", "my.json", "expected an array for 'constants', found none"},
        Refusal{"ArrayOfOtherType", R"({"constants": 7})", "my.json",
                "expected an array for 'constants', found number 7"},
        Refusal{"UnknownRootKey", R"({"constant": []})", "my.json",
                "unknown key 'constant' (did you mean 'constants'?)"},
        Refusal{"RowIsNoObject", file_of("3"), kFirst, "expected an object, found number 3"},
        Refusal{"NoName", file_of("{}"), kFirst, "expected text for 'name', found none"},
        Refusal{"NameIsNoText", file_of(R"({"name": 3})"), kFirst,
                "expected text for 'name', found number 3"},
        Refusal{"UnknownName", file_of(R"({"name": "launch_cal_ns", "expected": 1})"), kFirst,
                "unknown constant 'launch_cal_ns' (did you mean 'launch_call_ns'?)"},
        Refusal{"UnknownKey", file_of(R"({"name": "launch_call_ns", "expectd": 1})"), kLaunch,
                "unknown key 'expectd' (did you mean 'expected'?)"},
        Refusal{"OtherUnit", file_of(R"({"name": "launch_call_ns", "unit": "us", "expected": 1})"), kLaunch,
                "expected 'ns' for 'unit', found 'us'"},
        Refusal{"NoNumber", file_of(R"({"name": "launch_call_ns"})"), kLaunch,
                "expected a number of at least 0 for 'expected', found none"},
        Refusal{"TextForNumber", file_of(R"({"name": "launch_call_ns", "expected": "3000"})"), kLaunch,
                R"(expected a number of at least 0 for 'expected', found string "3000")"},
        Refusal{"BelowZero", file_of(R"({"name": "launch_call_ns", "expected": 1, "low": -1})"), kLaunch,
                "expected a number of at least 0 for 'low', found number -1"},
        Refusal{"ZeroOfADevice", file_of(R"({"name": "dram_peak_gbps", "expected": 0})"),
                "my.json: constants[0] ('dram_peak_gbps')",
                "expected a number above 0 for 'expected', found number 0"},
        Refusal{"LimitIsWhole", file_of(R"({"name": "sm_count", "expected": 107.5})"), kSms,
                "expected a whole number above 0 for 'expected', found number 107.5"},
        Refusal{"LimitIsSmall", file_of(R"({"name": "sm_count", "expected": 1e300})"), kSms,
                "expected a whole number above 0 for 'expected', found number 1e+300"},
        Refusal{"OutOfOrder", file_of(R"({"name": "launch_call_ns", "low": 4, "expected": 3, "high": 5})"),
                kLaunch, "expected low <= expected <= high, found 4, 3, 5"},
        Refusal{"HighBelowExpected", file_of(R"({"name": "launch_call_ns", "expected": 3, "high": 2})"),
                kLaunch, "expected low <= expected <= high, found 3, 3, 2"},
        Refusal{"UnknownProvenance",
                file_of(R"({"name": "launch_call_ns", "expected": 3, "provenance": "guessed"})"), kLaunch,
                "expected measured, probed, derived or assumed for 'provenance', found 'guessed'"},
        Refusal{"SourceIsNoText", file_of(R"({"name": "launch_call_ns", "expected": 3, "source": 1})"),
                kLaunch, "expected text for 'source', found number 1"},
        Refusal{
            "Twice",
            file_of(
                R"({"name": "launch_call_ns", "expected": 3}, {"name": "launch_call_ns", "expected": 3})"),
            "my.json: constants[1]", "expected one row per name, found 'launch_call_ns' twice"}),
    [](const auto& param) { return param.param.name; });

TEST(ParseConstants, NumbersBeyondDoubleAndBrokenTextAreNoJson) {
  for (const std::string_view json :
       {"{", "", R"({"constants": [{"name": "launch_call_ns", "expected": 1e999}]})",
        R"({"constants": [{"name": "launch_call_ns", "expected": NaN}]})"}) {
    const auto file = parse_constants(json, "my.json");
    ASSERT_FALSE(file) << json;
    EXPECT_EQ(file.error().where, "my.json");
    EXPECT_THAT(file.error().message, testing::StartsWith("expected JSON, found: "));
  }
}

TEST(ApplyConstants, ReplacesOfTheDeviceAndOfTheList) {
  const auto file = parse_constants(file_of(R"(
      {"name": "l2_bytes", "low": 1, "expected": 2, "high": 3, "provenance": "measured"},
      {"name": "launch_call_ns", "expected": 1234},
      {"name": "kernel_gap_ns", "expected": 900})"),
                                    "my.json");
  ASSERT_TRUE(file) << file.error().message;
  Device device;
  std::vector<Constant> constants{{"sync_call_ns", "ns", 1, 1, 1, Provenance::Assumed, "table"},
                                  {"launch_call_ns", "ns", 2, 2, 2, Provenance::Assumed, "table"}};

  apply(*file, device, constants);

  EXPECT_EQ(device.l2_bytes, (Quantity{1, 2, 3, Provenance::Measured, "my.json"}));
  EXPECT_THAT(constants,
              ElementsAre(Constant{"sync_call_ns", "ns", 1, 1, 1, Provenance::Assumed, "table"},
                          Constant{"launch_call_ns", "ns", 1234, 1234, 1234, Provenance::Assumed, "my.json"},
                          Constant{"kernel_gap_ns", "ns", 900, 900, 900, Provenance::Assumed, "my.json"}));
  EXPECT_THAT(device_constants(device), testing::Contains(testing::Field(&Constant::name, "l2_bytes")));
}

}  // namespace
}  // namespace foretell::cost
