// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/kernel_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fusion-engine/codegen/file_lock.hpp"
#include "fusion-engine/codegen/test_directory.hpp"

namespace foretell::codegen {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kPlenty = 1 << 20;

KernelCache open_cache(const std::filesystem::path& path, std::int64_t max_bytes = kPlenty) {
  auto cache = KernelCache::open({.directory = path, .max_bytes = max_bytes});
  FORETELL_CHECK(cache.has_value());
  return *std::move(cache);
}

void store(const KernelCache& cache, const CacheKey& key, std::string_view object) {
  const auto build = cache.build_directory();
  ASSERT_TRUE(build.has_value()) << build.error().message;
  const auto stored = cache.store(key, object, *build);
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
}

// The entry's last use, `seconds` after the epoch.
void set_used(const KernelCache& cache, const CacheKey& key, std::int64_t seconds) {
  const timespec time{.tv_sec = seconds, .tv_nsec = 0};
  const timespec times[2]{time, time};
  ASSERT_EQ(::utimensat(AT_FDCWD, cache.entry_path(key).c_str(), times, 0), 0);
}

TEST(KernelCache, GivesBackWhatWasStored) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory / "deep/below");
  const CacheKey key = make_cache_key("source");
  EXPECT_FALSE(cache.find(key).object);
  EXPECT_FALSE(cache.find(key).corrupt);
  const std::string object("\0object\0", 8);
  store(cache, key, object);
  EXPECT_EQ(cache.find(key).object, object);
  store(cache, key, "another");
  EXPECT_EQ(cache.find(key).object, "another");
  EXPECT_FALSE(cache.find(make_cache_key("source ")).object);
}

TEST(KernelCache, IsOpenToTheUserAlone) {
  const TestDirectory directory;
  open_cache(directory / "a/b");
  for (const char* part : {"a", "a/b"}) {
    EXPECT_EQ(std::filesystem::status(directory / part).permissions(), std::filesystem::perms::owner_all);
  }
}

TEST(KernelCache, LeavesNoBuildDirectory) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path());
  store(cache, make_cache_key("source"), "object");
  for (const auto& item : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_FALSE(item.is_directory()) << item.path();
  }
}

struct Damage {
  std::string_view name;
  std::string (*apply)(const std::string&);
};
class DamagedEntry : public testing::TestWithParam<Damage> {};
TEST_P(DamagedEntry, IsFoundOut) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path());
  const CacheKey key = make_cache_key("source text");
  store(cache, key, "object bytes");
  write_text(cache.entry_path(key), GetParam().apply(read_text(cache.entry_path(key))));
  const KernelCache::Found found = cache.find(key);
  EXPECT_FALSE(found.object);
  EXPECT_TRUE(found.corrupt);
  store(cache, key, "object bytes");
  EXPECT_EQ(cache.find(key).object, "object bytes");
}
INSTANTIATE_TEST_SUITE_P(
    All, DamagedEntry,
    testing::Values(Damage{"Empty", [](const std::string&) { return std::string(); }},
                    Damage{"HeaderOnly", [](const std::string& text) { return text.substr(0, 40); }},
                    Damage{"Longer", [](const std::string& text) { return text + "x"; }},
                    Damage{"KeySizeOverflows",
                           [](const std::string& text) {
                             std::string damaged = text;
                             return damaged.replace(8, 8, 8, '\xff');
                           }},
                    Damage{"OtherFile", [](const std::string&) { return std::string(4096, 'x'); }}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(KernelCache, FindsOutEachFlippedBitAndEachLength) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path());
  const CacheKey key = make_cache_key("source");
  store(cache, key, "object");
  const std::string good = read_text(cache.entry_path(key));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    write_text(cache.entry_path(key), bad);
    EXPECT_TRUE(cache.find(key).corrupt) << "bit " << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    write_text(cache.entry_path(key), good.substr(0, size));
    EXPECT_TRUE(cache.find(key).corrupt) << "size " << size;
  }
}

TEST(KernelCache, DoesNotTakeAnotherKeysEntryOfTheSameHash) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path());
  const CacheKey key = make_cache_key("source");
  store(cache, key, "object");
  EXPECT_TRUE(cache.find({.text = "ecruos", .hash = key.hash}).corrupt);
}

TEST(KernelCache, RemovesTheLeastRecentlyUsedBeyondItsSize) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path(), 3000);
  const CacheKey a = make_cache_key("a");
  const CacheKey b = make_cache_key("b");
  const CacheKey c = make_cache_key("c");
  const std::string object(900, 'o');
  store(cache, a, object);
  store(cache, b, object);
  set_used(cache, a, 1000);
  set_used(cache, b, 2000);
  EXPECT_TRUE(cache.find(a).object);  // is a use
  store(cache, c, object);            // three fit
  EXPECT_TRUE(std::filesystem::exists(cache.entry_path(b)));
  store(cache, make_cache_key("d"), object);
  EXPECT_FALSE(std::filesystem::exists(cache.entry_path(b)));
  EXPECT_TRUE(cache.find(a).object);
  EXPECT_TRUE(cache.find(c).object);
}

TEST(KernelCache, KeepsTheNewestEvenIfItIsTooLarge) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path(), 100);
  store(cache, make_cache_key("a"), "object");
  store(cache, make_cache_key("b"), std::string(1000, 'o'));
  EXPECT_FALSE(cache.find(make_cache_key("a")).object);
  EXPECT_TRUE(cache.find(make_cache_key("b")).object);
}

