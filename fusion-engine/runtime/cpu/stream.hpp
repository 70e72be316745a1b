// SPDX-License-Identifier: Apache-2.0
// The CPU as a device with one in-order stream: the host thread enqueues commands into a ring, a pinned team
// of workers executes them. So a step takes about max(host, device) while the ring holds work, and host and
// device add up when it runs dry, as on a GPU. One thread enqueues and waits: the one that created the
// stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "src/base/result.hpp"

namespace foretell::runtime::cpu {

class Team;  // the barrier; stream.cpp

// One worker's place in the team while it runs a command.
struct Lane {
  int rank = 0;
  int size = 1;
  Team* team = nullptr;
  // All lanes of the command have arrived.
  void barrier() const;
  // This lane's share of `units`: [begin, end).
  std::int64_t begin(std::int64_t units) const { return units * rank / size; }
  std::int64_t end(std::int64_t units) const { return units * (rank + 1) / size; }
};

struct StreamOptions {
  int threads = 0;        // workers; 0 means cores - 1, at least 1
  bool one_lane = false;  // --sync: the calling thread executes each command as it is enqueued, alone
  // Host to the first allowed core, workers to the others (all share one if there is only one). The
  // destructor gives the host thread its cores back, so streams of one thread end in the opposite order of
  // their beginning.
  bool pin = true;
};

// Position in the stream: everything enqueued before it.
struct Event {
  std::uint64_t sequence = 0;
};

class Stream {
 public:
  static constexpr std::size_t kPayloadBytes = 1024;
  static constexpr std::size_t kCapacity = 1024;  // commands; a full ring makes the host wait
  // Before the payload in a command's place, which begins a cache line.
  static constexpr std::size_t kHeadBytes = 16;

  // Errors (Environment): threads can't be started.
  static Result<std::unique_ptr<Stream>> create(const StreamOptions& options = {});
  ~Stream();  // after all commands
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Enqueues `work`, called as work(const Lane&) by every worker; the next command starts when all have
  // returned. Trivially copyable, at most kPayloadBytes: what it points to must live until it has run.
  template <class Work>
  void launch(const Work& work) {
    static_assert(std::is_trivially_copyable_v<Work> && sizeof(Work) <= kPayloadBytes && alignof(Work) <= 16);
    std::byte* payload = begin_command([](const std::byte* bytes, const Lane& lane) {
      (*std::launder(reinterpret_cast<const Work*>(bytes)))(lane);
    });
    std::memcpy(payload, &work, sizeof(Work));
    end_command();
  }

  Event record();          // cheap: no command
  void wait(Event event);  // blocks the host until it has passed
  void synchronize();      // until everything has run
  // Writes the steady clock (ns) to *time when the stream gets there.
  void record_time(std::int64_t* time);

  bool one_lane() const;  // as it was created
  int team_size() const;
  const std::vector<int>& worker_cpus() const;  // by rank; empty when not pinned
  // Where host and workers may run, ascending: asked for by the host thread.
  std::vector<int> processors() const;
  // Of the workers so far: involuntary context switches, for the measurement's rejection of disturbed
  // samples. They count them themselves, as a command: waits for all that was enqueued. In one lane there
  // are no workers, and none are counted.
  std::int64_t involuntary_switches();
  // Of the host so far: waiting for the device, for room in the ring or for an event.
  std::int64_t blocked_ns() const;

 private:
  Stream();
  using Entry = void (*)(const std::byte* payload, const Lane& lane);
  std::byte* begin_command(Entry entry);  // place for its payload, 16-byte aligned
  void end_command();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretell::runtime::cpu
