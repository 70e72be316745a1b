// SPDX-License-Identifier: Apache-2.0
// How fast ISA-L and zlib inflate the same file, held in memory, into a window of the importer's size.
//
//   inflate_bench FILE.gz [Google Benchmark options]
#include <benchmark/benchmark.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

// Both functions inflate one gzip member and return the inflated size, or nothing where the data is broken.

std::optional<std::uint64_t> inflate_isal(std::span<std::uint8_t> packed, std::span<std::uint8_t> window) {
  static inflate_state state;  // 88 KB
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  state.next_in = packed.data();
  state.avail_in = static_cast<std::uint32_t>(packed.size());
  std::uint64_t total = 0;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    state.next_out = window.data();
    state.avail_out = static_cast<std::uint32_t>(window.size());
    const int status = isal_inflate(&state);
    const std::size_t made = window.size() - state.avail_out;
    if (status != ISAL_DECOMP_OK || (made == 0 && state.block_state != ISAL_BLOCK_FINISH)) {
      return std::nullopt;
    }
    total += made;
  }
  return total;
}

std::optional<std::uint64_t> inflate_zlib(std::span<std::uint8_t> packed, std::span<std::uint8_t> window) {
  constexpr int kGzipWindowBits = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) {
    return std::nullopt;
  }
  stream.next_in = packed.data();
  stream.avail_in = static_cast<uInt>(packed.size());
  std::uint64_t total = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = window.data();
    stream.avail_out = static_cast<uInt>(window.size());
    status = inflate(&stream, Z_NO_FLUSH);
    total += window.size() - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? std::optional(total) : std::nullopt;
}

template <auto inflate_member>
void run(benchmark::State& state, std::vector<std::uint8_t>& packed) {
  std::vector<std::uint8_t> window(kWindowBytes);
  std::uint64_t total = 0;
  for (auto _ : state) {
    const auto size = inflate_member(packed, window);
    if (!size) {
      state.SkipWithError("the file is not one complete gzip member");
      return;
    }
    total += *size;
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(total));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fputs("usage: inflate_bench FILE.gz [Google Benchmark options]\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<std::uint8_t> packed{std::istreambuf_iterator<char>(file), {}};
  if (packed.empty() || packed.size() > std::numeric_limits<std::uint32_t>::max()) {
    std::fprintf(stderr, "inflate_bench: %s: expected a readable file of 1 byte to 4 GiB\n", argv[1]);
    return 3;
  }
  for (const auto& [name, function] :
       {std::pair{"isal", &run<inflate_isal>}, std::pair{"zlib", &run<inflate_zlib>}}) {
    benchmark::RegisterBenchmark(name, [function, &packed](benchmark::State& state) {
      function(state, packed);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
