// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/source_lines.hpp"

#include <gtest/gtest.h>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::HostOpKind;
using profile::kNoRow;

struct FrameCase {
  const char* name;
  const char* frame;
  const char* want;
};

class FrameTest : public testing::TestWithParam<FrameCase> {};

TEST_P(FrameTest, OnlyTheUsersFramesAndOnlyTwoPartsOfTheirPath) {
  EXPECT_EQ(user_frame(GetParam().frame), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    SourceLines, FrameTest,
    testing::Values(
        FrameCase{"Plain", "train.py(42): step", "train.py(42): step"},
        FrameCase{"Long", "/srv/jobs/project/src/train.py(42): step", "src/train.py(42): step"},
        FrameCase{"InAHome", "/home/somebody/train.py(42): step", "train.py(42): step"},
        FrameCase{"BelowAHome", "/home/somebody/project/train.py(42): step", "project/train.py(42): step"},
        FrameCase{"Homes", "/home/train.py(42): step", "train.py(42): step"},
        FrameCase{"Administrator",
                  "/var/"
                  "root/train.py(42): step",
                  "train.py(42): step"},
        FrameCase{"Windows", "C:\\Users\\Somebody\\train.py(7): main", "train.py(7): main"},
        FrameCase{"Brackets", "C:\\Work (old)\\a\\train.py(7): main", "a/train.py(7): main"},
        FrameCase{"Package", "transformers/models/bert.py(9): forward", "models/bert.py(9): forward"},
        FrameCase{"Notebook", "<ipython-input-3-1f>(5): train", "<ipython-input-3-1f>(5): train"},
        FrameCase{"Framework", "torch/nn/modules/module.py(1927): __getattr__", ""},
        FrameCase{"FrameworkInAPath", "/opt/torch/optim/sgd.py(3): step", ""},
        FrameCase{"Installed", "/home/me/env/lib/python3.7/site-packages/foo/a.py(1): f", ""},
        FrameCase{"Debian", "/usr/lib/python3/dist-packages/foo/a.py(1): f", ""},
        FrameCase{"Interpreter", "/usr/lib/python3.11/queue.py(171): get", ""},
        FrameCase{"Wrapper", "contextlib.py(116): decorate_context", ""},
        FrameCase{"Builtin", "<built-in method empty of type object at 0x7f>", ""},
        FrameCase{"Frozen", "<frozen importlib._bootstrap>(241): _call", ""},
        FrameCase{"Module", "nn.Module: Linear_0", ""}, FrameCase{"NoLine", "train.py: step", ""},
        FrameCase{"Control", "tr\x1b[31main.py(4): f", "tr?[31main.py(4): f"}, FrameCase{"Empty", "", ""}),
    [](const auto& row) { return row.param.name; });

// Row of the op of that name.
std::uint32_t row_of(const profile::Profile& profile, std::string_view name) {
  for (std::uint32_t row = 0; row < profile.host_ops.size(); ++row) {
    if (profile.text(profile.host_ops.name[row]) == name) {
      return row;
    }
  }
  return kNoRow;
}

TestProfile& frame(TestProfile& rows, std::int64_t start, std::int64_t duration, std::string_view name) {
  return rows.op(start, duration, name, -1, HostOpKind::PythonFunction);
}

TEST(SourceLines, TheInnermostFrameOfTheUsersWins) {
  TestProfile rows;
  frame(rows, 0, 100, "main.py(3): <module>");
  frame(rows, 1, 90, "train.py(42): step");
  frame(rows, 2, 80, "torch/optim/sgd.py(10): step");
  rows.range(3, 70, "Optimizer.step").op(4, 10, "aten::add").op(95, 2, "aten::mul");
  rows.call(5, 2, 1);
  const profile::Profile profile = rows.finish();
  EXPECT_EQ(source_line_of_op(profile, row_of(profile, "aten::add")), "train.py(42): step");
  EXPECT_EQ(source_line_of_op(profile, row_of(profile, "aten::mul")), "main.py(3): <module>");
  EXPECT_EQ(source_line_of_call(profile, link(profile), 0), "train.py(42): step");
}

TEST(SourceLines, ARecordedStackThenTheRangeThenTheOp) {
  TestProfile rows;
  rows.step(0, 100, "ProfilerStep#3").range(5, 50, "forward").op(10, 10, "aten::mm").op(70, 10, "aten::add");
  profile::Profile profile = rows.finish();
  EXPECT_EQ(source_line_of_op(profile, row_of(profile, "aten::mm")), "forward");
  EXPECT_EQ(source_line_of_op(profile, row_of(profile, "aten::add")), "aten::add");

  profile::OpDetails& details = profile.op_details;
  for (auto* column : {&details.input_dims, &details.input_types, &details.concrete_inputs,
                       &details.input_strides, &details.module_hierarchy}) {
    column->push_back(StringId::Empty);
  }
  details.call_stack.push_back(profile.strings.intern(
      "/x/site-packages/torch/profiler.py(611): __init__;src/net.py(54): <module>;run.py(1): main"));
  details.sequence_number.push_back(profile::kNoId);
  details.forward_thread.push_back(profile::kNoId);
  profile.host_ops.detail[row_of(profile, "aten::mm")] = 0;
  EXPECT_EQ(source_line_of_op(profile, row_of(profile, "aten::mm")), "src/net.py(54): <module>");
}

TEST(SourceLines, NothingAroundIsAnEmptyText) {
  const auto profile = TestProfile().op(0, 10, "aten::mm").call(50, 5, 1).finish();
  EXPECT_EQ(source_line_of_call(profile, link(profile), 0), "");
  EXPECT_EQ(source_line_of_call(profile, link(profile), kNoRow), "");
  EXPECT_EQ(source_line_of_op(profile, kNoRow), "");
}

TEST(SourceLines, InnermostRowSkipsWhatHasEnded) {
  const auto profile = TestProfile().op(0, 100, "a").op(10, 20, "b").op(12, 5, "c").op(50, 10, "d").finish();
  const auto name_at = [&](std::int64_t time_ns) {
    const std::uint32_t row = innermost_row_at(profile.host_ops, 0, time_ns);
    return row == kNoRow ? std::string_view("none") : profile.text(profile.host_ops.name[row]);
  };
  EXPECT_EQ(name_at(-1), "none");
  EXPECT_EQ(name_at(0), "a");
  EXPECT_EQ(name_at(12), "c");
  EXPECT_EQ(name_at(17), "b");
  EXPECT_EQ(name_at(40), "a");
  EXPECT_EQ(name_at(100), "none");
  EXPECT_EQ(innermost_row_at(profile.host_ops, 1, 12), kNoRow);
}

}  // namespace
}  // namespace foretell::timeline
