// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/tolerant_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

namespace foretell::ingest::kineto {
namespace {

using profile::Stat;
using testing::HasSubstr;
using Kind = TolerantStop::Kind;

struct Case {
  std::string_view name;
  std::string_view text;
  bool final;
  Kind want;
  std::size_t events;
  std::size_t event_begin;
  std::size_t at;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class ReadTolerantly : public testing::TestWithParam<Case> {};

TEST_P(ReadTolerantly, StopsWhereItMust) {
  EventReader reader;
  EventBatch batch;

  const TolerantStop stop = read_tolerantly(GetParam().text, GetParam().final, 0, reader, batch);

  EXPECT_EQ(stop.kind, GetParam().want);
  EXPECT_EQ(batch.events.size(), GetParam().events);
  EXPECT_EQ(stop.event_begin, GetParam().event_begin);
  EXPECT_EQ(stop.at, GetParam().at);
}

INSTANTIATE_TEST_SUITE_P(
    TolerantReader, ReadTolerantly,
    testing::Values(
        Case{"Nothing", "", true, Kind::EndOfText, 0, 0, 0},
        Case{"WhiteSpace", " \n", true, Kind::EndOfText, 0, 2, 2},
        Case{"OneEvent", R"({"ph":"X"})", true, Kind::EndOfText, 1, 10, 10},
        Case{"OneEventThatMayGoOn", R"({"ph":"X"})", false, Kind::NeedsMore, 0, 0, 10},
        Case{"EventAndComma", R"({"ph":"X"},)", false, Kind::EndOfText, 1, 11, 11},
        Case{"ArrayEnd", R"({"ph":"X"} ,{"ph":"i"}] tail)", false, Kind::ArrayEnd, 2, 22, 22},
        Case{"EmptyArray", "]", false, Kind::ArrayEnd, 0, 0, 0},
        Case{"CutInSecond", R"({"ph":"X"},{"ph":"X","na)", false, Kind::NeedsMore, 1, 11, 24},
        Case{"CutInSecondAtTheEnd", R"({"ph":"X"},{"ph":"X","na)", true, Kind::NeedsMore, 1, 11, 24},
        Case{"BrokenSecond", R"({"ph":"X"},{"ph":"X",tid":0},{"ph":"X"}])", true, Kind::Broken, 1, 11, 21},
        Case{"NoComma", R"({"ph":"X"} {"ph":"X"})", true, Kind::Broken, 1, 11, 11},
        Case{"TwoCommas", R"({"ph":"X"},,{"ph":"X"})", true, Kind::Broken, 1, 11, 11}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(TolerantReader, CountsWhatItMendsAndPlacesTheFirst) {
  EventReader reader;
  EventBatch batch;
  const std::string text =
      "{\"ph\":\"X\",\"name\":\"good\"},{\"ph\":\"X\",\"name\":\"b\x01\",\"args\":{\"x\":inf}},\n{\"name\":"
      "\"\x02\"}]";

  const TolerantStop stop = read_tolerantly(text, true, 1'000, reader, batch);

  EXPECT_EQ(stop.kind, Kind::ArrayEnd);
  EXPECT_EQ(batch.events.size(), 3U);
  EXPECT_EQ(batch.stats[Stat::StringsRepaired], 2U);
  EXPECT_EQ(batch.stats[Stat::NonFiniteValues], 1U);
  EXPECT_EQ(batch.first_repair, 1'000 + text.find('\x01'));
  EXPECT_EQ(batch.strings[batch.events[1].name], "b\xEF\xBF\xBD");
}

TEST(TolerantReader, TrailingCommaIsCounted) {
  EventReader reader;
  EventBatch batch;

  EXPECT_EQ(read_tolerantly(R"({"ph":"X"},])", true, 0, reader, batch).kind, Kind::ArrayEnd);
  EXPECT_EQ(batch.stats[Stat::TrailingCommas], 1U);
}

TEST(TolerantReader, ValueThatIsNoObjectIsCountedNotRead) {
  EventReader reader;
  EventBatch batch;

  EXPECT_EQ(read_tolerantly(R"(7,"x",[1],null,{"ph":"X"})", true, 0, reader, batch).kind, Kind::EndOfText);
  EXPECT_EQ(batch.events.size(), 1U);
  EXPECT_EQ(batch.stats[Stat::NotAnObject], 4U);
}

TEST(TolerantReader, BrokenStopSaysWhatWasExpected) {
  EventReader reader;
  EventBatch batch;

  EXPECT_THAT(read_tolerantly(R"({"ph" "X"})", true, 0, reader, batch).expected, HasSubstr("expected ':'"));
  EXPECT_THAT(read_tolerantly(R"({} x)", true, 0, reader, batch).expected, HasSubstr("expected ',' or ']'"));
}

TEST(FindNextEvent, SkipsToAnObjectWithAPhase) {
  const std::string_view text =
      R"({"ph":"X","name":"a"b","args":{"x":1,"y":{}}}, {"no": "ph"}, {"ph" : "X"},)";

  const Resync resync = find_next_event(text, false, 0);

  EXPECT_EQ(resync.at, text.find(R"({"ph" :)"));
}

TEST(FindNextEvent, NeedsMoreWhereAnEventMayFollow) {
  for (const std::string_view text : {R"(x)", R"(x,)", R"(x, {"ph": "X")", R"(x, [1], 2)"}) {
    const Resync resync = find_next_event(text, false, 0);
    EXPECT_EQ(resync.at, std::string_view::npos) << text;
    EXPECT_EQ(resync.at, std::string_view::npos) << text;
  }
}

}  // namespace
}  // namespace foretell::ingest::kineto
