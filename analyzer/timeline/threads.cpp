// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/threads.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/timeline/per_step.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

// Threads that are looked at. Recorded runs have a few dozen; bounds the work where every thread covers every
// step.
constexpr std::size_t kMostThreads = 256;

// Amounts that come in order of their steps: the typical steady step.
class Tally {
 public:
  Tally(const std::vector<Step>& steps, std::size_t steady) : steps_(steps), steady_(steady) {}

  void add(std::size_t step, std::int64_t amount) {
    if (step >= steps_.size() || steps_[step].warmup) {
      return;
    }
    if (of_step_.empty() || of_step_.back().step != step) {
      of_step_.push_back({step, 0});
    }
    of_step_.back().amount += amount;
  }
  // Takes the other's amounts off, never below 0.
  void subtract(const Tally& other) {
    auto taken = other.of_step_.begin();
    for (Amount& own : of_step_) {
      while (taken != other.of_step_.end() && taken->step < own.step) {
        ++taken;
      }
      if (taken != other.of_step_.end() && taken->step == own.step) {
        own.amount = std::max<std::int64_t>(own.amount - taken->amount, 0);
      }
    }
  }
  [[nodiscard]] std::int64_t median() const {
    std::vector<std::int64_t> values(of_step_.size());
    std::ranges::transform(of_step_, values.begin(), &Amount::amount);
    return median_with_zeros(std::move(values), steady_);
  }

 private:
  struct Amount {
    std::size_t step;
    std::int64_t amount;
  };
  const std::vector<Step>& steps_;
  std::size_t steady_;
  std::vector<Amount> of_step_;
};

// Time covered per step by ranges that come in order of their start.
class Coverage {
 public:
  Coverage(const std::vector<Step>& steps, std::size_t steady) : steps_(steps), tally_(steps, steady) {}

  // Every moment counts once, so the pieces only move forward and so do the steps they fall into.
  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    begin_ns = std::max(begin_ns, reached_);
    if (end_ns <= begin_ns) {
      return;
    }
    reached_ = end_ns;
    const auto next = std::ranges::upper_bound(steps_, begin_ns, {}, window_begin);
    auto step = static_cast<std::size_t>(next - steps_.begin());
    for (step -= step > 0 ? 1 : 0; step < steps_.size() && window_begin(steps_[step]) < end_ns; ++step) {
      const std::int64_t begin = std::max(begin_ns, window_begin(steps_[step]));
      const std::int64_t end = std::min(end_ns, window_end(step));
      if (end > begin) {
        tally_.add(step, end - begin);
      }
    }
  }
  void subtract(const Coverage& other) { tally_.subtract(other.tally_); }
  [[nodiscard]] std::int64_t median() const { return tally_.median(); }

 private:
  static std::int64_t window_begin(const Step& step) { return step.start_ns - step.lead_ns; }
  // steps that overlap: a moment belongs to the later one, as step_at() has it
  [[nodiscard]] std::int64_t window_end(std::size_t step) const {
    const std::int64_t end = window_begin(steps_[step]) + steps_[step].duration_ns;
    return step + 1 < steps_.size() ? std::min(end, window_begin(steps_[step + 1])) : end;
  }

  const std::vector<Step>& steps_;
  Tally tally_;
  std::int64_t reached_ = INT64_MIN;
};

// Rows of one thread: both tables are sorted by thread, then start.
struct Rows {
  std::uint32_t thread = 0;
  std::uint32_t op = 0, op_end = 0;
  std::uint32_t call = 0, call_end = 0;
  std::uint64_t launches = 0;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{op_end - op} + (call_end - call); }
};

enum class Cover : std::uint8_t { Nothing, Work, Wait };

// What a host row of that name says about its thread.
class NameRules {
 public:
  explicit NameRules(const Profile& profile)
      : profile_(profile), is_mark_(profile.strings.size(), false), waits_(profile.strings.size(), kUnknown) {
    for (const StringId name : profile.step_markers.name) {
      is_mark_[index_of(name)] = true;  // old traces record step marks as operators
    }
  }

  [[nodiscard]] Cover of(std::uint32_t op) {
    const StringId name = profile_.host_ops.name[op];
    switch (profile_.host_ops.kind[op]) {
      case HostOpKind::Operator: return is_mark_[index_of(name)] ? Cover::Nothing : Cover::Work;
      case HostOpKind::PythonFunction: return waits(name) ? Cover::Wait : Cover::Work;
      case HostOpKind::UserAnnotation:
      case HostOpKind::Other: return Cover::Nothing;  // the latter: rows that name no category
    }
    return Cover::Nothing;
  }

 private:
  static constexpr std::int8_t kUnknown = -1;

