// SPDX-License-Identifier: Apache-2.0
// The copy that every kernel bound by memory is compared with: three ways to move bytes, by the stream's own
// team, so that threads, pinning and pages are the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::probe {

enum class CopyKind : std::uint8_t {
  Memcpy,     // the C library's
  Plain,      // the widest vectors, ordinary stores
  Streaming,  // the widest vectors, stores past the caches
};
inline constexpr std::array kCopyKinds{CopyKind::Memcpy, CopyKind::Plain, CopyKind::Streaming};
std::string_view to_string(CopyKind kind);  // "memcpy", "plain", "streaming"

// Copies bytes; both 64-byte aligned, not overlapping.
void copy(CopyKind kind, std::byte* to, const std::byte* from, std::int64_t size_bytes);

// Enqueues it `times` over, each worker its share. Counted as size_bytes read and as many written.
void launch_copy(runtime::cpu::Stream& stream, CopyKind kind, std::byte* to, const std::byte* from,
                 std::int64_t size_bytes, std::int64_t times = 1);

// Floating-point operations of f32 multiply-adds in the widest vectors, from registers: does about `flops` of
// them and gives how many they were (2 per multiply-add).
double spend_flops(double flops);

}  // namespace foretell::probe
