// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/stream.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>

#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/cpu/affinity.hpp"
#include "fusion-engine/runtime/cpu/progress.hpp"

namespace foretell::runtime::cpu {
namespace {

std::int64_t involuntary_switches_of_this_thread() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// The commands of a segment, of which there is at least one.
struct Replay {
  const Recording::Command* commands;
  std::size_t count;

  void operator()(const Lane& lane) const {
    commands[0].entry(commands[0].payload, lane);
    for (std::size_t i = 1; i < count; ++i) {
      lane.barrier();
      commands[i].entry(commands[i].payload, lane);
    }
  }
};

}  // namespace

class Team {
 public:
  void configure(int size, std::int64_t spin_ns) {
    size_ = size;
    spin_ns_ = spin_ns;
  }
  void barrier() {
    const std::uint64_t generation = generation_.get();
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.advance(generation + 1);
    } else {
      generation_.wait(generation + 1, spin_ns_);
    }
  }

 private:
  int size_ = 1;
  std::int64_t spin_ns_ = 0;
  alignas(64) std::atomic<int> arrived_{0};
  Progress generation_;
};

void Lane::barrier() const {
  if (size > 1) {
    team->barrier();
  }
}

struct Stream::State {
  // A small command is in one cache line, so that only one travels to the worker.
  struct alignas(64) Slot {
    CommandEntry entry = nullptr;  // nullptr: workers end
    alignas(kHeadBytes) std::array<std::byte, kPayloadBytes> payload;
  };
  static_assert(offsetof(Slot, payload) == kHeadBytes);

  // The host's.
  bool one_lane = false;
  int team_size = 1;
  std::int64_t host_spin_ns = 0;
  std::uint64_t next = 0;       // commands enqueued
  std::uint64_t seen_done = 0;  // of those, how many were done when the host last looked
  std::int64_t blocked_ns = 0;
  std::vector<int> host_cpus;  // its own mask, to be given back; empty: not changed
  std::vector<int> worker_cpus;
  std::vector<std::thread> workers;
  Recording* recording = nullptr;  // that commands go to

  // Shared.
  std::vector<Slot> slots;
  std::int64_t worker_spin_ns = 0;
  Progress published;                        // commands given to the workers
  Progress done;                             // commands that all workers have returned from: for the host
  Progress team_done;                        // the same for the workers of a team of several
  alignas(64) std::atomic<int> returned{0};  // workers of the current command
  Team team;

  explicit State(std::size_t capacity) : slots(capacity) {}

  void wait_for(std::uint64_t commands) {
    if (done.get() < commands) {
      const std::int64_t start = now_ns();
      done.wait(commands, host_spin_ns);
      blocked_ns += now_ns() - start;
    }
  }

  void publish_end() {
    slots[next % slots.size()].entry = nullptr;
    published.advance(++next);
  }

  void complete(std::uint64_t commands) {
    if (team_size > 1) {
      returned.store(0, std::memory_order_relaxed);
      team_done.advance(commands);
    }
    done.advance(commands);
  }

  void work(int rank) {
    const Lane lane{.rank = rank, .size = team_size, .team = &team};
    for (std::uint64_t position = 0;; ++position) {
      if (team_size > 1) {
        team_done.wait(position, worker_spin_ns);
      }
      published.wait(position + 1, worker_spin_ns);
      const Slot& slot = slots[position % slots.size()];
      if (slot.entry == nullptr) {
        return;
      }
      slot.entry(slot.payload.data(), lane);
      if (team_size == 1 || returned.fetch_add(1, std::memory_order_acq_rel) + 1 == team_size) {
        complete(position + 1);
      }
    }
  }
};

Stream::Stream() = default;

