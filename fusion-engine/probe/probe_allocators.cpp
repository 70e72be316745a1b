// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "fusion-engine/probe/probes.hpp"

namespace foretell::probe {
namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr int kPairs = 256;           // allocations and releases a sample
constexpr std::size_t kPages = 1024;  // touched a sample
constexpr std::size_t kPageBytes = 4096;

void keep(void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

double cached_ns(runtime::cpu::Allocator& allocator) {
  const std::int64_t begin = now_ns();
  for (int i = 0; i < kPairs; ++i) {
    std::byte* const data = allocator.allocate(kBlockBytes);
    keep(data);
    allocator.release(data, kBlockBytes);
  }
  return static_cast<double>(now_ns() - begin) / kPairs;
}

double system_ns() {
  const std::int64_t begin = now_ns();
  for (int i = 0; i < kPairs; ++i) {
    void* const data = std::malloc(kBlockBytes);
    keep(data);
    std::free(data);
  }
  return static_cast<double>(now_ns() - begin) / kPairs;
}

// Small pages are asked for: a huge one would hide the faults of the many small tensors that have none.
Result<double> page_fault_ns() {
  void* const mapped =
      ::mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return fail(ErrorCode::Environment, "probe", "no memory for 4 MiB of fresh pages");
  }
  ::madvise(mapped, kPages * kPageBytes,
            MADV_NOHUGEPAGE);  // a kernel without huge pages refuses: all the better
  auto* const bytes = static_cast<volatile char*>(mapped);
  const std::int64_t begin = now_ns();
  for (std::size_t page = 0; page < kPages; ++page) {
    bytes[page * kPageBytes] = 1;
  }
  const std::int64_t end = now_ns();
  ::munmap(mapped, kPages * kPageBytes);
  return static_cast<double>(end - begin) / static_cast<double>(kPages);
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_allocators(runtime::cpu::CpuDevice&, bool) {
  const auto caching = runtime::cpu::make_caching_allocator();
  std::vector<ProbedConstant> constants;
  constants.push_back(constant_of("alloc_cached_ns", "ns",
                                  take_samples([&] { return cached_ns(*caching); }, {}),
                                  "4 KiB from the caching allocator's lists, and back"));
  constants.push_back(constant_of("alloc_system_ns", "ns", take_samples(system_ns, {}),
                                  "malloc and free of 4 KiB, untouched"));
  std::optional<Error> error;
  const auto touch = [&] {
    auto sample = page_fault_ns();
    if (!sample) {
      error = std::move(sample).error();
    }
    return sample.value_or(0);
  };
  std::vector<double> touches = take_samples(touch, {});
  if (error) {
    return std::unexpected(std::move(*error));
  }
  constants.push_back(
      constant_of("page_fault_ns", "ns", std::move(touches), "first touch of a fresh 4 KiB page"));
  return constants;
}

}  // namespace foretell::probe
