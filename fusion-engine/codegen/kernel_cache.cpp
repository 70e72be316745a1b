// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/kernel_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "fusion-engine/codegen/file_lock.hpp"
#include "src/base/directories.hpp"
#include "src/base/system_message.hpp"

namespace foretell::codegen {
namespace {

constexpr std::string_view kEntrySuffix = ".kernels";

// In front of each entry, in the machine's own byte order: what it holds runs on this machine only.
struct EntryHeader {
  std::array<char, 8> magic{'f', 't', 'k', 'e', 'r', 'n', '0', '2'};
  std::uint64_t key_bytes = 0;
  std::uint64_t object_bytes = 0;
  ContentHash checksum;  // of the object; all the rest is compared with what is expected
};
static_assert(std::is_trivially_copyable_v<EntryHeader> && sizeof(EntryHeader) == 40);

std::unexpected<Error> directory_error(const std::filesystem::path& directory, const std::string& message) {
  return fail(ErrorCode::Environment, directory.string(), "kernel cache: " + message,
              "set XDG_CACHE_HOME to a directory that only you can write to");
}

// The object in the entry's bytes, or nothing if they are not what was stored for this key.
std::optional<std::string> unpack(std::string bytes, const CacheKey& key) {
  EntryHeader header;
  const EntryHeader expected;
  if (bytes.size() < sizeof header) {
    return std::nullopt;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view rest = std::string_view(bytes).substr(sizeof header);
  if (header.magic != expected.magic || header.key_bytes != key.text.size() ||
      rest.size() < header.key_bytes || rest.size() - header.key_bytes != header.object_bytes) {
    return std::nullopt;
  }
  const std::string_view stored_key = rest.substr(0, header.key_bytes);
  const std::string_view object = rest.substr(header.key_bytes);
  if (stored_key != key.text || header.checksum != content_hash(object)) {
    return std::nullopt;
  }
  bytes.erase(0, sizeof header + header.key_bytes);
  return bytes;
}

// Why others could change what lies in the directory, or put another in its place; empty if they can't. Links
// are resolved first; with every directory from the root on guarded, nobody can change the answer afterwards.
std::string why_unsafe(const std::filesystem::path& directory) {
  const uid_t me = ::geteuid();
  std::filesystem::path above;
  for (const auto& part : directory) {
    above /= part;
    struct stat status = {};
    if (::stat(above.c_str(), &status) != 0) {
      return "can't be read: " + system_message(errno);
    }
    const bool itself = above == directory;
    const std::string subject = itself ? std::string() : above.string() + " ";
    if (status.st_uid != me && (itself || status.st_uid != 0)) {
      return fmt::format("{}belongs to user {}, not to {}: code from there is not loaded", subject,
                         status.st_uid, me);
    }
    const bool others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (others_write && (itself || (status.st_mode & S_ISVTX) == 0)) {
      return fmt::format("others may write to {} (mode {:o}): code from there is not loaded",
                         itself ? "it" : above.string(), status.st_mode & 07777U);
    }
  }
  return {};
}

}  // namespace

CacheKey make_cache_key(std::string text) {
  const ContentHash hash = content_hash(text);
  return {.text = std::move(text), .hash = hash};
}

Result<KernelCache> KernelCache::open(const CacheOptions& options) {
  std::filesystem::path directory = options.directory;
  if (directory.empty()) {
    FORETELL_ASSIGN_OR_RETURN(const std::filesystem::path ours, cache_directory());
    directory = ours / "kernels";
  }
  std::filesystem::path made;
  int trouble = 0;
  for (const auto& part : directory) {
    made /= part;
    trouble = ::mkdir(made.c_str(), 0700) == 0 ? 0 : errno;
  }
  struct stat status = {};
  if (::stat(directory.c_str(), &status) != 0) {
    return directory_error(directory, "can't be made: " + system_message(trouble));
  }
  if (!S_ISDIR(status.st_mode)) {
    return directory_error(directory, "is not a directory");
  }
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(directory, error);
  if (error) {
    return directory_error(directory, "can't be resolved: " + system_message(error.value()));
  }
  if (const std::string why = why_unsafe(real); !why.empty()) {
    return directory_error(directory, why);
  }
  return KernelCache(std::move(real), options.max_bytes);
}

KernelCache::Found KernelCache::find(const CacheKey& key) const {
  const UniqueFd fd(::open(entry_path(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) {
    return {};
  }
  Result<std::string> bytes = read_all(fd);
  Found found;
  if (bytes) {
    found.object = unpack(*std::move(bytes), key);
  }
  found.corrupt = !found.object;
  if (found.object) {
    ::futimens(fd.get(), nullptr);
  }
  return found;
}

Result<UniqueFd> KernelCache::lock(const CacheKey& key) const {
  UniqueFd fd(::open((directory_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    return directory_error(directory_, "not writable: " + system_message(errno));
  }
  const auto byte = static_cast<off_t>(key.hash.low >> 1U);  // offsets have 63 bits
  if (const int error = lock_byte(fd, byte, WhenLocked::Wait); error != 0) {
    return directory_error(directory_, "can't be locked: " + system_message(error));
  }
  return fd;
}

Result<BuildDirectory> KernelCache::build_directory() const {
  auto build = BuildDirectory::create(directory_);
  if (!build) {
    return directory_error(directory_, build.error().message);
  }
  return build;
}

Result<void> KernelCache::store(const CacheKey& key, std::string_view object,
                                const BuildDirectory& build) const {
  const std::filesystem::path file = build.path() / "entry";
  const EntryHeader header{
      .key_bytes = key.text.size(), .object_bytes = object.size(), .checksum = content_hash(object)};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.append(key.text).append(object);

  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) {
    return directory_error(directory_, "not writable: " + system_message(errno));
  }
  if (const auto written = write_all(fd, bytes); !written) {
    return directory_error(directory_, written.error().message);
  }
  // Contents before name: else a machine that stops may leave an empty entry (found and rebuilt, but why have
  // it).
  if (::fsync(fd.get()) != 0 || ::rename(file.c_str(), entry_path(key).c_str()) != 0) {
    return directory_error(directory_, "can't write: " + system_message(errno));
  }
  trim(entry_path(key));
  return {};
}

// Best effort: who fails here leaves it to the next. Two at a time would both count what the other removes.
void KernelCache::trim(const std::filesystem::path& newest) const {
  const UniqueFd lock(
      ::open((directory_ / "trim.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock || lock_byte(lock, 0, WhenLocked::Refuse) != 0) {
    return;
  }
  struct Entry {
    std::filesystem::path path;
    timespec used{};
    std::int64_t size = 0;
  };
  std::vector<Entry> entries;
  std::int64_t total = 0;
  std::error_code error;
  std::vector<std::filesystem::path> dead;
  for (std::filesystem::directory_iterator item(directory_, error), end; !error && item != end;
       item.increment(error)) {
    const std::filesystem::path& path = item->path();
    if (path.filename().string().starts_with(kBuildPrefix)) {
      dead.push_back(path);
    }
    struct stat status = {};
    if (path.extension() == kEntrySuffix && ::lstat(path.c_str(), &status) == 0) {
      total += status.st_size;
      if (path != newest) {
        entries.push_back({.path = path, .used = status.st_mtim, .size = status.st_size});
      }
    }
  }
  std::ranges::for_each(dead, remove_dead_build);
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) {
      break;
    }
    if (::unlink(entry.path.c_str()) == 0) {
      total -= entry.size;
    }
  }
}

}  // namespace foretell::codegen
