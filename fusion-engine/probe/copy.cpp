// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/probe/copy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fusion-engine/runtime/cpu/kernel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace foretell::probe {
namespace {

constexpr std::int64_t kLine = 64;  // bytes

// Lines [0, size / 64) by vectors; what each does is the same but for its width. Four lines a turn: enough to
// have loads of several lines under way.
struct VectorCopy {
  void (*plain)(std::byte* to, const std::byte* from, std::int64_t size_bytes);
  void (*streaming)(std::byte* to, const std::byte* from, std::int64_t size_bytes);
  double (*multiply_add)(std::int64_t turns);  // each kChains vectors of f32
  int floats;                                  // of a vector
};

constexpr int kChains =
    12;  // independent: more than latency times throughput of the multiply-adds of any core yet

#if defined(__x86_64__)

__attribute__((target("avx512f"))) void plain_512(std::byte* to, const std::byte* from,
                                                  std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += kLine) {
    _mm512_store_si512(to + i, _mm512_load_si512(from + i));
  }
}
__attribute__((target("avx512f"))) void streaming_512(std::byte* to, const std::byte* from,
                                                      std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += kLine) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
  }
  _mm_sfence();
}
__attribute__((target("avx512f"))) double multiply_add_512(std::int64_t turns) {
  __m512 sum[kChains];
  for (__m512& each : sum) {
    each = _mm512_set1_ps(1.0F);
  }
  const __m512 factor = _mm512_set1_ps(0.5F);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 12
    for (__m512& each : sum) {
      each = _mm512_fmadd_ps(each, factor, factor);
    }
  }
  double total = 0;
  for (const __m512& each : sum) {
    total += static_cast<double>(each[0]);
  }
  return total;
}

__attribute__((target("avx2,fma"))) void plain_256(std::byte* to, const std::byte* from,
                                                   std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += kLine) {
    const auto* source = reinterpret_cast<const __m256i*>(from + i);
    auto* target = reinterpret_cast<__m256i*>(to + i);
    _mm256_store_si256(target, _mm256_load_si256(source));
    _mm256_store_si256(target + 1, _mm256_load_si256(source + 1));
  }
}
__attribute__((target("avx2,fma"))) void streaming_256(std::byte* to, const std::byte* from,
                                                       std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += kLine) {
    const auto* source = reinterpret_cast<const __m256i*>(from + i);
    auto* target = reinterpret_cast<__m256i*>(to + i);
    _mm256_stream_si256(target, _mm256_load_si256(source));
    _mm256_stream_si256(target + 1, _mm256_load_si256(source + 1));
  }
  _mm_sfence();
}
__attribute__((target("avx2,fma"))) double multiply_add_256(std::int64_t turns) {
  __m256 sum[kChains];
  for (__m256& each : sum) {
    each = _mm256_set1_ps(1.0F);
  }
  const __m256 factor = _mm256_set1_ps(0.5F);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 12
    for (__m256& each : sum) {
      each = _mm256_fmadd_ps(each, factor, factor);
    }
  }
  double total = 0;
  for (const __m256& each : sum) {
    total += static_cast<double>(each[0]);
  }
  return total;
}

void plain_128(std::byte* to, const std::byte* from, std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += 16) {
    _mm_store_si128(reinterpret_cast<__m128i*>(to + i),
                    _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
}
void streaming_128(std::byte* to, const std::byte* from, std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
  _mm_sfence();
}
double multiply_add_128(std::int64_t turns) {
  __m128 sum[kChains];
  for (__m128& each : sum) {
    each = _mm_set1_ps(1.0F);
  }
  const __m128 factor = _mm_set1_ps(0.5F);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 12
    for (__m128& each : sum) {
      each = _mm_add_ps(_mm_mul_ps(each, factor), factor);
    }
  }
  double total = 0;
  for (const __m128& each : sum) {
    total += static_cast<double>(each[0]);
  }
  return total;
}

const VectorCopy& vectors() {
  static constexpr VectorCopy k512{plain_512, streaming_512, multiply_add_512, 16};
  static constexpr VectorCopy k256{plain_256, streaming_256, multiply_add_256, 8};
  static constexpr VectorCopy k128{plain_128, streaming_128, multiply_add_128, 4};
  const int bytes = runtime::cpu::kernel_vector_bytes();
  return bytes >= 64 ? k512 : bytes >= 32 ? k256 : k128;
}

#else

// No store past the caches that C++ could name: ordinary ones stand in, and the reference is the best of all
// three.
void portable(std::byte* to, const std::byte* from, std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; ++i) {
    to[i] = from[i];
  }
}
double multiply_add(std::int64_t turns) {
  float sum[kChains][4];
  for (auto& chain : sum) {
    for (float& each : chain) {
      each = 1.0F;
    }
  }
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (auto& chain : sum) {
      for (float& each : chain) {
        each = std::fma(each, 0.5F, 0.5F);
      }
    }
  }
  double total = 0;
  for (const auto& chain : sum) {
    total += static_cast<double>(chain[0]);
  }
  return total;
}

const VectorCopy& vectors() {
  static constexpr VectorCopy kPortable{portable, portable, multiply_add, 4};
  return kPortable;
}

#endif

}  // namespace

std::string_view to_string(CopyKind kind) {
  switch (kind) {
    case CopyKind::Memcpy: return "memcpy";
    case CopyKind::Plain: return "plain";
    case CopyKind::Streaming: return "streaming";
  }
  return "memcpy";
}

void copy(CopyKind kind, std::byte* to, const std::byte* from, std::int64_t size_bytes) {
  const std::int64_t whole = size_bytes / kLine * kLine;
  switch (kind) {
    case CopyKind::Memcpy: std::memcpy(to, from, static_cast<std::size_t>(size_bytes)); return;
    case CopyKind::Plain: vectors().plain(to, from, whole); break;
    case CopyKind::Streaming: vectors().streaming(to, from, whole); break;
  }
  std::memcpy(to + whole, from + whole, static_cast<std::size_t>(size_bytes - whole));
}

void launch_copy(runtime::cpu::Stream& stream, CopyKind kind, std::byte* to, const std::byte* from,
                 std::int64_t size_bytes, std::int64_t times) {
  stream.launch([=](const runtime::cpu::Lane& lane) {
    const std::int64_t lines = (size_bytes + kLine - 1) / kLine;
    const std::int64_t begin = lane.begin(lines) * kLine;
    const std::int64_t end = std::min(lane.end(lines) * kLine, size_bytes);
    for (std::int64_t i = 0; i < times; ++i) {
      copy(kind, to + begin, from + begin, end - begin);
      asm volatile("" ::: "memory");  // each time anew
    }
  });
}

double spend_flops(double flops) {
  const double per_turn = 2.0 * kChains * vectors().floats;
  const auto turns = static_cast<std::int64_t>(std::ceil(flops / per_turn));
  const double sum = vectors().multiply_add(turns);
  return sum > 0 ? static_cast<double>(turns) * per_turn
                 : 0;  // the sum is needed: no compiler drops the work
}

}  // namespace foretell::probe
