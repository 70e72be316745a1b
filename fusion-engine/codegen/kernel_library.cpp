// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/kernel_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "src/base/system_message.hpp"

namespace foretell::codegen {
namespace {

using Clock = std::chrono::steady_clock;
std::int64_t nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// Lines of the first processor that say what it can do: x86 ("model name", "flags"), ARM ("CPU part",
// "Features").
std::string cpu_identity() {
  constexpr std::array<std::string_view, 6> kKeys{"model name", "flags",    "CPU implementer",
                                                  "CPU part",   "Features", "isa"};
  std::ifstream file("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (std::ranges::any_of(kKeys, [&](std::string_view key) { return line.starts_with(key); })) {
      identity.append(line).push_back('\n');
    }
  }
  utsname system = {};
  ::uname(&system);
  return identity.append(system.machine);
}

cpu_set_t processor_set(std::span<const int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) {
    CPU_SET(static_cast<std::size_t>(processor), &set);
  }
  if (processors.empty() && ::sched_getaffinity(0, sizeof set, &set) != 0) {
    CPU_SET(0, &set);
  }
  return set;
}

Result<std::string> read_file(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return fail(ErrorCode::Environment, path.string(),
                "the compiler left no object: " + system_message(errno));
  }
  return read_all(file);
}

}  // namespace

std::string build_identity(const Compiler& compiler) {
  return fmt::format("abi {}\ncompiler {} {}\nversion {}\nflags {}\n{}", kKernelInterface,
                     compiler.path.string(), fmt::join(compiler.arguments, " "), compiler.version,
                     fmt::join(compiler.flags, " "), cpu_identity());
}

Result<KernelLibrary::Object> KernelLibrary::Object::load(std::string_view bytes) {
  FORETELL_ASSIGN_OR_RETURN(UniqueFd file, memory_file("foretell-kernels", bytes));
  void* handle = ::dlopen(fmt::format("/proc/self/fd/{}", file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return fail(
        ErrorCode::Environment, {},
        fmt::format("compiled kernels can't be loaded: {}", reason == nullptr ? "no reason given" : reason));
  }
  return Object(std::move(file), handle);
}

KernelLibrary::Object::~Object() {
  if (handle_ != nullptr) {
    ::dlclose(handle_);
  }
}

void* KernelLibrary::Object::find(const std::string& symbol) const {
  return ::dlsym(handle_, symbol.c_str());
}

Result<KernelLibrary::Unit> KernelLibrary::load_unit(std::string_view source, const Compiler& compiler,
                                                     const KernelCache& cache) {
  const CacheKey key = make_cache_key(fmt::format("{}\n{}", build_identity(compiler), source));
  Stats stats;
  const auto load_cached = [&]() -> std::optional<Unit> {
    const KernelCache::Found found = cache.find(key);
    stats.rebuilt_corrupt |= found.corrupt;
    if (!found.object) {
      return std::nullopt;
    }
    // An entry that is whole but does not load is as good as damaged.
    Result<Object> object = Object::load(*found.object);
    if (!object) {
      stats.rebuilt_corrupt = true;
      return std::nullopt;
    }
    return Unit{.object = *std::move(object), .stats = {.from_cache = true}};
  };
  if (auto unit = load_cached()) {
    return *std::move(unit);
  }
  FORETELL_ASSIGN_OR_RETURN(const UniqueFd lock, cache.lock(key));
  stats.rebuilt_corrupt = false;  // whoever held the lock may have done it
  if (auto unit = load_cached()) {
    return *std::move(unit);
  }
  FORETELL_ASSIGN_OR_RETURN(const BuildDirectory build, cache.build_directory());
  const std::filesystem::path path = build.path() / "kernels.so";
  const auto start = Clock::now();
  FORETELL_RETURN_IF_ERROR(compile(compiler, source, path, build.path()));
  stats.compile_ns = nanoseconds_since(start);
  FORETELL_ASSIGN_OR_RETURN(const std::string bytes, read_file(path));
  FORETELL_ASSIGN_OR_RETURN(Object object, Object::load(bytes));
  FORETELL_RETURN_IF_ERROR(cache.store(key, bytes, build));
  return Unit{.object = std::move(object), .stats = stats};
}

Result<KernelLibrary> KernelLibrary::load(std::span<const std::string> sources, const Compiler& compiler,
                                          const CacheOptions& options, std::span<const int> processors) {
  const auto start = Clock::now();
  FORETELL_ASSIGN_OR_RETURN(const KernelCache cache, KernelCache::open(options));
  const cpu_set_t allowed = processor_set(processors);
  std::vector<std::optional<Result<Unit>>> units(sources.size());
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    const std::size_t jobs = std::min(sources.size(), static_cast<std::size_t>(CPU_COUNT(&allowed)));
    for (std::size_t job = 0; job < jobs; ++job) {
      threads.emplace_back([&] {
        ::sched_setaffinity(0, sizeof allowed, &allowed);  // for the compilers, which inherit it
        for (std::size_t i = next++; i < sources.size(); i = next++) {
          units[i] = load_unit(sources[i], compiler, cache);
        }
      });
    }
  }
  KernelLibrary library;
  library.stats_.from_cache = true;
  for (auto& unit : units) {
    FORETELL_ASSIGN_OR_RETURN(Unit loaded, *std::move(unit));
    library.objects_.push_back(std::move(loaded.object));
    library.stats_.from_cache &= loaded.stats.from_cache;
    library.stats_.rebuilt_corrupt |= loaded.stats.rebuilt_corrupt;
    library.stats_.compile_ns = std::max(library.stats_.compile_ns, loaded.stats.compile_ns);
  }
  library.stats_.total_ns = nanoseconds_since(start);
  return library;
}

KernelEntry KernelLibrary::find(std::string_view symbol) const {
  const std::string name(symbol);
  for (const Object& object : objects_) {
    if (void* address = object.find(name); address != nullptr) {
      return reinterpret_cast<KernelEntry>(address);
    }
  }
  return nullptr;
}

}  // namespace foretell::codegen
