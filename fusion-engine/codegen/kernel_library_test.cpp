// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/kernel_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fusion-engine/codegen/test_directory.hpp"

namespace foretell::codegen {
namespace {

using testing::HasSubstr;

std::string kernel_text(std::string_view symbol, std::string_view expression) {
  return "extern \"C\" void " + std::string(symbol) +
         "(void* const* buffers, long begin, long end) {\n"
         "  double* x = static_cast<double*>(buffers[0]);\n"
         "  for (long i = begin; i < end; ++i) {\n    x[i] = " +
         std::string(expression) + ";\n  }\n}\n";
}

double run(KernelEntry entry, double x) {
  void* buffer = &x;
  entry(&buffer, 0, 1);
  return x;
}

// A library of one unit.
Result<KernelLibrary> load_unit(const std::string& source, const Compiler& compiler,
                                const std::filesystem::path& cache) {
  return KernelLibrary::load(std::span(&source, 1), compiler, {.directory = cache});
}

class KernelLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto compiler = find_compiler();
    ASSERT_TRUE(compiler.has_value()) << compiler.error().message;
    compiler_ = *std::move(compiler);
  }
  KernelLibrary load(const std::string& source) {
    auto library = load_unit(source, compiler_, directory_.path());
    FORETELL_CHECK(library.has_value());
    return *std::move(library);
  }
  // The only entry.
  std::filesystem::path entry() const {
    for (const auto& item : std::filesystem::directory_iterator(directory_.path())) {
      if (item.path().extension() == ".kernels") {
        return item.path();
      }
    }
    return {};
  }

  TestDirectory directory_;
  Compiler compiler_;
};

TEST_F(KernelLibraryTest, CompilesOnceAndThenLoads) {
  const std::string source = kernel_text("twice", "2 * x[i]");
  const KernelLibrary cold = load(source);
  EXPECT_FALSE(cold.stats().from_cache);
  EXPECT_FALSE(cold.stats().rebuilt_corrupt);
  EXPECT_GT(cold.stats().compile_ns, 0);
  EXPECT_GE(cold.stats().total_ns, cold.stats().compile_ns);
  const KernelLibrary warm = load(source);
  EXPECT_TRUE(warm.stats().from_cache);
  EXPECT_EQ(warm.stats().compile_ns, 0);
  EXPECT_GT(warm.stats().total_ns, 0);
  for (const KernelLibrary* library : {&cold, &warm}) {
    ASSERT_NE(library->find("twice"), nullptr);
    EXPECT_EQ(run(library->find("twice"), 21), 42);
    EXPECT_EQ(library->find("thrice"), nullptr);
  }
}

TEST_F(KernelLibraryTest, KeepsLibrariesWithTheSameSymbolApart) {
  const KernelLibrary plus = load(kernel_text("kernel", "x[i] + 1"));
  const KernelLibrary minus = load(kernel_text("kernel", "x[i] - 1"));
  EXPECT_EQ(run(plus.find("kernel"), 5), 6);
  EXPECT_EQ(run(minus.find("kernel"), 5), 4);
}

TEST_F(KernelLibraryTest, LoadsAnotherAfterOneIsUnloaded) {
  for (int i = 0; i < 3; ++i) {
    const KernelLibrary library = load(kernel_text("kernel", "x[i] + " + std::to_string(i)));
    EXPECT_EQ(run(library.find("kernel"), 5), 5 + i);
  }
}

TEST_F(KernelLibraryTest, RunsOnAfterItsEntryIsRemoved) {
  const std::string source = kernel_text("twice", "2 * x[i]");
  const KernelLibrary library = load(source);
  std::filesystem::remove(entry());
  EXPECT_EQ(run(library.find("twice"), 1), 2);
  EXPECT_FALSE(load(source).stats().from_cache);
}

TEST_F(KernelLibraryTest, RebuildsADamagedEntry) {
  const std::string source = kernel_text("twice", "2 * x[i]");
  load(source);
  std::string bytes = read_text(entry());
  bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] + 1);
  write_text(entry(), bytes);
  const KernelLibrary rebuilt = load(source);
  EXPECT_TRUE(rebuilt.stats().rebuilt_corrupt);
  EXPECT_FALSE(rebuilt.stats().from_cache);
  EXPECT_EQ(run(rebuilt.find("twice"), 3), 6);
  EXPECT_TRUE(load(source).stats().from_cache);
}

