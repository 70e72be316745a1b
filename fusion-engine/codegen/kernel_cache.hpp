// SPDX-License-Identifier: Apache-2.0
// Shared objects on disk, by the content they were compiled from; safe when several processes use one
// directory, any of which may be killed at any time. In it:
//
//   HASH.kernels   An entry: header, the text of its key, the object. Written elsewhere and renamed, so it is
//                  there as a whole or not at all; its checksum is verified before each use. Its modification
//                  time is its last use. Readers copy and nobody maps it: it may go while its code runs.
//   lock           Who compiles a key holds the lock of one byte in it, numbered by the key's hash; others
//                  wait, then find the entry. A lock ends with its holder. The file is never removed, so that
//                  no two processes hold different files of that name.
//   trim.lock      The same for who removes what is too much, one at a time.
//   build-*        Where a compiler works (BuildDirectory); those of dead processes are removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "fusion-engine/codegen/build_directory.hpp"
#include "fusion-engine/codegen/content_hash.hpp"
#include "fusion-engine/codegen/unique_fd.hpp"
#include "src/base/result.hpp"

namespace foretell::codegen {

struct CacheOptions {
  std::filesystem::path directory;  // empty: "kernels" in cache_directory() (src/base)
  // Least recently used entries beyond it are removed, but never the newest.
  std::int64_t max_bytes = 256LL << 20;
};

// All that decides what an object is: an entry is used only if it was stored under an equal text.
struct CacheKey {
  std::string text;
  ContentHash hash;  // of the text; names the entry
};
CacheKey make_cache_key(std::string text);

class KernelCache {
 public:
  // Makes the directory (0700) where it is not there. Errors (Environment): it can't be made; or somebody
  // else owns it or may write to it, or could put another in its place (owns a directory above it, or may
  // write to one that is not sticky): code from there is not loaded.
  static Result<KernelCache> open(const CacheOptions& options);

  struct Found {
    std::optional<std::string> object;  // none: there is no entry, or it is damaged
    bool corrupt = false;
  };
  // Marks the entry as used.
  Found find(const CacheKey& key) const;

  // Waits until nobody else compiles the key; lasts as long as the descriptor. Errors (Environment):
  // directory not writable.
  Result<UniqueFd> lock(const CacheKey& key) const;
  // Errors (Environment): directory not writable, or the directory made can't be locked.
  Result<BuildDirectory> build_directory() const;
  // Puts the object in place, replacing what is there; then removes what is beyond the size limit and what
  // dead processes left. Errors (Environment): directory not writable, no space.
  Result<void> store(const CacheKey& key, std::string_view object, const BuildDirectory& build) const;

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path entry_path(const CacheKey& key) const {
    return directory_ / (to_string(key.hash) + ".kernels");
  }

 private:
  explicit KernelCache(std::filesystem::path directory, std::int64_t max_bytes)
      : directory_(std::move(directory)), max_bytes_(max_bytes) {}
  void trim(const std::filesystem::path& newest) const;

  std::filesystem::path directory_;
  std::int64_t max_bytes_ = 0;
};

}  // namespace foretell::codegen
