// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/recording.hpp"

namespace foretell::runtime::cpu {

std::byte* Recording::add(CommandEntry entry, std::size_t payload_bytes) {
  auto* const payload = static_cast<std::byte*>(memory_.allocate(payload_bytes, kAlignment));
  if (segments_.empty() || segments_.back().host_waits) {
    segments_.emplace_back();
  }
  segments_.back().commands.push_back({.entry = entry, .payload = payload});
  return payload;
}

void Recording::add_wait() {
  if (!segments_.empty()) {
    segments_.back().host_waits = true;
  }
}

std::size_t Recording::commands() const {
  std::size_t count = 0;
  for (const Segment& segment : segments_) {
    count += segment.commands.size();
  }
  return count;
}

}  // namespace foretell::runtime::cpu
