// SPDX-License-Identifier: Apache-2.0
// Commands of a stream that were recorded instead of run, and are replayed as one: what a CUDA graph is to a
// GPU. Addresses are those of the recording, so what the commands read and write has to stay where it was.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "fusion-engine/runtime/cpu/lane.hpp"

namespace foretell::runtime::cpu {

class Recording {
 public:
  struct Command {
    CommandEntry entry = nullptr;
    const std::byte* payload = nullptr;
  };
  // Commands between two waits of the host: the most that can be submitted at once.
  struct Segment {
    std::vector<Command> commands;
    bool host_waits = false;  // behind it
  };

  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // A command; its payload, to be written by the caller, begins a cache line.
  std::byte* add(CommandEntry entry, std::size_t payload_bytes);
  // `work`, called as work(const Lane&), of any size; gives it as it lies in the recording.
  template <class Work>
  Work& add(const Work& work) {
    static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= kAlignment);
    std::byte* const payload =
        add([](const std::byte* bytes,
               const Lane& lane) { (*std::launder(reinterpret_cast<const Work*>(bytes)))(lane); },
            sizeof(Work));
    return *new (payload) Work(work);
  }
  // The host waits for all commands so far: that can't be part of a segment.
  void add_wait();

  std::span<const Segment> segments() const { return segments_; }
  std::size_t commands() const;

 private:
  static constexpr std::size_t kAlignment = 64;

  std::pmr::monotonic_buffer_resource memory_;  // payloads stay where they are
  std::vector<Segment> segments_;
};

}  // namespace foretell::runtime::cpu
