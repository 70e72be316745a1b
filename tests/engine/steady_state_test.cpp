// SPDX-License-Identifier: Apache-2.0
// A step that is replayed allocates nothing: malloc itself is counted, in all threads. What the matrix
// library allocates within its own calls is told apart by its frames on the stack.
#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/engine/workload_runner.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORETELL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FORETELL_SANITIZED 1
#endif
#endif

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> engine_allocations{0};
std::atomic<std::int64_t> library_allocations{0};
thread_local bool within = false;  // backtrace() may allocate

[[maybe_unused]] bool called_by_library() {
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (::dladdr(frames[static_cast<std::size_t>(i)], &info) != 0 && info.dli_fname != nullptr &&
        std::string_view(info.dli_fname).find("libdnnl") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

[[maybe_unused]] void count_allocation() {
  if (!counting.load(std::memory_order_relaxed) || within) {
    return;
  }
  within = true;
  (called_by_library() ? library_allocations : engine_allocations).fetch_add(1);
  within = false;
}

}  // namespace

#ifndef FORETELL_SANITIZED  // sanitizers have their own
extern "C" {
// The C library's own, by names that stay when malloc is replaced.
void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);               // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  count_allocation();
  return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void* realloc(void* old, std::size_t size) {
  count_allocation();
  return __libc_realloc(old, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** to, std::size_t alignment,
                                                          std::size_t size) {
  count_allocation();
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? 12 : 0;  // ENOMEM
}
}
#endif

namespace foretell::tests {
namespace {

[[maybe_unused]] constexpr std::int64_t kElements = 4096;  // of the largest tensor

class SteadyState : public testing::TestWithParam<workloads::WorkloadInfo> {
 protected:
  // Mallocs of the engine in ten steps of the variant, after two to warm up.
  static std::int64_t allocations(WorkloadRunner& runner, std::string_view variant) {
    WorkloadRunner::Running running = runner.start(variant);
    running.step();
    running.step();
    engine_allocations = 0;
    library_allocations = 0;
    counting = true;
    for (int i = 0; i < 10; ++i) {
      running.step();
    }
    counting = false;
    return engine_allocations;
  }
};

TEST_P(SteadyState, ReplayedStepsAllocateNothing) {
#ifdef FORETELL_SANITIZED
  // Sanitizers replace malloc themselves.
  GTEST_SKIP() << "malloc is the sanitizer's";
#else
  if (!codegen::find_compiler()) {
    // Generated code needs the system's compiler, which a machine may lack; the build's own may be elsewhere.
    GTEST_SKIP() << "no C++ compiler on this machine";
  }
  WorkloadRunner runner(std::string(GetParam().name), kElements);
  EXPECT_EQ(allocations(runner, "full"), 0);
  RecordProperty("library_allocations", std::to_string(library_allocations.load()));
  EXPECT_EQ(allocations(runner, "replay"), 0);
#endif
}

// That it is counted at all.
TEST(SteadyStateCount, SeesMalloc) {
#ifdef FORETELL_SANITIZED
  // Sanitizers replace malloc themselves.
  GTEST_SKIP() << "malloc is the sanitizer's";
#else
  engine_allocations = 0;
  counting = true;
  void* volatile kept = ::operator new(100);
  counting = false;
  ::operator delete(kept);
  EXPECT_EQ(engine_allocations.load(), 1);
#endif
}

INSTANTIATE_TEST_SUITE_P(Workloads, SteadyState,
                         testing::ValuesIn(workloads::all_workloads().begin(),
                                           workloads::all_workloads().end()),
                         workload_name);

}  // namespace
}  // namespace foretell::tests
