// SPDX-License-Identifier: Apache-2.0
// What the text form's reader refuses, as the user sees it.
#include <gtest/gtest.h>

#include <string>

#include "fusion-engine/ir/text.hpp"

namespace foretell::ir {
namespace {

struct Case {
  const char* name;
  std::string text;
  const char* want;
};
std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
class ParseError : public testing::TestWithParam<Case> {};

TEST_P(ParseError, TellsPlaceExpectedAndFound) {
  const Result<Graph> graph = parse(GetParam().text, "f");
  ASSERT_FALSE(graph.has_value());
  const Error& error = graph.error();
  EXPECT_EQ(error.where + ": " + error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"),
            GetParam().want);
}

std::string after_x(std::string_view line) {
  return "graph g\nx = input(to=f32, shape=[2,3])\n" + std::string(line) + "\n";
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ParseError,
    testing::Values(Case{"empty", "", "f:1:1: expected 'graph' and a name, found the end of the text"},
                    Case{"no_graph", "x = exp(y)", "f:1:1: expected 'graph' and a name, found 'x'"},
                    Case{"no_name", "graph\n", "f:1:6: expected the graph's name, found the end of the line"},
                    Case{"two_names", "graph a b\n", "f:1:9: expected the end of the line, found 'b'"},
                    Case{"no_equals", after_x("y exp(x)"), "f:3:3: expected '=', found 'exp'"},
                    Case{"no_op", after_x("y = 5"), "f:3:5: expected an op, found '5'"},
                    Case{"misspelt_op", after_x("y = sofmax(x)"),
                         "f:3:5: expected an op, found 'sofmax' (did you mean 'softmax'?)"},
                    Case{"no_parenthesis", after_x("y = exp x"), "f:3:9: expected '(', found 'x'"},
                    Case{"no_comma", after_x("y = add(x x)"), "f:3:11: expected ',' or ')', found 'x'"},
                    Case{"open_parenthesis", after_x("y = add(x,"),
                         "f:3:11: expected an operand or an attribute, found the end of the line"},
                    Case{"two_on_a_line", after_x("y = exp(x) z = exp(x)"),
                         "f:3:12: expected the end of the line, found 'z'"},
                    Case{"no_statement", after_x("= exp(x)"), "f:3:1: expected a statement, found '='"},
                    Case{"operand_after_attribute", after_x("y = sum(axes=[0], x)"),
                         "f:3:19: expected an attribute after the first one, found 'x'"},
                    Case{"unknown_attribute", after_x("y = sum(x, axs=[0])"),
                         "f:3:12: expected an attribute, found 'axs'"},
                    Case{"attribute_twice", after_x("y = sum(x, axes=[0], axes=[1])"),
                         "f:3:22: attribute 'axes' is given twice"},
                    Case{"no_list", after_x("y = sum(x, axes=0)"), "f:3:17: expected '[', found '0'"},
                    Case{"no_integer", after_x("y = sum(x, axes=[0.5])"),
                         "f:3:18: expected an integer of 64 bits for 'axes', found '0.5'"},
                    Case{"large_integer", after_x("y = softmax(x, axis=99999999999999999999)"),
                         "f:3:21: expected an integer of 64 bits for 'axis', found '99999999999999999999'"},
                    Case{"open_list", after_x("y = sum(x, axes=[0"),
                         "f:3:19: expected ',' or ']', found the end of the line"},
                    Case{"no_number", after_x("y = constant(value=true, to=f32)"),
                         "f:3:20: expected a number for 'value', found 'true'"},
                    Case{"large_number", after_x("y = constant(value=1e999, to=f64)"),
                         "f:3:20: expected a number for 'value', found '1e999'"},
                    Case{"no_flag", after_x("y = sum(x, axes=[0], keep_dims=1)"),
                         "f:3:32: expected true or false for 'keep_dims', found '1'"},
                    Case{"no_type", after_x("y = cast(x, to=f33)"),
                         "f:3:16: expected an element type for 'to', found 'f33'"},
                    Case{"no_text", after_x("y = input(name=5, to=f32, shape=[])"),
                         "f:3:16: expected a name for 'name', found '5'"},
                    Case{"annotation", after_x("y: float[2] = exp(x)"),
                         "f:3:4: expected a type as f32[2,3], found 'float'"},
                    Case{"annotation_extent", after_x("y: f32[-2] = exp(x)"),
                         "f:3:7: expected at most 8 extents of at least 0, found [-2]"},
                    Case{"annotation_rank", after_x("y: f32[1,1,1,1,1,1,1,1,1] = exp(x)"),
                         "f:3:7: expected at most 8 extents of at least 0, found [1,1,1,1,1,1,1,1,1]"},
                    Case{"byte", after_x("y = \x01"), "f:3:5: expected an op, found byte 0x01"},
                    Case{"sign", after_x("y = $"), "f:3:5: expected an op, found '$'"},
                    Case{"percent_alone", after_x("% = exp(x)"), "f:3:1: expected a statement, found '%'"},
                    Case{"open_quote", after_x("\"y = exp(x)"),
                         "f:3:1: expected a statement, found a quoted name without its end"},
                    Case{"bad_escape", after_x("\"\\q\" = exp(x)"),
                         "f:3:1: expected a statement, found an unknown escape in a quoted name"},
                    Case{"bad_hex", after_x("\"\\xg0\" = exp(x)"),
                         "f:3:1: expected a statement, found an escape \\x without two hexadecimal digits"},
                    Case{"zero_byte", std::string("graph g\n\0", 9),
                         "f:2:1: expected a statement, found byte 0x00"}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Repeats, ParseError,
    testing::Values(
        Case{"no_count", after_x("repeat {"), "f:3:8: expected a number of repetitions, found '{'"},
        Case{"none", after_x("repeat 0 {\n}"), "f:3:8: expected at least 1 repetition, found '0'"},
        Case{"negative", after_x("repeat -3 {\n}"), "f:3:8: expected at least 1 repetition, found '-3'"},
        Case{"open", after_x("repeat 2 {\nx = exp(x)"), "f:5:1: expected '}', found the end of the text"},
        Case{"closed_twice", after_x("repeat 2 {\n}\n}"), "f:5:1: expected a statement, found '}'"},
        Case{"return_inside", after_x("repeat 2 {\nreturn y=x\n}"), "f:4:1: expected '}', found 'return'"},
        Case{"too_deep", after_x(repeated("repeat 1 {\n", 17)),
             "f:19:1: expected at most 16 repeats within each other, found more"},
        Case{"too_many", after_x("repeat 100001 {\nx = exp(x)\n}"),
             "f:3:1: expected repeats to add at most 100000 statements, found more"},
        Case{"too_many_nested", after_x(repeated("repeat 1000 {\n", 9) + "x = exp(x)\n" + repeated("}\n", 9)),
             "f:12:1: expected repeats to add at most 100000 statements, found more"},
        Case{"too_many_of_nothing", after_x("repeat 9223372036854775807 {\n}"),
             "f:3:1: expected repeats to add at most 100000 statements, found more"}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Meaning, ParseError,
    testing::Values(
        Case{"unknown_operand", after_x("y = add(x, z)"),
             "f:3:12: expected a value defined above, found 'z'"},
        Case{"own_operand", after_x("%7 = exp(%7)"), "f:3:10: expected a value defined above, found '%7'"},
        Case{"quoted_is_no_temporary", after_x("%7 = exp(x)\ny = exp(\"%7\")"),
             "f:4:9: expected a value defined above, found '%7'"},
        Case{"rule", after_x("z = input(to=f32, shape=[4])\n  y = add(x, z)"),
             "f:4:7: add: can't broadcast [2,3] with [4]"},
        Case{"rule_in_a_repeat", after_x("repeat 2 {\nx = sum(x, axes=[1])\n}"),
             "f:4:5: sum: axis 1 is out of range for f32[2]"},
        Case{"claimed_type", after_x("y: f32[3,2] = exp(x)"),
             "f:3:4: expected f32[3,2] for 'y', found that exp gives f32[2,3]"},
        Case{"unnamed_input", after_x("%1 = input(to=f32, shape=[2])"),
             "f:3:6: input: expected attribute 'name', found none"},
        Case{"input_twice", after_x("x = input(to=f32, shape=[2])"),
             "f:3:5: input: the name 'x' is already an input's"},
        Case{"counters_used_up",
             after_x("y = dropout(x, probability=0.5, counter=9223372036854775806)\n"
                     "z = dropout(x, probability=0.5)"),
             "f:4:5: dropout: expected a counter from 0 to 2^63 - 2, found 9223372036854775807"},
        Case{"no_outputs", after_x("return"), "f:3:7: expected an output's name, found the end of the line"},
        Case{"unknown_output", after_x("return y=z"), "f:3:10: expected a value defined above, found 'z'"},
        Case{"after_return", after_x("return y=x\nz = exp(x)"),
             "f:4:1: expected nothing after the outputs, found 'z'"},
        Case{"output_twice", after_x("return y=x, y=x"),
             "f:3:13: output: the name 'y' is already an output's"},
        Case{"updates_nothing", after_x("return y=x updates"),
             "f:3:19: expected an input to update, found the end of the line"},
        Case{"updates_no_input", after_x("y = exp(x)\nreturn y=x updates y"),
             "f:4:8: output 'y': expected an input to update, found exp"},
        Case{"updates_twice", after_x("return y=x updates x, z=x updates x"),
             "f:3:23: output 'z': 'x' is already updated by another output"}),
    [](const auto& row) { return std::string(row.param.name); });

// A graph longer than repeats may make is read where it is written out.
TEST(Parse, TheLimitIsOnRepeatsAlone) {
  EXPECT_TRUE(parse(after_x("repeat 100001 {\n}")).has_value());
  EXPECT_TRUE(parse(after_x("repeat 50000 {\nx = exp(x)\n}")).has_value());
}

}  // namespace
}  // namespace foretell::ir
