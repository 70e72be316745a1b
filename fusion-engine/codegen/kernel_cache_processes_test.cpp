// SPDX-License-Identifier: Apache-2.0
// Several processes, one empty cache; one of them is killed while it compiles.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/codegen/test_directory.hpp"

namespace foretell::codegen {
namespace {

constexpr int kRounds = 20;

// A compiler that counts its runs in a file. In a victim (FORETELL_TEST_VICTIM is the name of a pipe) it says
// that it has begun, leaves half an object, and stays until somebody opens the second pipe.
constexpr std::string_view kScript = R"sh(#!/bin/sh
if [ -n "$FORETELL_TEST_VICTIM" ]; then
  for last; do :; done
  echo half > "$last"
  echo begun > "$FORETELL_TEST_VICTIM"
  read line < "$FORETELL_TEST_VICTIM.end"
  exit 1
fi
echo run >> "$FORETELL_TEST_RUNS"
exec "$FORETELL_TEST_COMPILER" "$@"
)sh";

const std::string kSource =
    "extern \"C\" void set(void* const* buffers, long begin, long end) {\n"
    "  for (long i = begin; i < end; ++i) static_cast<int*>(buffers[0])[i] = 42;\n}\n";

// Exit status 0: the kernel was there and worked.
int load_and_run(const Compiler& compiler, const std::filesystem::path& cache) {
  const auto library = KernelLibrary::load(std::span(&kSource, 1), compiler, {.directory = cache});
  if (!library) {
    return 1;
  }
  const KernelEntry entry = library->find("set");
  int value = 0;
  void* buffer = &value;
  if (entry == nullptr) {
    return 2;
  }
  entry(&buffer, 0, 1);
  return value == 42 ? 0 : 3;
}

template <class Body>
pid_t start(const Body& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(body());
  }
  return pid;
}

int status_of(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

class KernelCacheProcesses : public testing::Test {
 protected:
  void SetUp() override {
    const auto real = find_compiler();
    ASSERT_TRUE(real.has_value()) << real.error().message;
    const std::filesystem::path script = directory_ / "compiler";
    write_script(script, kScript);
    compiler_ = *real;
    compiler_.path = script;
    ::setenv("FORETELL_TEST_COMPILER", real->path.c_str(), 1);
    ::setenv("FORETELL_TEST_RUNS", (directory_ / "runs").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("FORETELL_TEST_COMPILER");
    ::unsetenv("FORETELL_TEST_RUNS");
  }
  std::int64_t compilations() const { return std::ranges::count(read_text(directory_ / "runs"), '\n'); }

  TestDirectory directory_;
  Compiler compiler_;
};

TEST_F(KernelCacheProcesses, CompileAKeyOnceForAll) {
  for (int round = 0; round < kRounds; ++round) {
    const std::filesystem::path cache = directory_ / ("cache" + std::to_string(round));
    std::array<pid_t, 3> pids{};
    for (pid_t& pid : pids) {
      pid = start([&] { return load_and_run(compiler_, cache); });
    }
    for (const pid_t pid : pids) {
      EXPECT_EQ(status_of(pid), 0);
    }
    EXPECT_EQ(compilations(), round + 1);
  }
}

TEST_F(KernelCacheProcesses, GoOnWhenTheOneThatCompilesIsKilled) {
  const std::filesystem::path pipe = directory_ / "victim";
  const std::filesystem::path end = directory_ / "victim.end";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(end.c_str(), 0600), 0);
  for (int round = 0; round < kRounds; ++round) {
    const std::filesystem::path cache = directory_ / ("cache" + std::to_string(round));
    const pid_t victim = start([&] {
      ::setenv("FORETELL_TEST_VICTIM", pipe.c_str(), 1);
      return load_and_run(compiler_, cache);
    });
    EXPECT_EQ(read_text(pipe), "begun\n");  // it holds the lock now
    std::array<pid_t, 2> pids{};
    for (pid_t& pid : pids) {
      pid = start([&] { return load_and_run(compiler_, cache); });
    }
    ::kill(victim, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status_of(victim)));
    for (const pid_t pid : pids) {
      EXPECT_EQ(status_of(pid), 0);
    }
    EXPECT_EQ(compilations(), round + 1);
    for (const auto& item : std::filesystem::directory_iterator(cache)) {
      EXPECT_FALSE(item.is_directory()) << "left: " << item.path();
    }
    // The victim's compiler, which has outlived it.
    ::close(::open(end.c_str(), O_WRONLY | O_CLOEXEC));
  }
}

TEST_F(KernelCacheProcesses, NeverLoadABrokenObjectWhileEntriesAreDamagedAndRemoved) {
  const std::filesystem::path cache = directory_ / "cache";
  ASSERT_EQ(load_and_run(compiler_, cache), 0);
  std::filesystem::path entry;
  for (const auto& item : std::filesystem::directory_iterator(cache)) {
    if (item.path().extension() == ".kernels") {
      entry = item.path();
    }
  }
  const std::string good = read_text(entry);
  for (int round = 0; round < kRounds; ++round) {
    std::array<pid_t, 2> pids{};
    for (pid_t& pid : pids) {
      pid = start([&] { return load_and_run(compiler_, cache); });
    }
    // In place and not whole: what no writer of ours does.
    write_text(entry,
               std::string_view(good).substr(0, good.size() * static_cast<std::size_t>(round) / kRounds));
    if (round % 4 == 3) {
      std::filesystem::remove(entry);
    }
    for (const pid_t pid : pids) {
      EXPECT_EQ(status_of(pid), 0);
    }
  }
}

}  // namespace
}  // namespace foretell::codegen
