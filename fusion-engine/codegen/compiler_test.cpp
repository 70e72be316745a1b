// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/compiler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fusion-engine/codegen/test_directory.hpp"

namespace foretell::codegen {
namespace {

std::string path_variable() { return std::getenv("PATH"); }

// A compiler that says what it was called with.
std::filesystem::path write_fake(const TestDirectory& directory, std::string_view name,
                                 std::string_view more = {}) {
  const std::filesystem::path path = directory / name;
  write_script(path, "#!/bin/sh\n" + std::string(more) + "\necho \"fake 1.0 $*\"\necho second line\n");
  return path;
}

TEST(FindCompiler, TakesTheFirstOfTheKnownNames) {
  const TestDirectory directory;
  write_fake(directory, "clang++");
  write_fake(directory, "g++");
  const auto compiler = find_compiler({.cxx = {}, .path = "/nowhere:" + directory.path().string()});
  ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
  EXPECT_EQ(compiler->path, directory / "g++");
  EXPECT_EQ(compiler->version, "fake 1.0 --version");
  EXPECT_EQ(compiler->flags.front(), "-march=native");
  EXPECT_EQ(std::ranges::count(compiler->flags, "-shared"), 1);
  EXPECT_EQ(std::ranges::count(compiler->flags, "-ffast-math"), 0);
  EXPECT_EQ(std::ranges::count(compiler->flags, "-fwrapv"), 1);
  EXPECT_EQ(std::ranges::count(compiler->flags, "-ffp-contract=fast"), 1);
}

TEST(FindCompiler, TakesNameAndArgumentsFromCxx) {
  const TestDirectory directory;
  write_fake(directory, "wrap");
  const auto compiler = find_compiler({.cxx = " wrap  g++ -m64 ", .path = directory.path().string()});
  ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
  EXPECT_EQ(compiler->path, directory / "wrap");
  EXPECT_EQ(compiler->arguments, (std::vector<std::string>{"g++", "-m64"}));
  EXPECT_EQ(compiler->version, "fake 1.0 g++ -m64 --version");
}

TEST(FindCompiler, TakesAPathWithSpacesAsItIs) {
  const TestDirectory directory;
  const auto path = write_fake(directory, "my compiler");
  const auto compiler = find_compiler({.cxx = path.string(), .path = {}});
  ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
  EXPECT_EQ(compiler->path, path);
  EXPECT_TRUE(compiler->arguments.empty());
}

TEST(Compile, DoesWithoutTheMachinesTargetWhereItIsRefused) {
  const TestDirectory directory;
  const auto path =
      write_fake(directory, "old",
                 "case \"$*\" in *-march=native*) echo \"error: bad value 'native'\" >&2; exit 1;; "
                 "*-march*) exit 2;; esac");
  const Compiler compiler{.path = path, .flags = {"-march=native", "-O2"}};
  const auto result = compile(compiler, "", directory / "x.so", directory.path());
  EXPECT_TRUE(result.has_value()) << result.error().message;
}

struct MissingCase {
  std::string_view name;
  CompilerSearch search;
  std::string_view want;
};
class MissingCompiler : public testing::TestWithParam<MissingCase> {};
TEST_P(MissingCompiler, IsSaidWithAHint) {
  const auto compiler = find_compiler(GetParam().search);
  ASSERT_FALSE(compiler.has_value());
  EXPECT_EQ(compiler.error().code, ErrorCode::Environment);
  EXPECT_EQ(compiler.error().message, GetParam().want);
  EXPECT_EQ(compiler.error().hint, kCompilerHint);
}
INSTANTIATE_TEST_SUITE_P(
    All, MissingCompiler,
    testing::Values(
        MissingCase{"NothingOnPath",
                    {.cxx = {}, .path = "/nowhere:"},
                    "no C++ compiler found: neither c++, g++ nor clang++ is on PATH"},
        MissingCase{
            "CxxIsNotThere",
            {.cxx = "ccache-of-yore g++", .path = "/nowhere"},
            "no C++ compiler found: CXX is 'ccache-of-yore g++', and there is no program 'ccache-of-yore'"},
        MissingCase{"CxxIsADirectory",
                    {.cxx = "/", .path = "/nowhere"},
                    "no C++ compiler found: CXX is '/', and there is no program '/'"},
        MissingCase{"CxxDoesNotRun",
                    {.cxx = "/bin/false", .path = {}},
                    "no C++ compiler found: '--version' ended with status 1"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Compile, QuotesTheFirstDiagnostics) {
  const TestDirectory directory;
  const auto compiler = find_compiler();
  ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
  const auto result = compile(*compiler, "int a = 1;\nint a = 2;\n", directory / "x.so", directory.path());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::Environment);
  EXPECT_EQ(result.error().where, compiler->path.string());
  EXPECT_TRUE(result.error().message.starts_with(
      "compiling the generated kernels failed with status 1: kernels.cpp:2:5: error: redefinition of"))
      << result.error().message;
}

TEST(Compile, LeavesOutAllButThreeDiagnostics) {
  const TestDirectory directory;
  const auto path = write_fake(directory, "broken",
                               "for i in 1 2 3 4 5; do echo error $i >&2; echo note >&2; done; exit 4");
  const auto result = compile({.path = path}, "", directory / "x.so", directory.path());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message,
            "compiling the generated kernels failed with status 4: error 1; error 2; error 3; and 2 more");
}

TEST(Compile, KeepsTemporaryFilesInTheGivenDirectory) {
  const TestDirectory directory;
  const auto path = write_fake(directory, "tell", "echo $TMPDIR >&2; exit 1");
  const auto result = compile({.path = path}, "", directory / "x.so", directory.path());
  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(result.error().message.ends_with(directory.path().string())) << result.error().message;
}

TEST(FindCompiler, FindsOneHere) {
  const auto compiler = find_compiler({.cxx = {}, .path = path_variable()});
  ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
  EXPECT_FALSE(compiler->version.empty());
}

}  // namespace
}  // namespace foretell::codegen