Result<std::unique_ptr<Stream>> Stream::create(const StreamOptions& options) {
  std::unique_ptr<Stream> stream(new Stream);
  stream->state_ = std::make_unique<State>(options.one_lane ? 1 : kCapacity);
  State& state = *stream->state_;
  const std::vector<int> allowed = allowed_cpus();
  const int cores = allowed.empty() ? static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U))
                                    : static_cast<int>(allowed.size());
  state.one_lane = options.one_lane;
  state.team_size = options.one_lane ? 1 : options.threads > 0 ? options.threads : std::max(cores - 1, 1);
  bool shared = state.team_size + 1 > cores;
  if (options.pin && !allowed.empty()) {
    Placement placement = place_threads(allowed, state.team_size);
    if (options.one_lane) {
      placement.worker_cpus = {placement.host_cpu};
    }
    // Tried by this thread: a worker inherits the place that its creator has.
    const auto can_bind = [](int cpu) { return bind_thread({cpu}); };
    if (std::ranges::all_of(placement.worker_cpus, can_bind) && can_bind(placement.host_cpu)) {
      state.host_cpus = allowed;
      state.worker_cpus = placement.worker_cpus;
      shared = placement.shared;
    } else {
      bind_thread(allowed);
    }
  }
  if (options.one_lane) {
    return stream;
  }
  state.host_spin_ns = shared ? 0 : kSpinNs;
  state.worker_spin_ns = shared ? 0 : kSpinNs;
  state.team.configure(state.team_size, state.worker_spin_ns);
  try {
    for (int rank = 0; rank < state.team_size; ++rank) {
      if (!state.worker_cpus.empty() && !bind_thread({state.worker_cpus[static_cast<std::size_t>(rank)]})) {
        return fail(ErrorCode::Environment, "stream", "can't bind a worker to its processor");
      }
      state.workers.emplace_back([&state, rank] { state.work(rank); });
    }
    if (!state.worker_cpus.empty() && !bind_thread({allowed.front()})) {
      return fail(ErrorCode::Environment, "stream", "can't bind the host thread to its processor");
    }
  } catch (const std::system_error& error) {  // the destructor ends those that are there
    return fail(ErrorCode::Environment, "stream",
                std::string("can't start a worker thread: ") + error.what());
  }
  return stream;
}

Stream::~Stream() {
  if (!state_->workers.empty()) {
    if (static_cast<int>(state_->workers.size()) == state_->team_size) {
      synchronize();
    }
    state_->publish_end();
    for (std::thread& worker : state_->workers) {
      worker.join();
    }
  }
  if (!state_->host_cpus.empty()) {
    bind_thread(state_->host_cpus);
  }
}

std::byte* Stream::begin_command(CommandEntry entry, std::size_t payload_bytes) {
  State& state = *state_;
  if (state.recording != nullptr) {
    return state.recording->add(entry, payload_bytes);
  }
  if (state.next - state.seen_done >= state.slots.size()) {
    state.seen_done = state.done.get();
    if (state.next - state.seen_done >= state.slots.size()) {
      // Half the ring at once: the host may sleep long enough to be worth it, and the workers don't run dry
      // meanwhile.
      state.wait_for(state.next - state.slots.size() / 2);
      state.seen_done = state.done.get();
    }
  }
  State::Slot& slot = state.slots[state.next % state.slots.size()];
  slot.entry = entry;
  return slot.payload.data();
}

void Stream::end_command() {
  State& state = *state_;
  if (state.recording != nullptr) {
    return;
  }
  State::Slot& slot = state.slots[state.next % state.slots.size()];
  ++state.next;
  if (state.one_lane) {
    slot.entry(slot.payload.data(), Lane{});
    state.seen_done = state.next;
    return;
  }
  state.published.advance(state.next);
}

Event Stream::record() { return {.sequence = state_->next}; }

void Stream::wait(Event event) {
  if (!state_->one_lane) {
    state_->wait_for(event.sequence);
  }
}

void Stream::synchronize() {
  if (state_->recording != nullptr) {
    state_->recording->add_wait();
  } else {
    wait(record());
  }
}

void Stream::begin_recording(Recording& recording) {
  FORETELL_CHECK(state_->recording == nullptr);
  state_->recording = &recording;
}

void Stream::end_recording() { state_->recording = nullptr; }

Recording* Stream::recording() const { return state_->recording; }

void Stream::replay(const Recording& recording) {
  for (const Recording::Segment& segment : recording.segments()) {
    launch(Replay{.commands = segment.commands.data(), .count = segment.commands.size()});
    if (segment.host_waits) {
      synchronize();
    }
  }
}

void Stream::record_time(std::int64_t* time) {
  launch([time](const Lane& lane) {
    if (lane.rank == 0) {
      *time = now_ns();
    }
  });
}

bool Stream::one_lane() const { return state_->one_lane; }

int Stream::team_size() const { return state_->team_size; }

const std::vector<int>& Stream::worker_cpus() const { return state_->worker_cpus; }

std::vector<int> Stream::processors() const {
  std::vector<int> processors = allowed_cpus();
  processors.insert(processors.end(), state_->worker_cpus.begin(), state_->worker_cpus.end());
  std::ranges::sort(processors);
  processors.erase(std::ranges::unique(processors).begin(), processors.end());
  return processors;
}

std::int64_t Stream::involuntary_switches() {
  if (state_->one_lane) {
    return 0;
  }
  std::atomic<std::int64_t> sum{0};
  launch([to = &sum](const Lane&) {
    to->fetch_add(involuntary_switches_of_this_thread(), std::memory_order_relaxed);
  });
  synchronize();
  return sum.load(std::memory_order_relaxed);
}

std::int64_t Stream::blocked_ns() const { return state_->blocked_ns; }

}  // namespace foretell::runtime::cpu
