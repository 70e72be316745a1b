// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "fusion-engine/probe/copy.hpp"
#include "fusion-engine/probe/machine.hpp"
#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/probe/streaming_threshold.hpp"
#include "src/base/text.hpp"

namespace foretell::probe {
namespace {

using runtime::cpu::Stream;

struct Unmap {
  std::size_t size_bytes = 0;
  void operator()(std::byte* data) const { ::munmap(data, size_bytes); }
};
using Memory = std::unique_ptr<std::byte, Unmap>;

// Fresh memory, huge pages where the system gives them, as large tensors have.
Result<Memory> map(std::int64_t size_bytes) {
  const auto size = static_cast<std::size_t>(size_bytes);
  void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return fail(
        ErrorCode::Environment, "probe",
        fmt::format("no memory for a copy of {}", format_bytes(static_cast<std::uint64_t>(size_bytes))));
  }
  ::madvise(mapped, size, MADV_HUGEPAGE);  // advice; refused where there are none
  return Memory(static_cast<std::byte*>(mapped), Unmap{size});
}

double median_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  return quantile(samples, 0.5);
}

struct Level {
  std::string_view name;
  std::int64_t touched_bytes = 0;  // source and target together, of the whole team
};

// Half of a private cache each, so that the copy stays inside. For the last level twice all second-level
// caches at least; beyond that half of it, or sixteen times them, whichever is less: a cache that is told to
// be larger is shared with more than this team. For DRAM four times the last level, which leaves little of it
// cached, but no more than 512 MiB (a guest's first touch of as much in huge pages takes up to a second, half
// of what probing may take) or a quarter of the free memory; where the last level is as large as that, the
// copy may find some of its bytes there.
std::array<Level, 4> levels(const runtime::cpu::CacheSizes& caches, int team) {
  constexpr std::int64_t kMost = std::int64_t{512} << 20;
  const std::int64_t private_bytes = caches.l2_bytes * team;
  const std::int64_t free_bytes = available_memory_bytes();
  std::int64_t dram = std::clamp<std::int64_t>(4 * caches.last_level_bytes, 64 << 20, kMost);
  if (free_bytes > 0) {
    dram = std::min(dram, free_bytes / 4);
  }
  return {
      Level{"l1", caches.l1_bytes / 2 * team}, Level{"l2", private_bytes / 2},
      Level{"llc", std::max(2 * private_bytes, std::min(caches.last_level_bytes / 2, 16 * private_bytes))},
      Level{"dram", dram}};
}

// Bytes read and written per nanosecond. Small copies are repeated within one command, so that launching is
// no part.
double copy_gbps(Stream& stream, CopyKind kind, std::byte* to, const std::byte* from,
                 std::int64_t size_bytes) {
  constexpr std::int64_t kBytesASample = std::int64_t{4} << 20;  // some hundred microseconds
  const std::int64_t times = std::max<std::int64_t>(1, kBytesASample / size_bytes);
  std::int64_t begin = 0;
  std::int64_t end = 0;
  stream.record_time(&begin);
  launch_copy(stream, kind, to, from, size_bytes, times);
  stream.record_time(&end);
  stream.synchronize();
  return 2.0 * static_cast<double>(size_bytes) * static_cast<double>(times) /
         static_cast<double>(std::max<std::int64_t>(1, end - begin));
}

Result<StreamingTrial> try_streaming(Stream& stream, Sampler& sampler, std::byte* to, const std::byte* from,
                                     std::int64_t size_bytes) {
  const SampleLimits limits{.budget_ns = 20'000'000, .least = 3, .most = 200};
  const auto rates = [&](CopyKind kind) {
    return sampler.take([&, kind] { return copy_gbps(stream, kind, to, from, size_bytes); }, limits);
  };
  FORETELL_ASSIGN_OR_RETURN(std::vector<double> plain, rates(CopyKind::Plain));
  FORETELL_ASSIGN_OR_RETURN(std::vector<double> streaming, rates(CopyKind::Streaming));
  const auto samples = static_cast<std::int64_t>(plain.size() + streaming.size());
  return StreamingTrial{median_of(std::move(plain)), median_of(std::move(streaming)), samples};
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_copies(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  Stream& stream = *device.stream;
  const auto all = levels(device.caches, stream.team_size());
  const std::int64_t half = all.back().touched_bytes / 2 / 64 * 64;
  FORETELL_ASSIGN_OR_RETURN(const Memory from, map(half));
  FORETELL_ASSIGN_OR_RETURN(const Memory to, map(half));
  // first touch, each page by its worker; both written, since untouched memory reads as one page of zeros
  launch_copy(stream, CopyKind::Memcpy, from.get(), to.get(), half);
  launch_copy(stream, CopyKind::Memcpy, to.get(), from.get(), half);
  stream.synchronize();
  std::vector<ProbedConstant> constants;
  for (const Level& level : all) {
    const std::int64_t size = std::min(half, level.touched_bytes / 2 / 64 * 64);
    const auto bytes = static_cast<double>(2 * size);
    constants.push_back(
        {.constant = {.name = fmt::format("{}_copy_bytes", level.name),
                      .unit = "bytes",
                      .low = bytes,
                      .expected = bytes,
                      .high = bytes,
                      .provenance = Provenance::Derived,
                      .source = "what the copies of this level touch, from the caches' sizes"},
         .samples = 0});
    for (const CopyKind kind : kCopyKinds) {
      const SampleLimits limits{.budget_ns = 60'000'000, .least = 3, .most = 200};
      FORETELL_ASSIGN_OR_RETURN(auto constant,
                                sampler.constant(
                                    fmt::format("{}_{}_gbps", level.name, to_string(kind)), "GB/s",
                                    [&, kind] { return copy_gbps(stream, kind, to.get(), from.get(), size); },
                                    fmt::format("bytes read and written, {} touched",
                                                format_bytes(static_cast<std::uint64_t>(2 * size))),
                                    limits));
      constants.push_back(std::move(constant));
    }
  }
  // below twice the second-level caches a result is read again from there
  FORETELL_ASSIGN_OR_RETURN(
      auto streaming,
      find_streaming_threshold(2 * device.caches.l2_bytes * stream.team_size(), half, [&](std::int64_t size) {
        return try_streaming(stream, sampler, to.get(), from.get(), size);
      }));
  if (streaming) {
    constants.push_back(std::move(*streaming));
  }
  return constants;
}

}  // namespace foretell::probe
