// SPDX-License-Identifier: Apache-2.0
#include "src/cli/output.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "reports/test_model.hpp"

namespace foretell::cli {
namespace {

using testing::HasSubstr;

TEST(CheckOutput, FormatIsThatOfTheSuffixOrTheNamedOne) {
  EXPECT_TRUE(check_output({.format = "", .files = {}}));
  EXPECT_TRUE(check_output({.format = "json", .files = {}}));
  EXPECT_TRUE(check_output({.format = "", .files = {"a.txt", "b.json"}}));
  EXPECT_TRUE(check_output({.format = "json", .files = {"report"}}));
}

TEST(CheckOutput, UnknownFormatNamesTheValidOnes) {
  const auto checked = check_output({.format = "jsn", .files = {}});

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error(),
            (Error{ErrorCode::Usage, "--format", "unknown format 'jsn', expected one of: text, json",
                   "did you mean 'json'?"}));
}

TEST(CheckOutput, UnknownSuffixNamesTheValidOnes) {
  const auto checked = check_output({.format = "", .files = {"a.csv"}});

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error(),
            (Error{ErrorCode::Usage, "-o a.csv", "the suffix names no format, expected one of: .txt, .json",
                   "or name the format: --format text"}));
}

class WriteOutput : public testing::Test {
 protected:
  WriteOutput() : path_(testing::TempDir() + "foretell_output_" + std::to_string(::getpid())) {}
  void TearDown() override {
    for (const char* suffix : {".json", ".txt"}) {
      std::remove((path_ + suffix).c_str());
    }
  }
  [[nodiscard]] std::string content(const std::string& suffix) const {
    std::ifstream file(path_ + suffix);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::string printed(const OutputOptions& options) const {
    testing::internal::CaptureStdout();
    EXPECT_TRUE(write_output(model_, options));
    return testing::internal::GetCapturedStdout();
  }

  std::string path_;
  reports::ReportModel model_{.traces = {reports::test_trace()}, .peak_memory_bytes = {}};
};

TEST_F(WriteOutput, TextOnStdoutUnlessToldOtherwise) {
  EXPECT_TRUE(printed({}).starts_with("decode.json.gz\n"));
  EXPECT_TRUE(printed({.format = "json", .files = {}}).starts_with("{\n"));
}

TEST_F(WriteOutput, FilesReplaceStdout) {
  EXPECT_EQ(printed({.format = "", .files = {path_ + ".json", path_ + ".txt"}}), "");

  EXPECT_TRUE(content(".json").starts_with("{\n"));
  EXPECT_TRUE(content(".txt").starts_with("decode.json.gz\n"));
}

TEST_F(WriteOutput, FilesAndStdoutWhereAFormatIsNamed) {
  EXPECT_TRUE(printed({.format = "text", .files = {path_ + ".json"}}).starts_with("decode.json.gz\n"));

  EXPECT_TRUE(content(".json").starts_with("{\n"));
}

TEST_F(WriteOutput, FileThatCantBeWrittenIsAnErrorOfTheMachine) {
  const auto written = write_output(model_, {.format = "", .files = {path_ + "/nowhere/report.json"}});

  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Environment);
  EXPECT_THAT(written.error().message, HasSubstr("can't write"));
}

}  // namespace
}  // namespace foretell::cli
