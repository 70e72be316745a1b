// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/device_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

namespace foretell::cost {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string one_device(std::string_view fields) {
  return fmt::format(R"({{"format_version": 1, "devices": [{{"name": "X", "vendor": "nvidia"{}{}}}]}})",
                     fields.empty() ? "" : ", ", fields);
}

Error error_of(std::string_view json) {
  const auto table = parse_device_table(json, "my.json");
  if (table) return {.where = "", .message = "(no error)"};
  return table.error();
}

TEST(BuiltinDeviceTable, IsWellFormed) {
  const DeviceTable& table = builtin_device_table();
  EXPECT_EQ(table.devices.size(), 31U);
  EXPECT_FALSE(table.defaults.empty());
  for (const Device& device : table.devices) {
    SCOPED_TRACE(device.name);
    EXPECT_NE(device.vendor, Vendor::Unknown);
    EXPECT_FALSE(device.arch.empty());
    EXPECT_TRUE(device.compute_major && device.compute_minor && device.sm_count && device.dram_gb);
    EXPECT_FALSE(device.sources.empty());
    EXPECT_TRUE(std::ranges::all_of(device.sources, [](const auto& s) { return s.starts_with("http"); }));
    EXPECT_EQ(device.warp_size->count(), device.vendor == Vendor::Amd ? 64 : 32);
    EXPECT_EQ(device.max_threads_per_sm->count(),
              device.max_warps_per_sm->count() * device.warp_size->count());
    if (device.dram_achievable_gbps) {
      EXPECT_LE(device.dram_achievable_gbps->high, device.dram_peak_gbps->high);
      EXPECT_FALSE(device.dram_achievable_basis.empty());
    }
    for (const DeviceConstant& info : kDeviceConstants) {
      const auto& value = device.*info.field;
      if (!value) continue;
      SCOPED_TRACE(info.name);
      EXPECT_EQ(value->provenance, Provenance::Assumed);
      EXPECT_FALSE(value->source.empty());
      EXPECT_GT(value->low, 0);
      EXPECT_LE(value->low, value->expected);
      EXPECT_LE(value->expected, value->high);
    }
  }
}

// Peak = SMs x lanes x 2 x clock: 64 lanes on 7.x and 8.0, 128 on the later NVIDIA parts.
TEST(BuiltinDeviceTable, Fp32PeakFollowsFromSmsAndClock) {
  for (const Device& device : builtin_device_table().devices) {
    if (device.vendor != Vendor::Nvidia) continue;
    const bool narrow = device.compute_major == 7 || (device.compute_major == 8 && device.compute_minor == 0);
    const double peak =
        device.sm_count->expected * (narrow ? 64 : 128) * 2 * device.boost_clock_mhz->expected / 1e6;
    EXPECT_NEAR(device.fp32_tflops->expected / peak, 1.0, 0.01) << device.name;
  }
}

TEST(BuiltinDeviceTable, ListsEveryConstantOnce) {
  std::set<std::string_view> names;
  for (const DeviceConstant& info : kDeviceConstants)
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
}

TEST(ParseDeviceTable, ReadsADevice) {
  const auto table = parse_device_table(R"({
    "format_version": 1,
    "sources": {"sheet": "https://example.org/sheet"},
    "defaults": [{"name": "launch_call_ns", "unit": "ns", "vendor": "any", "low": 1, "expected": 2, "high": 3,
                  "meaning": "m", "basis": "b", "sources": ["sheet"]}],
    "devices": [{"name": "X", "aliases": ["Y"], "vendor": "amd", "arch": "gfx1", "compute_major": 9,
                 "compute_minor": 4, "total_memory_seen_bytes": [7], "sm_count": 100, "dram_peak_gbps": 1000,
                 "l2_bandwidth_gbps": 2000, "l2_elementwise_gbps": null, "notes": "n",
                 "dram_achievable_gbps": {"low": 700, "expected": 800, "high": 850}, "dram_achievable_basis": "copy",
                 "sources": ["sheet", "http://x"]}]})",
                                        "my.json");
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->devices.size(), 1U);
  const Device& device = table->devices[0];
  EXPECT_EQ(device.name, "X");
  EXPECT_EQ(device.aliases, std::vector<std::string>{"Y"});
  EXPECT_EQ(device.vendor, Vendor::Amd);
  EXPECT_EQ(device.compute_major, 9);
  EXPECT_EQ(device.total_memory_seen_bytes, std::vector<std::int64_t>{7});
  EXPECT_EQ(device.sources, (std::vector<std::string>{"https://example.org/sheet", "http://x"}));
  EXPECT_EQ(device.sm_count, (Quantity{100, 100, 100, Provenance::Assumed, "my.json: data sheet"}));
  EXPECT_EQ(device.dram_peak_gbps, (Quantity{950, 1000, 1050, Provenance::Assumed, "my.json: data sheet"}));
  EXPECT_EQ(device.dram_achievable_gbps, (Quantity{700, 800, 850, Provenance::Assumed, "my.json: copy"}));
  EXPECT_EQ(device.l2_bandwidth_gbps->source, "my.json: measured by others");
  EXPECT_DOUBLE_EQ(device.l2_bandwidth_gbps->low, 1800);
  EXPECT_EQ(device.l2_elementwise_gbps, std::nullopt);
  ASSERT_EQ(table->defaults.size(), 1U);
  EXPECT_EQ(table->defaults[0].constant,
            (Constant{"launch_call_ns", "ns", 1, 2, 3, Provenance::Assumed, "my.json: b"}));
}

