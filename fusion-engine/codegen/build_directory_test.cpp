// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/build_directory.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <iterator>
#include <optional>

#include "fusion-engine/codegen/file_lock.hpp"
#include "fusion-engine/codegen/test_directory.hpp"

namespace foretell::codegen {
namespace {

std::ptrdiff_t entries(const std::filesystem::path& directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}

// No more descriptors than there are, as long as it lives.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const UniqueFd lowest(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit none{.rlim_cur = static_cast<rlim_t>(lowest.get()), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoDescriptorsLeft(const NoDescriptorsLeft&) = delete;
  NoDescriptorsLeft& operator=(const NoDescriptorsLeft&) = delete;
  ~NoDescriptorsLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(BuildDirectory, SaysThatItCantBeLockedAndLeavesNothing) {
  const TestDirectory parent;
  std::optional<Result<BuildDirectory>> build;
  {
    const NoDescriptorsLeft limit;
    build.emplace(BuildDirectory::create(parent.path()));
  }
  ASSERT_FALSE(build->has_value());
  EXPECT_EQ(build->error().code, ErrorCode::Environment);
  EXPECT_EQ(build->error().message, "can't be locked: too many open files");
  EXPECT_EQ(entries(parent.path()), 0);
}

TEST(BuildDirectory, IsThereAsLongAsItsOwner) {
  const TestDirectory parent;
  {
    const auto build = BuildDirectory::create(parent.path());
    ASSERT_TRUE(build.has_value()) << build.error().message;
    write_text(build->path() / "object", "half");
    std::filesystem::create_directory(build->path() / "temporary");
    remove_dead_build(build->path());
    EXPECT_EQ(read_text(build->path() / "object"), "half");
  }
  EXPECT_EQ(entries(parent.path()), 0);
}

TEST(BuildDirectory, IsRemovedOnceItsOwnerIsDead) {
  const TestDirectory parent;
  for (const std::string_view name : {"build-before-its-lock", "build-locked-once"}) {
    std::filesystem::create_directory(parent / name);
    write_text(parent / name / "object", "half");
  }
  write_text(parent / "build-locked-once/owner", "");
  remove_dead_build(parent / "build-before-its-lock");
  remove_dead_build(parent / "build-locked-once");
  EXPECT_EQ(entries(parent.path()), 0);
}

TEST(LockByte, KeepsOthersFromTheSameByteOnly) {
  const TestDirectory directory;
  write_text(directory / "file", "");
  const auto open = [&] { return UniqueFd(::open((directory / "file").c_str(), O_RDWR | O_CLOEXEC)); };
  const UniqueFd other = open();
  {
    const UniqueFd one = open();
    EXPECT_EQ(lock_byte(one, 7, WhenLocked::Wait), 0);
    EXPECT_EQ(lock_byte(other, 7, WhenLocked::Refuse), EAGAIN);
    EXPECT_EQ(lock_byte(other, 8, WhenLocked::Refuse), 0);
  }
  EXPECT_EQ(lock_byte(other, 7, WhenLocked::Refuse), 0);  // ended with its descriptor
}

TEST(LockByte, SaysWhatIsWrong) {
  const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(lock_byte(file, 0, WhenLocked::Refuse), EBADF);  // not open for writing
}

}  // namespace
}  // namespace foretell::codegen
