// SPDX-License-Identifier: Apache-2.0
#include "src/base/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string_view>

namespace foretell {
namespace {

struct Duration {
  std::string_view name;
  std::int64_t ns;
  std::string_view want;
};
void PrintTo(const Duration& c, std::ostream* out) { *out << c.name; }

class FormatDuration : public testing::TestWithParam<Duration> {};

TEST_P(FormatDuration, ThreeSignificantDigits) { EXPECT_EQ(format_duration(GetParam().ns), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Text, FormatDuration,
                         testing::Values(Duration{"Zero", 0, "0 ns"}, Duration{"Nanoseconds", 950, "950 ns"},
                                         Duration{"BelowOneMicrosecond", 999, "999 ns"},
                                         Duration{"OneMicrosecond", 1'000, "1.00 us"},
                                         Duration{"Microseconds", 12'345, "12.3 us"},
                                         Duration{"RoundsUpADigit", 9'996, "10.0 us"},
                                         Duration{"RoundsUpTwoDigits", 99'960, "100 us"},
                                         Duration{"RoundsUpTheUnit", 999'600, "1.00 ms"},
                                         Duration{"Milliseconds", 4'567'000, "4.57 ms"},
                                         Duration{"RoundsUpToSeconds", 999'600'000, "1.00 s"},
                                         Duration{"Seconds", 1'200'000'000, "1.20 s"},
                                         Duration{"ManySeconds", 123'456'000'000'000, "123456 s"},
                                         Duration{"Negative", -12'345, "-12.3 us"},
                                         Duration{"NegativeNanoseconds", -1, "-1 ns"}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Text, DurationOfTheLongestTimesHasAUnit) {
  EXPECT_EQ(format_duration(std::numeric_limits<std::int64_t>::max()), "9223372037 s");
  EXPECT_EQ(format_duration(std::numeric_limits<std::int64_t>::min()), "-9223372037 s");
}

struct Size {
  std::string_view name;
  std::uint64_t bytes;
  std::string_view want;
};
void PrintTo(const Size& c, std::ostream* out) { *out << c.name; }

class FormatBytes : public testing::TestWithParam<Size> {};

TEST_P(FormatBytes, PowersOf1024) { EXPECT_EQ(format_bytes(GetParam().bytes), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Text, FormatBytes,
    testing::Values(Size{"Zero", 0, "0 B"}, Size{"Bytes", 616, "616 B"}, Size{"LastByte", 1'023, "1023 B"},
                    Size{"Kibi", 1'024, "1.00 KiB"}, Size{"Mebi", 20 << 20, "20.0 MiB"},
                    Size{"RoundsUpTheUnit", (std::uint64_t{1} << 30) - 1, "1.00 GiB"},
                    Size{"Tebi", std::uint64_t{3} << 40, "3.00 TiB"},
                    Size{"Largest", std::numeric_limits<std::uint64_t>::max(), "16384 PiB"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Text, CountsHaveThousandsSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(12'345'678), "12,345,678");
  EXPECT_EQ(format_count(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Text, SharesHaveOneDecimal) {
  EXPECT_EQ(format_share(0.1234), "12.3 %");
  EXPECT_EQ(format_share(0), "0.0 %");
  EXPECT_EQ(format_share(1), "100.0 %");
}

TEST(Text, CountedNounsAgree) {
  EXPECT_EQ(format_counted(0, "kernel"), "0 kernels");
  EXPECT_EQ(format_counted(1, "kernel"), "1 kernel");
  EXPECT_EQ(format_counted(2'000, "kernel"), "2,000 kernels");
  EXPECT_EQ(format_counted(2, "launch", "launches"), "2 launches");
  EXPECT_EQ(format_counted(1, "launch", "launches"), "1 launch");
}

TEST(Text, EllipsizeCountsCharactersNotBytes) {
  EXPECT_EQ(ellipsize("short", 5), "short");
  EXPECT_EQ(ellipsize("longer", 5), "lo...");
  EXPECT_EQ(ellipsize("äöüäöü", 6), "äöüäöü");
  EXPECT_EQ(ellipsize("äöüäöü", 5), "äö...");
  EXPECT_EQ(ellipsize("", 5), "");
  EXPECT_EQ(ellipsize("abcdef", 3), "...");
}

TEST(Text, NearestNeedsToBeNear) {
  constexpr std::array<std::string_view, 3> kVerbs{"analyze", "run", "compare"};
  EXPECT_EQ(nearest("analyse", kVerbs), "analyze");
  EXPECT_EQ(nearest("ANALYZE", kVerbs), "analyze");
  EXPECT_EQ(nearest("rum", kVerbs), "run");
  EXPECT_EQ(nearest("comprae", kVerbs), "compare");
  EXPECT_EQ(nearest("xyz", kVerbs), std::nullopt);
  EXPECT_EQ(nearest("", kVerbs), std::nullopt);
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

TEST(Text, EqualsIgnoreCaseIsAsciiOnly) {
  EXPECT_TRUE(equals_ignore_case("Kernel", "kernel"));
  EXPECT_FALSE(equals_ignore_case("kernel", "kernels"));
  EXPECT_FALSE(equals_ignore_case("[", "{"));
  EXPECT_TRUE(equals_ignore_case("", ""));
}

TEST(Text, PrintableHoldsNoControlCharacter) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\x7f"), "a?[31mb?c?");
  EXPECT_EQ(printable("ä"), "ä");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "b"),
            "a?b");  // the one-character form of escape [
  EXPECT_EQ(printable("a\xC2\xA0"
                      "b\xC2"),
            "a\xC2\xA0"
            "b\xC2");
}

}  // namespace
}  // namespace foretell