TEST(ParseDeviceTable, NameAndVendorAreEnough) { EXPECT_TRUE(parse_device_table(one_device(""), "my.json")); }

TEST(ParseDeviceTable, NamesThePlaceForEveryConstant) {
  for (const DeviceConstant& info : kDeviceConstants) {
    for (const std::string_view value : {"\"fast\"", "0", "-1", "true", "[1]"}) {
      const Error error = error_of(one_device(fmt::format(R"("{}": {})", info.name, value)));
      EXPECT_EQ(error.code, ErrorCode::BadInput);
      EXPECT_EQ(error.where, "my.json: devices[0] ('X')");
      EXPECT_THAT(error.message,
                  AllOf(HasSubstr("expected "), HasSubstr(fmt::format("for '{}', found ", info.name))));
      EXPECT_EQ(error.hint, "docs/devices.md describes the form of a device file");
    }
    for (const std::string_view value :
         {R"({"low": 1, "high": 2})", R"({"low": 3, "expected": 2, "high": 4})",
          R"({"low": 1, "expected": "2", "high": 4})", R"({"low": 1, "expected": 2, "high": 3, "mid": 2})"}) {
      const Error error = error_of(one_device(fmt::format(R"("{}": {})", info.name, value)));
      EXPECT_EQ(error.where, fmt::format("my.json: devices[0] ('X'): {}", info.name));
    }
  }
}

struct BadFile {
  std::string_view name;
  std::string json;
  std::string_view where;
  std::string_view message;
};

void PrintTo(const BadFile& test, std::ostream* out) { *out << test.name; }

class ParseDeviceTableError : public testing::TestWithParam<BadFile> {};