  // Frames in which a thread sleeps until something happens: "threading.py(359): wait".
  bool waits(StringId name) {
    struct Frame {
      std::string_view begin, end;
    };
    static constexpr std::array kFrames{
        Frame{"threading.py(", "): wait"},
        Frame{"selectors.py(", "): select"},
        Frame{"multiprocessing/connection.py(", "): wait"},
        Frame{"<built-in method acquire of _thread.", ""},
        Frame{"<built-in function sleep", ""},
        Frame{"<built-in method sleep of ", ""},
        Frame{"<built-in method poll of select.", ""},
    };
    std::int8_t& known = waits_[index_of(name)];
    if (known == kUnknown) {
      const std::string_view text = profile_.text(name);
      known = std::ranges::any_of(kFrames,
                                  [&](const Frame& frame) {
                                    return text.starts_with(frame.begin) && text.ends_with(frame.end);
                                  })
                  ? 1
                  : 0;
    }
    return known != 0;
  }

  const Profile& profile_;
  std::vector<bool> is_mark_;
  std::vector<std::int8_t> waits_;
};

std::vector<Rows> rows_by_thread(const Profile& profile) {
  std::vector<Rows> rows(profile.threads.size());
  const HostOps& ops = profile.host_ops;
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    Rows& of_thread = rows[ops.thread[op]];
    of_thread.op = of_thread.op_end == 0 ? op : of_thread.op;
    of_thread.op_end = op + 1;
  }
  const ApiCalls& calls = profile.api_calls;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    Rows& of_thread = rows[calls.thread[call]];
    of_thread.call = of_thread.call_end == 0 ? call : of_thread.call;
    of_thread.call_end = call + 1;
    of_thread.launches += is_launch(calls.kind[call]) ? 1 : 0;
  }
  for (std::uint32_t thread = 0; thread < rows.size(); ++thread) {
    rows[thread].thread = thread;
  }
  std::erase_if(rows, [](const Rows& of_thread) { return of_thread.count() == 0; });
  std::ranges::stable_sort(rows, [](const Rows& a, const Rows& b) {
    return a.launches != b.launches ? a.launches > b.launches : a.count() > b.count();
  });
  rows.resize(std::min(rows.size(), kMostThreads));
  return rows;
}

// Sets `worked` if the thread has more than marks and ranges.
HostThread measure(const Profile& profile, const Steps& steps, Rows rows, NameRules& rules, bool& worked) {
  const HostOps& ops = profile.host_ops;
  const ApiCalls& calls = profile.api_calls;
  Coverage all(steps.all, steps.steady);
  Coverage api(steps.all, steps.steady);
  Coverage waits(steps.all, steps.steady);
  Tally launches(steps.all, steps.steady);
  worked = rows.call < rows.call_end;
  while (rows.op < rows.op_end || rows.call < rows.call_end) {
    const bool op_is_next = rows.call == rows.call_end ||
                            (rows.op < rows.op_end && ops.start_ns[rows.op] <= calls.start_ns[rows.call]);
    if (op_is_next) {
      const std::uint32_t op = rows.op++;
      const Cover cover = rules.of(op);
      const std::int64_t end = ops.start_ns[op] + ops.duration_ns[op];
      if (cover != Cover::Nothing) {
        worked = true;
        all.add(ops.start_ns[op], end);
      }
      if (cover == Cover::Wait) {
        waits.add(ops.start_ns[op], end);
      }
      continue;
    }
    const std::uint32_t call = rows.call++;
    const std::int64_t begin = calls.start_ns[call];
    all.add(begin, begin + calls.duration_ns[call]);
    api.add(begin, begin + calls.duration_ns[call]);
    if (is_launch(calls.kind[call])) {
      launches.add(step_at(steps.all, begin), 1);
    }
  }
  all.subtract(waits);
  const std::int64_t self_cpu_ns = all.median();
  return {.thread = rows.thread,
          .self_cpu_ns = self_cpu_ns,
          .untraced_ns = steps.step_ns - self_cpu_ns,
          .api_ns = api.median(),
          .launches = launches.median(),
          .total_launches = rows.launches,
          .launching = rows.launches > 0};
}

}  // namespace

std::vector<HostThread> compute_threads(const Profile& profile, const Steps& steps) {
  std::vector<HostThread> threads;
  NameRules rules(profile);
  for (const Rows& rows : rows_by_thread(profile)) {
    bool worked = false;
    const HostThread thread = measure(profile, steps, rows, rules, worked);
    if (worked) {
      threads.push_back(thread);
    }
  }
  std::ranges::sort(threads, [](const HostThread& a, const HostThread& b) {
    return std::tuple(-a.launches, ~a.total_launches, -a.self_cpu_ns, a.thread) <
           std::tuple(-b.launches, ~b.total_launches, -b.self_cpu_ns, b.thread);
  });
  return threads;
}

}  // namespace foretell::timeline
