// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstdlib>
#include <utility>

#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/runtime/clock.hpp"

namespace foretell::probe {
namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr int kPairs = 256;           // allocations and releases a sample
constexpr std::size_t kPages = 1024;  // touched a sample
constexpr std::size_t kPageBytes = 4096;

void keep(void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

double cached_ns(runtime::cpu::Allocator& allocator) {
  const std::int64_t begin = runtime::now_ns();
  for (int i = 0; i < kPairs; ++i) {
    std::byte* const data = allocator.allocate(kBlockBytes);
    keep(data);
    allocator.release(data, kBlockBytes);
  }
  return static_cast<double>(runtime::now_ns() - begin) / kPairs;
}

double system_ns() {
  const std::int64_t begin = runtime::now_ns();
  for (int i = 0; i < kPairs; ++i) {
    void* const data = std::malloc(kBlockBytes);
    keep(data);
    std::free(data);
  }
  return static_cast<double>(runtime::now_ns() - begin) / kPairs;
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
  const std::int64_t begin = runtime::now_ns();
  for (std::size_t page = 0; page < kPages; ++page) {
    bytes[page * kPageBytes] = 1;
  }
  const std::int64_t end = runtime::now_ns();
  ::munmap(mapped, kPages * kPageBytes);
  return static_cast<double>(end - begin) / static_cast<double>(kPages);
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_allocators(runtime::cpu::CpuDevice&, Sampler& sampler) {
  const auto caching = runtime::cpu::make_caching_allocator();
  FORETELL_ASSIGN_OR_RETURN(auto cached, sampler.constant(
                                             "alloc_cached_ns", "ns", [&] { return cached_ns(*caching); },
                                             "4 KiB from the caching allocator's lists, and back"));
  FORETELL_ASSIGN_OR_RETURN(auto system, sampler.constant("alloc_system_ns", "ns", system_ns,
                                                          "malloc and free of 4 KiB, untouched"));
  FORETELL_ASSIGN_OR_RETURN(auto fault, sampler.constant("page_fault_ns", "ns", page_fault_ns,
                                                         "first touch of a fresh 4 KiB page"));
  return std::vector{std::move(cached), std::move(system), std::move(fault)};
}

}  // namespace foretell::probe