TEST_P(ParseDeviceTableError, SaysWhatWhereAndWhatWasExpected) {
  const Error error = error_of(GetParam().json);
  EXPECT_EQ(error.where, GetParam().where);
  EXPECT_EQ(error.message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Files, ParseDeviceTableError,
    testing::Values(
        BadFile{"NotJson", "{\"a\": }", "my.json",
                "expected JSON, found: parse error at line 1, column 7: syntax error while parsing value - "
                "unexpected "
                "'}'; expected '[', '{', or a literal"},
        BadFile{"Empty", "", "my.json",
                "expected JSON, found: parse error at line 1, column 1: syntax error while parsing value - "
                "unexpected "
                "end of input; expected '[', '{', or a literal"},
        BadFile{"RootArray", "[]", "my.json", "expected an object, found array"},
        BadFile{"NoVersion", R"({"devices": []})", "my.json", "expected 1 for 'format_version', found none"},
        BadFile{"OtherVersion", R"({"format_version": 2})", "my.json",
                "expected 1 for 'format_version', found 2"},
        BadFile{"VersionText", R"({"format_version": "1"})", "my.json",
                "expected a whole number for 'format_version', found string \"1\""},
        BadFile{"UnknownKey", R"({"format_version": 1, "device": []})", "my.json",
                "unknown key 'device' (did you mean 'devices'?)"},
        BadFile{"NoDevices", R"({"format_version": 1, "devices": []})", "my.json",
                "expected at least one row in 'devices', found none"},
        BadFile{"DevicesObject", R"({"format_version": 1, "devices": {}})", "my.json",
                "expected an array for 'devices', found object"},
        BadFile{"SourcesArray", R"({"format_version": 1, "sources": []})", "my.json",
                "expected an object for 'sources', found array"},
        BadFile{"Descriptions", R"({"format_version": 1, "constants": [{}]})", "my.json",
                "expected 22 rows in 'constants', found 1"},
        BadFile{"DeviceNumber", R"({"format_version": 1, "devices": [5]})", "my.json: devices[0]",
                "expected an object, found number 5"},
        BadFile{"NoName", R"({"format_version": 1, "devices": [{"vendor": "amd"}]})", "my.json: devices[0]",
                "expected text for 'name', found none"},
        BadFile{"BlankName", R"({"format_version": 1, "devices": [{"name": " "}]})", "my.json: devices[0]",
                "expected text for 'name', found none"},
        BadFile{"NameNumber", R"({"format_version": 1, "devices": [{"name": 1}]})", "my.json: devices[0]",
                "expected text for 'name', found number 1"},
        BadFile{"NoVendor", R"({"format_version": 1, "devices": [{"name": "X"}]})",
                "my.json: devices[0] ('X')", "expected 'nvidia' or 'amd' for 'vendor', found none"},
        BadFile{"OtherVendor", R"({"format_version": 1, "devices": [{"name": "X", "vendor": "intel"}]})",
                "my.json: devices[0] ('X')",
                "expected 'nvidia' or 'amd' for 'vendor', found string \"intel\""},
        BadFile{"Misspelt", one_device(R"("dram_peek_gbps": 1)"), "my.json: devices[0] ('X')",
                "unknown key 'dram_peek_gbps' (did you mean 'dram_peak_gbps'?)"},
        BadFile{"Aliases", one_device(R"("aliases": "Y")"), "my.json: devices[0] ('X')",
                "expected an array of texts for 'aliases', found string \"Y\""},
        BadFile{"AliasNumber", one_device(R"("aliases": ["Y", 1])"), "my.json: devices[0] ('X')",
                "expected an array of texts for 'aliases', found number 1"},
        BadFile{"Arch", one_device(R"("arch": 90)"), "my.json: devices[0] ('X')",
                "expected text for 'arch', found number 90"},
        BadFile{"ComputeMajor", one_device(R"("compute_major": 9.5)"), "my.json: devices[0] ('X')",
                "expected a whole number for 'compute_major', found number 9.5"},
        BadFile{"ComputeMinor", one_device(R"("compute_minor": -1)"), "my.json: devices[0] ('X')",
                "expected a whole number for 'compute_minor', found number -1"},
        BadFile{"Memory", one_device(R"("total_memory_seen_bytes": [1.5])"), "my.json: devices[0] ('X')",
                "expected an array of whole numbers for 'total_memory_seen_bytes', found array"},
        BadFile{"Basis", one_device(R"("dram_achievable_basis": [])"), "my.json: devices[0] ('X')",
                "expected text for 'dram_achievable_basis', found array"},
        BadFile{"Notes", one_device(R"("notes": false)"), "my.json: devices[0] ('X')",
                "expected text for 'notes', found boolean false"},
        BadFile{"Sources", one_device(R"("sources": ["sheet"])"), "my.json: devices[0] ('X')",
                "expected an address or a key of 'sources', found 'sheet'"},
        BadFile{"LimitFraction", one_device(R"("sm_count": 1.5)"), "my.json: devices[0] ('X')",
                "expected a whole number above 0, low, expected and high, or null for 'sm_count', found "
                "number 1.5"},
        BadFile{
            "Peak", one_device(R"("dram_peak_gbps": "fast")"), "my.json: devices[0] ('X')",
            "expected a number above 0, low, expected and high, or null for 'dram_peak_gbps', found string "
            "\"fast\""},
        BadFile{"Order", one_device(R"("dram_peak_gbps": {"low": 3, "expected": 2, "high": 4})"),
                "my.json: devices[0] ('X'): dram_peak_gbps",
                "expected low <= expected <= high, found 3, 2, 4"},
        BadFile{
            "Twice",
            R"({"format_version": 1, "devices": [{"name": "X", "vendor": "amd"}, {"name": "x", "vendor": "amd"}]})",
            "my.json: devices[1]", "expected one row per name, found 'x' twice"},
        BadFile{"DefaultVendor", R"({"format_version": 1, "defaults": [{"name": "d", "vendor": "all"}]})",
                "my.json: defaults[0] ('d')",
                "expected 'any', 'nvidia' or 'amd' for 'vendor', found string \"all\""},
        BadFile{"DefaultBounds",
                R"({"format_version": 1, "defaults": [{"name": "d", "vendor": "any", "low": 1}]})",
                "my.json: defaults[0] ('d')", "expected a number above 0 for 'expected', found none"}),
    [](const auto& test) { return std::string(test.param.name); });

// Whatever is cut off, the answer is an error, not a crash.
TEST(ParseDeviceTable, RefusesEveryTruncation) {
  const std::string json =
      one_device(R"("sm_count": {"low": 1, "expected": 2, "high": 3}, "aliases": ["Y"])");
  for (std::size_t size = 0; size < json.size(); ++size) {
    EXPECT_FALSE(parse_device_table(std::string_view(json).substr(0, size), "my.json")) << size;
  }
}

TEST(ParseDeviceTable, SurvivesDeepNestingAndForeignBytes) {
  const std::string deep = one_device("\"sm_count\": " + std::string(200000, '[') + std::string(200000, ']'));
  EXPECT_THAT(error_of(deep).message, HasSubstr("found array"));
  EXPECT_THAT(error_of(one_device("\"arch\": \"\xff\"")).message,
              HasSubstr("expected JSON, found: parse error"));
}

}  // namespace
}  // namespace foretell::cost
