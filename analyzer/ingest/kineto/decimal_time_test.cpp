// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/decimal_time.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

namespace foretell::ingest::kineto {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Case {
  std::string_view name;
  std::string_view text;
  std::optional<std::int64_t> want_ns;
  bool want_fraction = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Microseconds : public testing::TestWithParam<Case> {};

TEST_P(Microseconds, AreReadExactlyOrNotAtAll) {
  const auto parsed = parse_microseconds(GetParam().text);

  ASSERT_EQ(parsed.has_value(), GetParam().want_ns.has_value());
  if (parsed) {
    EXPECT_EQ(parsed->ns, *GetParam().want_ns);
    EXPECT_EQ(parsed->has_fraction, GetParam().want_fraction);
  }
}

INSTANTIATE_TEST_SUITE_P(
    DecimalTime, Microseconds,
    testing::Values(
        Case{"Zero", "0", 0}, Case{"Whole", "633", 633'000},
        Case{"SinceTheEpoch", "1747123456789012.345", 1'747'123'456'789'012'345, true},
        Case{"TrailingZeros", "1747123456789013.000", 1'747'123'456'789'013'000, true},
        Case{"ShortFraction", "100.7", 100'700, true}, Case{"Negative", "-0.2", -200, true},
        Case{"NegativeZero", "-0", 0}, Case{"RoundsDown", "0.0004", 0, true},
        Case{"RoundsHalfUp", "0.0005", 1, true}, Case{"RoundsHalfAwayFromZero", "-0.0005", -1, true},
        Case{"LongFraction", "1.23456789012345678901234567890", 1'235, true},
        Case{"CarriesThroughNines", "0.9999", 1'000, true}, Case{"Exponent", "1.5e3", 1'500'000, true},
        Case{"ExponentWithPlus", "15E+2", 1'500'000}, Case{"NegativeExponent", "1500e-3", 1'500},
        Case{"FractionOfANanosecond", "9e-4", 1}, Case{"FarBelowANanosecond", "999e-7", 0},
        Case{"ZeroWithAHugeExponent", "0e300", 0}, Case{"VanishesWithAHugeExponent", "1e-300", 0},
        Case{"Largest", "9223372036854775.807", kMax, true},
        Case{"MostNegative", "-9223372036854775.807", -kMax, true},
        Case{"BeyondTheLargest", "9223372036854775.808", std::nullopt},
        Case{"RoundsBeyondTheLargest", "9223372036854775.8075", std::nullopt},
        Case{"HugeExponent", "1e300", std::nullopt}, Case{"ExponentBeyondInt", "1e99999999999", std::nullopt},
        Case{"Empty", "", std::nullopt}, Case{"SignOnly", "-", std::nullopt},
        Case{"PlusSign", "+1", std::nullopt}, Case{"NoWholePart", ".5", std::nullopt},
        Case{"NoFraction", "1.", std::nullopt}, Case{"NoExponent", "1e", std::nullopt},
        Case{"TwoExponentSigns", "1e+-5", std::nullopt}, Case{"LeadingSpace", " 1", std::nullopt},
        Case{"TrailingSpace", "1 ", std::nullopt}, Case{"Letters", "12us", std::nullopt},
        Case{"Null", "null", std::nullopt}, Case{"NotANumber", "nan", std::nullopt},
        Case{"Hexadecimal", "0x10", std::nullopt}, Case{"TwoPoints", "1.2.3", std::nullopt}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(DecimalTime, EveryNanosecondSurvivesTheRoundTrip) {
  constexpr unsigned kSeed = 20240501;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() >> (1 + random() % 60));
    for (const std::int64_t want : {ns, -ns}) {
      const std::string text =
          fmt::format("{}{}.{:03}", want < 0 ? "-" : "", std::abs(want) / 1000, std::abs(want) % 1000);

      const auto parsed = parse_microseconds(text);

      ASSERT_TRUE(parsed.has_value()) << text << ", seed " << kSeed;
      ASSERT_EQ(parsed->ns, want) << text << ", seed " << kSeed;
    }
  }
}

TEST(DecimalTime, IntegersAreExactOrRefused) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("9223372036854775807"), kMax);
  EXPECT_EQ(parse_integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_integer("18446744073709551617"), std::nullopt);
  EXPECT_EQ(parse_integer("1.0"), std::nullopt);
  EXPECT_EQ(parse_integer("1e3"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("stream 7"), std::nullopt);
}

}  // namespace
}  // namespace foretell::ingest::kineto
