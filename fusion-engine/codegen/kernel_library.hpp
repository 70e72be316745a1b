// SPDX-License-Identifier: Apache-2.0
// Source -> shared object -> functions, through a cache on disk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/codegen/compiler.hpp"
#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/codegen/kernel_cache.hpp"
#include "fusion-engine/codegen/unique_fd.hpp"
#include "src/base/result.hpp"

namespace foretell::codegen {

// Loaded translation units; unloaded with the owner (executors and the stream's pending commands never
// outlive it). The bytes that were verified are the bytes that run: they are loaded from memory, not from the
// file a second time.
class KernelLibrary {
 public:
  struct Stats {
    bool from_cache = false;       // all units were
    bool rebuilt_corrupt = false;  // an entry was there and failed its checksum
    std::int64_t compile_ns = 0;   // 0 from the cache; of several units that of the slowest
    std::int64_t total_ns = 0;     // hashing, cache, compiling, loading
  };

  // Translation units as one library, each with its cache entry, compiled side by side: as many at a time as
  // there are `processors`, which compilers may use (empty: those of the calling thread, which is all a
  // pinned one has). No symbol is in two of the units. Errors (Environment): no compiler, directory not
  // writable, compiler failed (its first diagnostics in the message).
  static Result<KernelLibrary> load(std::span<const std::string> sources, const Compiler& compiler,
                                    const CacheOptions& cache = {}, std::span<const int> processors = {});

  KernelLibrary(KernelLibrary&&) noexcept = default;
  KernelLibrary& operator=(KernelLibrary&&) noexcept = default;
  ~KernelLibrary() = default;

  KernelEntry find(std::string_view symbol) const;  // nullptr if it is not there
  const Stats& stats() const { return stats_; }

 private:
  // The file is open as long as its code is loaded: the loader tells objects apart by name, and the name is
  // the descriptor's number.
  class Object {
   public:
    static Result<Object> load(std::string_view bytes);
    Object(Object&& other) noexcept
        : file_(std::move(other.file_)), handle_(std::exchange(other.handle_, nullptr)) {}
    Object& operator=(Object&& other) noexcept {
      std::swap(file_, other.file_);
      std::swap(handle_, other.handle_);
      return *this;
    }
    ~Object();
    void* find(const std::string& symbol) const;

   private:
    Object(UniqueFd file, void* handle) : file_(std::move(file)), handle_(handle) {}
    UniqueFd file_;
    void* handle_ = nullptr;
  };
  struct Unit {
    Object object;
    Stats stats;
  };
  static Result<Unit> load_unit(std::string_view source, const Compiler& compiler, const KernelCache& cache);

  KernelLibrary() = default;
  std::vector<Object> objects_;
  Stats stats_;
};

// What the cache key holds besides the source: everything else the machine code depends on. The instruction
// set is that of /proc/cpuinfo's first processor, since -march=native means it, and uname's machine where
// that says nothing.
std::string build_identity(const Compiler& compiler);

}  // namespace foretell::codegen
