// SPDX-License-Identifier: Apache-2.0
#include "src/cli/run_main.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "src/cli/all.hpp"

namespace foretell::cli {
namespace {

using testing::HasSubstr;

struct Outcome {
  Exit exit;
  std::string out, err;
};

Outcome run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "foretell");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Exit exit = run_main(static_cast<int>(arguments.size()), arguments.data());
  return {exit, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(RunMain, EveryCommandIsInTheHelpAndHasItsOwn) {
  const Outcome help = run({"--help"});
  ASSERT_EQ(help.exit, Exit::Done);
  for (const Subcommand& row : all_subcommands()) {
    EXPECT_THAT(help.out, HasSubstr(std::string(row.name)));
    EXPECT_THAT(help.out, HasSubstr(std::string(row.title)));

    const Outcome own = run({std::string(row.name).c_str(), "--help"});
    EXPECT_EQ(own.exit, Exit::Done);
    EXPECT_THAT(own.out, HasSubstr("Usage: foretell " + std::string(row.name)));
  }
}

TEST(RunMain, HelpGoesToStdoutAndErrorsToStderr) {
  EXPECT_EQ(run({"--help"}).err, "");
  EXPECT_EQ(run({"frobnicate"}).out, "");
}

TEST(RunMain, NoArgumentAtAll) {
  testing::internal::CaptureStderr();

  EXPECT_EQ(run_main(0, nullptr), Exit::Usage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("expected a command"));
}

TEST(RunMain, ErrorsCantDriveTheTerminal) {
  testing::internal::CaptureStderr();

  print_error({ErrorCode::BadInput, "a\x1b[2J", "found '\r'", "see \a"});

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "foretell: error: a?[2J: found '?'\nhint: see ?\n");
}

TEST(RunMain, ErrorWithoutPlaceOrHintIsOneLine) {
  testing::internal::CaptureStderr();

  print_error({ErrorCode::Environment, "", "out of memory", ""});

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "foretell: error: out of memory\n");
}

TEST(RunMain, EveryKindOfErrorHasItsExitCode) {
  EXPECT_EQ(exit_of(ErrorCode::Usage), Exit::Usage);
  EXPECT_EQ(exit_of(ErrorCode::BadInput), Exit::BadInput);
  EXPECT_EQ(exit_of(ErrorCode::Unsupported), Exit::BadInput);
  EXPECT_EQ(exit_of(ErrorCode::Limit), Exit::BadInput);
  EXPECT_EQ(exit_of(ErrorCode::Environment), Exit::Environment);
}

}  // namespace
}  // namespace foretell::cli
