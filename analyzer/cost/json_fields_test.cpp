// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/json_fields.hpp"

#include <gtest/gtest.h>

#include <array>

namespace foretell::cost {
namespace {

constexpr std::array kProvenances{Provenance::Measured, Provenance::Probed, Provenance::Derived};

struct Case {
  std::string_view json;
  void (*read)(Fields& fields);
  std::string_view fault;  // empty: none
};

TEST(Fields, KeepTheFirstFault) {
  const Case rows[] = {
      {R"({"a": "x"})", [](Fields& f) { f.text("a"); }, ""},
      {R"({"a": 1})", [](Fields& f) { f.text("a"); }, "expected text for 'a', found number 1"},
      {R"({"a": null})", [](Fields& f) { f.text("a"); }, "expected text for 'a', found none"},
      {R"({})", [](Fields& f) { EXPECT_EQ(f.text_if_any("a"), std::nullopt); }, ""},
      {R"({"a": 1})", [](Fields& f) { f.text_if_any("a"); }, "expected text for 'a', found number 1"},
      {R"({"a": 9223372036854775807})", [](Fields& f) { EXPECT_EQ(f.whole("a"), INT64_MAX); }, ""},
      {R"({"a": 9223372036854775808})", [](Fields& f) { f.whole("a"); },
       "expected a whole number of at least 0 for 'a', found number 9223372036854775808"},
      {R"({"a": 1.0})", [](Fields& f) { f.whole("a"); },
       "expected a whole number of at least 0 for 'a', found number 1.0"},
      {R"({"a": -0.5})", [](Fields& f) { f.number("a"); },
       "expected a number of at least 0 for 'a', found number -0.5"},
      {R"({"a": 1})", [](Fields& f) { f.flag("a"); }, "expected true or false for 'a', found number 1"},
      {R"({"a": {}})", [](Fields& f) { f.array("a"); }, "expected an array for 'a', found object"},
      {R"({"a": []})", [](Fields& f) { f.object("a"); }, "expected an object for 'a', found array"},
      {R"({"a": "probed"})",
       [](Fields& f) { EXPECT_EQ(f.provenance("a", kProvenances), Provenance::Probed); }, ""},
      {R"({"a": "guessed"})", [](Fields& f) { f.provenance("a", kProvenances); },
       "expected measured, probed or derived for 'a', found 'guessed'"},
      {R"({"b": 1, "a": 2})", [](Fields& f) { f.only(std::array<std::string_view, 1>{"a"}); },
       "unknown key 'b' (did you mean 'a'?)"},
      {R"({"a": 1, "b": 2})",
       [](Fields& f) {
         f.text("b");
         f.text("a");
       },
       "expected text for 'b', found number 2"},
      {R"([])",
       [](Fields& f) {
         f.only({});
         f.number("a");
       },
       "expected an object, found array"},
      {R"({})", [](Fields& f) { f.check_order({"x", "", 2, 1, 3, Provenance::Probed, ""}); },
       "expected low <= expected <= high, found 2, 1, 3"},
  };
  for (const Case& row : rows) {
    SCOPED_TRACE(row.json);
    const Json object = Json::parse(row.json);
    Fields fields(object, "here", "a hint");
    row.read(fields);
    const auto done = fields.done();
    EXPECT_EQ(done.has_value(), row.fault.empty());
    if (!done) {
      EXPECT_EQ(done.error(), (Error{ErrorCode::BadInput, "here", std::string(row.fault), "a hint"}));
    }
  }
}

TEST(ConstantJson, KeysStandInAFixedOrder) {
  EXPECT_EQ(constant_json({"x_ns", "ns", 1, 2, 3, Provenance::Derived, "sizes"}).dump(),
            R"({"name":"x_ns","unit":"ns","low":1.0,"expected":2.0,"high":3.0,"provenance":"derived",)"
            R"("source":"sizes"})");
}

}  // namespace
}  // namespace foretell::cost
