// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

namespace foretell::ingest::kineto {
namespace {

using testing::HasSubstr;
using namespace std::string_view_literals;

struct Mend {
  std::string_view name;
  std::string_view text;
  std::string_view want;
  std::uint64_t strings = 0;
  std::uint64_t non_finite = 0;
  bool illegal_escapes = false;
};
void PrintTo(const Mend& c, std::ostream* out) { *out << c.name; }

class RepairValue : public testing::TestWithParam<Mend> {};

TEST_P(RepairValue, WritesValidJson) {
  const auto repaired = repair_value(GetParam().text);

  ASSERT_TRUE(repaired.has_value()) << repaired.error().expected;
  EXPECT_EQ(repaired->json, GetParam().want);
  EXPECT_EQ(repaired->consumed,
            GetParam().text.size() - 1);  // each text ends in a comma, which is not the value's
  EXPECT_EQ(repaired->strings_repaired, GetParam().strings);
  EXPECT_EQ(repaired->non_finite, GetParam().non_finite);
  EXPECT_EQ(repaired->illegal_escapes, GetParam().illegal_escapes);
  EXPECT_EQ(repaired->first_repair.has_value(), GetParam().strings > 0);
}

INSTANTIATE_TEST_SUITE_P(
    Repair, RepairValue,
    testing::Values(
        Mend{"Object", R"({"a": [1, -2.5e+3, true, false, null, "x"], "b": {}},)",
             R"({"a": [1, -2.5e+3, true, false, null, "x"], "b": {}})"},
        Mend{"Scalar", "0,", "0"}, Mend{"EmptyArray", "[ ],", "[ ]"},
        Mend{"LegalEscapes", R"("\" \\ \/ \b\f\n\r\t \u00e4 \ud83d\ude00",)",
             R"("\" \\ \/ \b\f\n\r\t \u00e4 \ud83d\ude00")"},
        Mend{"BigNumber", "18446744073709551617,", "18446744073709551617"},
        Mend{"MalformedNumbers", "[.5, +3, 01, 1.],", "[null, null, null, null]", 0, 4},
        Mend{"NonFinite", "[inf, -inf, nan, NaN, Infinity, -Infinity, N/A, 1.#INF],",
             "[null, null, null, null, null, null, null, null]", 0, 8},
        Mend{"IllegalEscape", R"("torch\cuda\_lazy",)", R"("torch\\cuda\\_lazy")", 1, 0, true},
        Mend{"AllEscapesAreLiteralOnceOneIsIllegal", R"("a\nb\_c\"d\\e",)", R"("a\\nb\\_c\"d\\e")", 1, 0,
             true},
        Mend{"UnfinishedUnicodeEscape", R"("\u12",)", R"("\\u12")", 1, 0, true},
        Mend{"UnicodeEscapeThatIsNoHex", R"("\users",)", R"("\\users")", 1, 0, true},
        Mend{"RawControlCharacters", "\"a\x01\x1f\n\",", "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", 1},
        Mend{"RawZero", "\"a\0b\","sv,
             "\"a\xEF\xBF\xBD"
             "b\"",
             1},
        Mend{"InvalidByte",
             "\"a\xFF"
             "b\",",
             "\"a\xEF\xBF\xBD"
             "b\"",
             1},
        Mend{"OverlongUtf8", "\"\xC0\xAF\",", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", 1},
        Mend{"SurrogateInUtf8", "\"\xED\xA0\x80\",", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", 1},
        Mend{"CutUtf8", "\"\xE2\x82\",", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", 1},
        Mend{"GoodUtf8", "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\",",
             "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        Mend{"LoneHighSurrogate", R"("\ud800",)", "\"\xEF\xBF\xBD\"", 1},
        Mend{"LoneLowSurrogate", R"("\udc00x",)", "\"\xEF\xBF\xBDx\"", 1},
        Mend{"HighSurrogateThenOther", R"("\ud800\u0041",)", "\"\xEF\xBF\xBD\\u0041\"", 1},
        Mend{"TwoStrings", "{\"\x01\": \"\x02\"},", "{\"\xEF\xBF\xBD\": \"\xEF\xBF\xBD\"}", 2}),
    [](const auto& param) { return std::string(param.param.name); });

struct Refuse {
  std::string_view name;
  std::string_view text;
  std::size_t at;
  std::string_view expected;
};
void PrintTo(const Refuse& c, std::ostream* out) { *out << c.name; }

class RefuseValue : public testing::TestWithParam<Refuse> {};

TEST_P(RefuseValue, NamesThePlace) {
  const auto repaired = repair_value(GetParam().text);

  ASSERT_FALSE(repaired.has_value());
  EXPECT_FALSE(repaired.error().needs_more);
  EXPECT_EQ(repaired.error().at, GetParam().at);
  EXPECT_THAT(repaired.error().expected, HasSubstr(std::string(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Repair, RefuseValue,
    testing::Values(
        Refuse{"KeyWithoutQuote", R"({"a": 1, tid": 0})", 9, "expected '\"' to open a key, found 't'"},
        Refuse{"NoColon", R"({"a" 1})", 5, "expected ':' after a key, found '1'"},
        Refuse{"NoComma", R"({"a": 1 "b": 2})", 8, "expected ',' or '}' after a value, found '\"'"},
        Refuse{"TrailingCommaInObject", R"({"a": 1,})", 8, "expected '\"' to open a key, found '}'"},
        Refuse{"TrailingCommaInArray", "[1,]", 3, "expected a value, found ']'"},
        Refuse{"WrongBracket", "[1}", 2, "expected ',' or ']' after a value, found '}'"},
        Refuse{"UnknownWord", "[maybe]", 1, "expected a value, found 'maybe'"},
        Refuse{"Hexadecimal", "[0x1F]", 1, "expected a value, found '0x1F'"},
        Refuse{"CommaFirst", ",1", 0, "expected a value, found ','"},
        Refuse{"UnprintableByte", "\x01,", 0, "expected a value, found byte 0x01"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(Repair, EveryPrefixOfAValueNeedsMore) {
  const std::string_view text =
      R"({"ph": "X", "n\u00e4me": "a\"b\\", "ts": 12.5, "args": {"grid": [1, 2, 3], "x": null}})";
  for (std::size_t size = 1; size < text.size(); ++size) {
    const auto repaired = repair_value(text.substr(0, size));

    ASSERT_FALSE(repaired.has_value()) << text.substr(0, size);
    EXPECT_TRUE(repaired.error().needs_more) << text.substr(0, size);
  }
  EXPECT_TRUE(repair_value(text).has_value());
}

TEST(Repair, PlacesTheFirstRepair) {
  const auto repaired = repair_value("{\"good\": \"ok\", \"bad\": \"a\x01\x02\"},");

  ASSERT_TRUE(repaired.has_value());
  EXPECT_EQ(repaired->first_repair, 24U);
  EXPECT_EQ(repaired->strings_repaired, 1U);
}

TEST(Repair, RefusesNestingWithoutEnd) {
  const std::string deep(100'000, '[');

  const auto repaired = repair_value(deep);

  ASSERT_FALSE(repaired.has_value());
  EXPECT_FALSE(repaired.error().needs_more);
  EXPECT_THAT(repaired.error().expected, HasSubstr("256 levels"));
}

TEST(Repair, ValidJsonPassesUnchanged) {
  const std::string_view text = R"({"a":[1,2.5,"x\ny",{"b":null}],"c":-0.0})";

  const auto once = repair_value(text);
  ASSERT_TRUE(once.has_value());
  const auto twice = repair_value(once->json);

  ASSERT_TRUE(twice.has_value());
  EXPECT_EQ(once->json, text);
  EXPECT_EQ(twice->json, once->json);
}

}  // namespace
}  // namespace foretell::ingest::kineto