TEST_F(KernelLibraryTest, RebuildsAnEntryThatIsWholeButDoesNotLoad) {
  const std::string source = kernel_text("twice", "2 * x[i]");
  const auto cache = KernelCache::open({.directory = directory_.path()});
  ASSERT_TRUE(cache.has_value());
  {
    const auto build = cache->build_directory();
    ASSERT_TRUE(build.has_value());
    ASSERT_TRUE(cache->store(make_cache_key(build_identity(compiler_) + "\n" + source), "no object", *build));
  }
  const KernelLibrary rebuilt = load(source);
  EXPECT_TRUE(rebuilt.stats().rebuilt_corrupt);
  EXPECT_EQ(run(rebuilt.find("twice"), 3), 6);
}

TEST_F(KernelLibraryTest, TakesOtherFlagsOrAnotherVersionForAnotherKey) {
  const std::string source = kernel_text("twice", "2 * x[i]");
  load(source);
  const Compiler first = compiler_;
  compiler_.flags.insert(compiler_.flags.begin(), "-DUNUSED");
  EXPECT_FALSE(load(source).stats().from_cache);
  compiler_ = first;
  compiler_.version += " patched";
  EXPECT_FALSE(load(source).stats().from_cache);
  compiler_ = first;
  EXPECT_TRUE(load(source).stats().from_cache);
}

TEST_F(KernelLibraryTest, JoinsSeveralUnits) {
  const std::vector<std::string> sources{kernel_text("plus", "x[i] + 1"), kernel_text("minus", "x[i] - 1"),
                                         kernel_text("twice", "2 * x[i]")};
  for (const bool warm : {false, true}) {
    const auto library = KernelLibrary::load(sources, compiler_, {.directory = directory_.path()});
    ASSERT_TRUE(library.has_value()) << library.error().message;
    EXPECT_EQ(library->stats().from_cache, warm);
    EXPECT_EQ(run(library->find("plus"), 5), 6);
    EXPECT_EQ(run(library->find("minus"), 5), 4);
    EXPECT_EQ(run(library->find("twice"), 5), 10);
  }
}

TEST_F(KernelLibraryTest, FindsTheLibraryFunctionsThatBuiltinsCall) {
  // pow is libm's, the 128-bit division libgcc's.
  const KernelLibrary library =
      load(kernel_text("power", "__builtin_pow(x[i], 1.5)") +
           kernel_text("divide",
                       "(double)(long)(((unsigned __int128)x[i] << 64) / ((unsigned __int128)x[i] << 62))"));
  EXPECT_EQ(run(library.find("power"), 4), 8);
  EXPECT_EQ(run(library.find("divide"), 7), 4);
}

TEST_F(KernelLibraryTest, KeepsTheMeaningOfSpecialValues) {
  const KernelLibrary library = load(kernel_text("is_nan", "x[i] != x[i]") +
                                     kernel_text("zero", "x[i] + 0.0") + kernel_text("inverse", "1 / x[i]"));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run(library.find("is_nan"), std::numeric_limits<double>::quiet_NaN()), 1);
  EXPECT_FALSE(std::signbit(run(library.find("zero"), -0.0)));
  EXPECT_EQ(run(library.find("inverse"), -0.0), -kInfinity);
  EXPECT_EQ(run(library.find("inverse"), kInfinity), 0);
}

TEST_F(KernelLibraryTest, PassesOnWhatTheCompilerSays) {
  const auto library = load_unit("int f() { return nothing; }", compiler_, directory_.path());
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().code, ErrorCode::Environment);
  EXPECT_THAT(library.error().message, HasSubstr("kernels.cpp:1:"));
  EXPECT_THAT(library.error().message, HasSubstr("nothing"));
}

TEST_F(KernelLibraryTest, SaysWhenTheCompilerIsGone) {
  compiler_.path = directory_ / "gone";
  const auto library = load_unit("", compiler_, directory_.path());
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().message, "can't be started: no such file or directory");
}

TEST_F(KernelLibraryTest, SaysWhenACompilerLeavesNothing) {
  compiler_ = {.path = "/bin/true", .version = "none"};
  const auto library = load_unit("", compiler_, directory_.path());
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().message, "the compiler left no object: no such file or directory");
}

}  // namespace
}  // namespace foretell::codegen