TEST(KernelCache, RemovesWhatDeadProcessesLeftAndNothingElse) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path());
  std::filesystem::create_directory(directory / "build-dead");
  write_text(directory / "build-dead/kernels.so", "half an obj");
  write_text(directory / "note.txt", "mine");
  const auto alive = cache.build_directory();
  ASSERT_TRUE(alive.has_value());
  store(cache, make_cache_key("source"), "object");
  EXPECT_FALSE(std::filesystem::exists(directory / "build-dead"));
  EXPECT_TRUE(std::filesystem::exists(alive->path()));
  EXPECT_TRUE(std::filesystem::exists(directory / "note.txt"));
}

TEST(KernelCache, FollowsNoLinkAtAnEntrysName) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory / "cache");
  const CacheKey key = make_cache_key("source");
  store(cache, key, "object");
  std::filesystem::rename(cache.entry_path(key), directory / "elsewhere");
  std::filesystem::create_symlink(directory / "elsewhere", cache.entry_path(key));
  EXPECT_FALSE(cache.find(key).object);
}

TEST(KernelCache, RefusesADirectoryOthersMayWriteTo) {
  const TestDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0770), 0);
  const auto cache = KernelCache::open({.directory = directory.path()});
  ASSERT_FALSE(cache.has_value());
  EXPECT_EQ(cache.error().code, ErrorCode::Environment);
  EXPECT_EQ(cache.error().where, directory.path().string());
  EXPECT_EQ(cache.error().message,
            "kernel cache: others may write to it (mode 770): code from there is not loaded");
  EXPECT_EQ(cache.error().hint, "set XDG_CACHE_HOME to a directory that only you can write to");
}

TEST(KernelCache, RefusesADirectoryOfSomebodyElse) {
  // "/" is root's; root makes one for another user.
  const TestDirectory directory;
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(directory.path().c_str(), 12345, 12345), 0);
  }
  const auto cache = KernelCache::open({.directory = ::geteuid() == 0 ? directory.path() : "/"});
  ASSERT_FALSE(cache.has_value());
  EXPECT_THAT(cache.error().message, HasSubstr("code from there is not loaded"));
  EXPECT_THAT(cache.error().message, HasSubstr("belongs to user"));
}

TEST(KernelCache, SaysWhyADirectoryCantBeMade) {
  const TestDirectory directory;
  write_text(directory / "file", "");
  const auto below = KernelCache::open({.directory = directory / "file/below"});
  ASSERT_FALSE(below.has_value());
  EXPECT_EQ(below.error().message, "kernel cache: can't be made: not a directory");
  const auto same = KernelCache::open({.directory = directory / "file"});
  ASSERT_FALSE(same.has_value());
  EXPECT_EQ(same.error().message, "kernel cache: is not a directory");
}

TEST(KernelCache, RefusesADirectoryThatOthersCouldReplace) {
  const TestDirectory directory;
  const std::filesystem::path above = directory / "above";
  std::filesystem::create_directory(above);
  ASSERT_EQ(::chmod(above.c_str(), 0777), 0);
  const auto refused = KernelCache::open({.directory = above / "cache"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "kernel cache: others may write to " + above.string() +
                                         " (mode 777): code from there is not loaded");
  // The way there may lead over a link.
  std::filesystem::create_directory_symlink(above / "cache", directory / "link");
  EXPECT_FALSE(KernelCache::open({.directory = directory / "link"}).has_value());
  ASSERT_EQ(::chmod(above.c_str(), 01777), 0);  // sticky: none but the owner may rename what is in it
  EXPECT_TRUE(KernelCache::open({.directory = above / "cache"}).has_value());
}

TEST(KernelCache, RefusesADirectoryBelowSomebodyElses) {
  if (::geteuid() != 0) {
    // The test needs a directory of another user's; the check itself is the same for every user.
    GTEST_SKIP() << "only root can give a directory away";
  }
  const TestDirectory directory;
  const std::filesystem::path above = directory / "above";
  std::filesystem::create_directory(above);
  ASSERT_EQ(::chown(above.c_str(), 12345, 12345), 0);
  const auto refused = KernelCache::open({.directory = above / "cache"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr(above.string() + " belongs to user 12345, not to 0"));
}

TEST(KernelCache, LocksOneKeyAndNoOther) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory.path());
  const CacheKey a{.text = "a", .hash = {.high = 1, .low = 0xAB00000000000000U}};
  const CacheKey b{.text = "b", .hash = {.high = 1, .low = 0xAB00000000000002U}};
  const auto held = cache.lock(a);
  ASSERT_TRUE(held.has_value()) << held.error().message;
  EXPECT_TRUE(cache.lock(b).has_value());  // would wait for ever otherwise
  const UniqueFd file(::open((directory / "lock").c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(lock_byte(file, static_cast<off_t>(a.hash.low >> 1U), WhenLocked::Refuse), EAGAIN);
}

TEST(KernelCache, SaysWhenItCantWrite) {
  const TestDirectory directory;
  const KernelCache cache = open_cache(directory / "cache");
  // Permissions do not bind root, a directory that is gone does.
  std::filesystem::remove(directory / "cache");
  const auto lock = cache.lock(make_cache_key("source"));
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().code, ErrorCode::Environment);
  EXPECT_EQ(lock.error().message, "kernel cache: not writable: no such file or directory");
  ASSERT_FALSE(cache.build_directory().has_value());
}

}  // namespace
}  // namespace foretell::codegen
