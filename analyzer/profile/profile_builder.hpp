// SPDX-License-Identifier: Apache-2.0
// Fills a Profile record by record, in file order, then puts the tables into their documented order.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "analyzer/profile/profile.hpp"

namespace foretell::profile {

class ProfileBuilder {
 public:
  Profile& profile() { return profile_; }

  // Row numbers; the same argument gives the same row.
  std::uint32_t thread(const TrackId& pid, const TrackId& tid);
  std::uint32_t device(std::int64_t id);
  std::uint32_t stream(std::int64_t device_id, std::int64_t stream_id);

  // One half of a begin/end pair; pairs are formed per thread by finish().
  void begin_range(std::int64_t time_ns, StringId name, std::uint32_t thread, HostOpKind kind);
  void end_range(std::int64_t time_ns, StringId name, std::uint32_t thread);

  // Extends the span of the trace.
  void cover(std::int64_t first_ns, std::int64_t last_ns);

  // Bytes held by the tables and strings, for a memory limit.
  [[nodiscard]] std::size_t allocated_bytes() const;

  // Pairs begin/end ranges, sorts the tables, nests the host ops. The builder is empty afterwards.
  Profile finish();

 private:
  struct HalfRange {
    std::int64_t time_ns;
    StringId name;
    std::uint32_t thread;
    HostOpKind kind;
    bool is_end;
  };

  void pair_half_ranges();

  Profile profile_;
  std::vector<HalfRange> half_ranges_;
  struct KeyHash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& key) const {
      return static_cast<std::size_t>(key.first) * 0x9E3779B97F4A7C15ULL +
             static_cast<std::size_t>(key.second);
    }
  };
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint32_t>, KeyHash> threads_;
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::uint32_t, KeyHash> streams_;
  std::unordered_map<std::int64_t, std::uint32_t> devices_;
  std::uint32_t last_thread_ = kNoRow;
  std::uint32_t last_stream_ = kNoRow;
};

}  // namespace foretell::profile
