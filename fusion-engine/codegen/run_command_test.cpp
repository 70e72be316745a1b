// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/run_command.hpp"

#include <gtest/gtest.h>

namespace foretell::codegen {
namespace {

CommandResult run_shell(const std::string& script, std::string_view input = {}) {
  const auto result = run_command({.arguments = {"/bin/sh", "-c", script},
                                   .input = input,
                                   .environment = {{"FORETELL_TEST_WORD", "given"}}});
  EXPECT_TRUE(result.has_value());
  return result.value_or(CommandResult{});
}

TEST(RunCommand, PassesInputAndTellsTheStreamsApart) {
  const CommandResult result = run_shell("cat; echo trouble >&2; exit 3", "text");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "text");
  EXPECT_EQ(result.diagnostics, "trouble\n");
}

TEST(RunCommand, PassesArgumentsAsTheyAre) {
  const auto result = run_command({.arguments = {"/bin/echo", "a b", "$HOME", "'"}, .input = {}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->output, "a b $HOME '\n");
}

TEST(RunCommand, AddsToTheEnvironment) {
  EXPECT_EQ(run_shell("echo $FORETELL_TEST_WORD ${PATH:+path}").output, "given path\n");
}

TEST(RunCommand, SaysWhichSignalEndedIt) { EXPECT_EQ(run_shell("kill -9 $$").status, 128 + 9); }

TEST(RunCommand, IsNotHeldUpByADaemon) {
  const CommandResult result = run_shell("sleep 1000 & echo $!");
  EXPECT_EQ(result.status, 0);
  run_shell("kill " + result.output);
}

TEST(RunCommand, NamesAProgramThatIsNotThere) {
  const auto result = run_command({.arguments = {"/nowhere/compiler"}, .input = {}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::Environment);
  EXPECT_EQ(result.error().where, "/nowhere/compiler");
  EXPECT_EQ(result.error().message, "can't be started: no such file or directory");
}

}  // namespace
}  // namespace foretell::codegen
