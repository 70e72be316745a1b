// SPDX-License-Identifier: Apache-2.0
// What a trace format offers: recognise itself from the first bytes, and read a whole file into a Profile.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "analyzer/profile/profile.hpp"
#include "src/base/byte_source.hpp"
#include "src/base/result.hpp"

namespace foretell::ingest {

struct ReadOptions {
  // Drop events that can't be repaired (and count them) instead of refusing the file.
  bool lenient = false;
  // Parser threads beside the reading one; 0: one per core.
  unsigned threads = 0;
  // Limits against hostile files. A file beyond one of them ends in an Error of code Limit that states it.
  std::uint64_t max_text_bytes = std::uint64_t{64} << 30;   // inflated
  std::uint64_t max_event_bytes = std::uint64_t{64} << 20;  // one event
  std::uint64_t max_table_bytes = 0;                        // 0: half of the machine's memory
  // Called now and then from the reading thread: bytes of the file consumed, size (0: unknown).
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

struct Importer {
  std::string_view name;   // "kineto"
  std::string_view title;  // "PyTorch profiler (Kineto) JSON"
  // `prefix`: the first bytes after inflating, at least 4 KiB unless the file is shorter.
  bool (*sniff)(std::string_view prefix);
  Result<profile::Profile> (*read)(ByteSource& source, std::string_view prefix, const ReadOptions& options);
};

}  // namespace foretell::ingest
