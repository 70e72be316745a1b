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

#include "fusion-engine/runtime/cpu/lane.hpp"
#include "fusion-engine/runtime/cpu/recording.hpp"
#include "src/base/result.hpp"

namespace foretell::runtime::cpu {

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
    std::byte* payload =
        begin_command([](const std::byte* bytes,
                         const Lane& lane) { (*std::launder(reinterpret_cast<const Work*>(bytes)))(lane); },
                      sizeof(Work));
    std::memcpy(payload, &work, sizeof(Work));
    end_command();
  }

  Event record();          // cheap: no command
  void wait(Event event);  // blocks the host until it has passed
  void synchronize();      // until everything has run

  // From here to end_recording() commands go to `recording` instead of the workers, and synchronize() is
  // noted there instead of done.
  void begin_recording(Recording& recording);
  void end_recording();
  Recording* recording() const;  // nullptr: none
  // One command a segment, run by the team as the commands were recorded: the next begins when all lanes are
  // through with one. The host waits where it waited. The recording lives until all has run.
  void replay(const Recording& recording);

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
  std::byte* begin_command(CommandEntry entry, std::size_t payload_bytes);  // its place, 16-byte aligned
  void end_command();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foretell::runtime::cpu
