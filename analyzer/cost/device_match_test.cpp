// SPDX-License-Identifier: Apache-2.0
// Which device is found. The constants that follow: device_assume_test.cpp.
#include "analyzer/cost/device_match.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "analyzer/cost/test_match.hpp"

namespace foretell::cost {
namespace {

using enum MatchKind;
constexpr std::optional<std::int64_t> kNone;

// Device properties as public traces record them, and what they are.
struct Recorded {
  std::string_view name;
  std::optional<std::int64_t> major, minor, sms, warp, memory;
  std::string_view device;
  MatchKind kind;
  Vendor vendor;
};

const Recorded kRecorded[] = {
    {"NVIDIA B200", 10, 0, 148, 32, 191503138816, "NVIDIA B200", ByName, Vendor::Nvidia},
    {"Quadro GP100", 6, 0, 56, 32, 17069309952, "Quadro GP100", Unknown, Vendor::Nvidia},
    {"Tesla V100-DGXS-32GB", 7, 0, 80, 32, 34084028416, "Tesla V100-SXM2-32GB", ByProperties, Vendor::Nvidia},
    {"Tesla V100-DGXS-32GB", 7, 0, 80, 32, 34087305216, "Tesla V100-SXM2-32GB", ByProperties, Vendor::Nvidia},
    {"Tesla V100-SXM2-16GB", 7, 0, 80, 32, 16945512448, "Tesla V100-SXM2-16GB", ByName, Vendor::Nvidia},
    {"Tesla V100-SXM2-16GB", 7, 0, 80, 32, 16945709056, "Tesla V100-SXM2-16GB", ByName, Vendor::Nvidia},
    {"Tesla V100-SXM2-32GB", 7, 0, 80, 32, 34079637504, "Tesla V100-SXM2-32GB", ByName, Vendor::Nvidia},
    {"Tesla V100-SXM2-32GB", 7, 0, 80, 32, 34079899648, "Tesla V100-SXM2-32GB", ByName, Vendor::Nvidia},
    {"Tesla V100-SXM2-32GB", 7, 0, 80, 32, 34089730048, "Tesla V100-SXM2-32GB", ByName, Vendor::Nvidia},
    {"NVIDIA GeForce RTX 2080 Ti", 7, 5, 68, 32, 11554586624, "NVIDIA GeForce RTX 2080 Ti", ByName,
     Vendor::Nvidia},
    {"Tesla T4", 7, 5, 40, 32, 15637086208, "Tesla T4", ByName, Vendor::Nvidia},
    {"NVIDIA A100 80GB PCIe", 8, 0, 108, 32, 84990623744, "NVIDIA A100 80GB PCIe", ByName, Vendor::Nvidia},
    {"NVIDIA A100-PG509-200", 8, 0, 108, 32, 42297524224, "NVIDIA A100-SXM4-40GB", ByAlias, Vendor::Nvidia},
    {"NVIDIA A100-PG509-200", 8, 0, 108, 32, 42505273344, "NVIDIA A100-SXM4-40GB", ByAlias, Vendor::Nvidia},
    {"NVIDIA A100-SXM4-40GB", 8, 0, 108, 32, 42406903808, "NVIDIA A100-SXM4-40GB", ByName, Vendor::Nvidia},
    {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 32, 84990623744, "NVIDIA A100-SXM4-80GB", ByName, Vendor::Nvidia},
    {"NVIDIA A10G", 8, 6, 80, 32, 23696375808, "NVIDIA A10G", ByName, Vendor::Nvidia},
    {"NVIDIA GeForce RTX 4090 Laptop GPU", 8, 9, 76, 32, 16718168064, "NVIDIA GeForce RTX 4090 Laptop GPU",
     Unknown, Vendor::Nvidia},
    {"AMD Instinct MI210", 9, 0, 104, 64, 68702699520, "AMD Instinct MI210", ByName, Vendor::Amd},
    {"AMD Radeon Graphics", 9, 0, 104, 64, 68702699520, "AMD Instinct MI210", ByProperties, Vendor::Amd},
    {"NVIDIA GH200 480GB", 9, 0, 132, 32, 101468602368, "NVIDIA GH200 480GB", ByName, Vendor::Nvidia},
    {"NVIDIA H100 80GB HBM3", 9, 0, 132, 32, 85018279936, "NVIDIA H100 80GB HBM3", ByName, Vendor::Nvidia},
    {"NVIDIA H100 80GB HBM3", 9, 0, 132, 32, 85028896768, "NVIDIA H100 80GB HBM3", ByName, Vendor::Nvidia},
    {"NVIDIA H100", 9, 0, 132, 32, 102085492736, "NVIDIA H100", Unknown, Vendor::Nvidia},
    {"", 9, 4, 304, 64, 206141652992, "AMD Instinct MI300X", ByProperties, Vendor::Amd},
    {" ", 9, 4, 304, 64, 206141652992, "AMD Instinct MI300X", ByProperties, Vendor::Amd},
    {"AMD Instinct MI300X VF", 9, 4, 304, 64, 205571227648, "AMD Instinct MI300X", ByAlias, Vendor::Amd},
    {"AMD Instinct MI300X", 9, 4, 304, 64, 206141652992, "AMD Instinct MI300X", ByName, Vendor::Amd},
    {"ARTEMIS", kNone, kNone, kNone, kNone, kNone, "ARTEMIS", Unknown, Vendor::Unknown},
};

DeviceQuery query_of(const Recorded& recorded) {
  return {.name = std::string(recorded.name),
          .compute_major = recorded.major,
          .compute_minor = recorded.minor,
          .sm_count = recorded.sms,
          .warp_size = recorded.warp,
          .total_memory_bytes = recorded.memory};
}

TEST(MatchDevice, FindsWhatTracesRecord) {
  for (const Recorded& recorded : kRecorded) {
    SCOPED_TRACE(recorded.name);
    const DeviceMatch found = match(query_of(recorded));
    EXPECT_EQ(found.how, recorded.kind);
    EXPECT_EQ(found.device.name, recorded.device);
    EXPECT_EQ(found.device.vendor, recorded.vendor);
    EXPECT_EQ(found.note.empty(), found.how == ByName) << found.note;
  }
}

TEST(MatchDevice, FindsEveryRowByItsNameInAnyCaseAndSpacing) {
  for (const Device& device : builtin_device_table().devices) {
    std::string spelt;
    for (const char c : "  " + device.name + "\t") {
      spelt += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      if (c == ' ') spelt += ' ';
    }
    const DeviceMatch found = match({.name = spelt});
    EXPECT_EQ(found.how, ByName) << spelt;
    EXPECT_EQ(found.device.name, device.name);
  }
}

TEST(MatchDevice, FindsEveryRowByItsAliases) {
  for (const Device& device : builtin_device_table().devices) {
    for (const std::string& alias : device.aliases) {
      const DeviceMatch found = match({.name = alias, .sm_count = device.sm_count->count()});
      EXPECT_TRUE(found.how == ByAlias || found.how == ByName) << alias;
      EXPECT_EQ(found.device.name, device.name) << alias;
    }
  }
}

struct Case {
  std::string_view name;
  DeviceQuery query;
  MatchKind kind;
  std::string_view device;
  std::string_view note;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class MatchDeviceCase : public testing::TestWithParam<Case> {};

TEST_P(MatchDeviceCase, SaysHowAndWhy) {
  const DeviceMatch found = match(GetParam().query);
  EXPECT_EQ(found.how, GetParam().kind);
  EXPECT_EQ(found.device.name, GetParam().device);
  EXPECT_EQ(found.note, GetParam().note);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MatchDeviceCase,
    testing::Values(
        Case{"OldDriverName", {.name = "GeForce RTX 3090"}, ByName, "NVIDIA GeForce RTX 3090", ""},
        Case{"PropertiesOnly",
             {.vendor = Vendor::Nvidia,
              .compute_major = 9,
              .compute_minor = 0,
              .sm_count = 132,
              .total_memory_bytes = 85018279936},
             ByProperties,
             "NVIDIA H100 80GB HBM3",
             "the device has no name; its properties (nvidia, compute capability 9.0, 132 multiprocessors, "
             "79.2 GiB) "
             "fit only NVIDIA H100 80GB HBM3"},
        // AMD reports 9.0 too; only its number of multiprocessors tells, and it must not become a Hopper.
        Case{"VendorHintDecides",
             {.vendor = Vendor::Amd,
              .compute_major = 9,
              .compute_minor = 0,
              .sm_count = 132,
              .total_memory_bytes = 85018279936},
             Unknown,
             "unknown device",
             "the device has no name, and no device of the table has its properties (amd, compute capability "
             "9.0, "
             "132 "
             "multiprocessors, 79.2 GiB); its constants are assumed"},
        Case{"TwoBoardsFit",
             {.vendor = Vendor::Nvidia,
              .compute_major = 8,
              .compute_minor = 0,
              .sm_count = 108,
              .total_memory_bytes = 84990623744},
             Unknown,
             "unknown device",
             "the device has no name; its properties (nvidia, compute capability 8.0, 108 multiprocessors, "
             "79.2 GiB) "
             "fit 2 devices (NVIDIA A100-SXM4-80GB, NVIDIA A100 80GB PCIe), so its constants are assumed "
             "from these"},
        Case{"MemoryMissing",
             {.compute_major = 9, .compute_minor = 0, .sm_count = 132},
             Unknown,
             "unknown device",
             "the device has no name; its properties (compute capability 9.0, 132 multiprocessors) fit 3 "
             "devices "
             "(NVIDIA H100 80GB HBM3, NVIDIA H200, NVIDIA GH200 480GB), so its constants are assumed from "
             "these"},
        Case{"MemoryMissingButUnique",
             {.compute_major = 10, .compute_minor = 0, .sm_count = 148},
             ByProperties,
             "NVIDIA B200",
             "the device has no name; its properties (compute capability 10.0, 148 multiprocessors) fit only "
             "NVIDIA B200"},
        Case{"TooFewProperties",
             {.name = "NVIDIA B300", .compute_major = 10, .compute_minor = 0},
             Unknown,
             "NVIDIA B300",
             "'NVIDIA B300' is not in the device table, and its properties (nvidia, compute capability 10.0) "
             "are too few "
             "to find it; its constants are assumed"},
        Case{"NothingRecorded",
             {},
             Unknown,
             "unknown device",
             "the device has no name, and its properties (none recorded) are too few to find it; its "
             "constants are "
             "assumed"},
        Case{"SharedAliasResolved",
             {.name = "AMD Instinct MI250X/MI250", .compute_major = 9, .compute_minor = 0, .sm_count = 110},
             ByAlias,
             "AMD Instinct MI250X",
             "'AMD Instinct MI250X/MI250' is the name of 2 devices; its properties (amd, compute capability "
             "9.0, 110 "
             "multiprocessors) fit AMD Instinct MI250X"},
        Case{"SharedAliasAmbiguous",
             {.name = "AMD Instinct MI250X/MI250"},
             Unknown,
             "AMD Instinct MI250X/MI250",
             "'AMD Instinct MI250X/MI250' may be any of AMD Instinct MI250X, AMD Instinct MI210, and its "
             "properties "
             "(amd) fit several of them; its constants are assumed"},
        // Orin NX and Nano call themselves Orin, with half of the multiprocessors.
        Case{"NameOfABiggerPart",
             {.name = "Orin", .compute_major = 8, .compute_minor = 7, .sm_count = 8},
             Unknown,
             "Orin",
             "'Orin' is the name of Orin, but it has 8 multiprocessors, not 16; its constants are assumed"},
        Case{"SlightlyCutDown",
             {.name = "NVIDIA L40S", .compute_major = 8, .compute_minor = 9, .sm_count = 140},
             ByName,
             "NVIDIA L40S",
             "it has 140 multiprocessors, not 142"},
        Case{"WithinTheSourcesDoubt",
             {.name = "NVIDIA L4", .compute_major = 8, .compute_minor = 9, .sm_count = 60},
             ByName,
             "NVIDIA L4",
             ""},
        Case{"OtherMemory",
             {.name = "NVIDIA H200", .sm_count = 132, .total_memory_bytes = 100 * kGb},
             ByName,
             "NVIDIA H200",
             "its memory is 93.1 GiB, not that of the table"},
        Case{"NameAgainstVendor",
             {.name = "NVIDIA H200", .vendor = Vendor::Amd},
             Unknown,
             "NVIDIA H200",
             "'NVIDIA H200' is the name of NVIDIA H200, but the vendor is amd, not nvidia; its constants are "
             "assumed"},
        Case{"NameAgainstCapability",
             {.name = "NVIDIA H200", .compute_major = 8, .compute_minor = 0},
             Unknown,
             "NVIDIA H200",
             "'NVIDIA H200' is the name of NVIDIA H200, but the compute capability is 8.0, not 9.0; its "
             "constants are "
             "assumed"},
        Case{"NameAgainstWarpSize",
             {.name = "AMD Instinct MI210", .warp_size = 32},
             Unknown,
             "AMD Instinct MI210",
             "'AMD Instinct MI210' is the name of AMD Instinct MI210, but the warp size is 32, not 64; its "
             "constants are "
             "assumed"},
        Case{"NameAgainstProperties",
             {.name = "NVIDIA H100",
              .compute_major = 9,
              .compute_minor = 0,
              .sm_count = 132,
              .total_memory_bytes = 102085492736},
             Unknown,
             "NVIDIA H100",
             "'NVIDIA H100' is not in the device table; its properties (nvidia, compute capability 9.0, 132 "
             "multiprocessors, 95.1 GiB) fit NVIDIA GH200 480GB, but the name speaks against that, so its "
             "constants are "
             "assumed"},
        Case{"Mi350XIsNoMi355X",
             {.name = "AMD Instinct MI350X",
              .compute_major = 9,
              .compute_minor = 5,
              .sm_count = 256,
              .warp_size = 64,
              .total_memory_bytes = 309220868096},
             Unknown,
             "AMD Instinct MI350X",
             "'AMD Instinct MI350X' is not in the device table; its properties (amd, compute capability 9.5, "
             "256 "
             "multiprocessors, 288 GiB) fit AMD Instinct MI355X, but the name speaks against that, so its "
             "constants are "
             "assumed"},
        Case{"Slice",
             {.name = "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
              .compute_major = 8,
              .compute_minor = 0,
              .sm_count = 42,
              .total_memory_bytes = 20 * kGb},
             ByName,
             "NVIDIA A100-SXM4-40GB",
             "a slice of NVIDIA A100-SXM4-40GB"},
        Case{"UnprintableName",
             {.name = "evil\x1b[31m"},
             Unknown,
             "evil?[31m",
             "'evil?[31m' is not in the device table, and its properties (none recorded) are too few to find "
             "it; its "
             "constants are assumed"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MatchDevice, WorksOnAUsersSmallTable) {
  const auto table = parse_device_table(
      R"({"format_version": 1, "devices": [{"name": "MG 1", "vendor": "amd", "dram_peak_gbps": 100}]})",
      "my.json");
  ASSERT_TRUE(table);
  EXPECT_EQ(match_device(*table, {.name = "mg 1"}).how, ByName);
  const DeviceMatch other =
      match_device(*table, {.name = "MG 2", .compute_major = 1, .compute_minor = 0, .sm_count = 4});
  EXPECT_EQ(other.how, Unknown);
  EXPECT_EQ(other.device.dram_peak_gbps,
            (Quantity{50, 100, 200, Provenance::Assumed, "assumed: median of 1 device of the table"}));
}

}  // namespace
}  // namespace foretell::cost
