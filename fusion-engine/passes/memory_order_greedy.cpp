// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_order_greedy.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace foretell::passes {
namespace {

// A buffer is live from the first of the steps that touch it (its writer and its readers) to the last, in
// whichever direction time runs.
class Greedy {
 public:
  Greedy(const MemoryProblem& problem, const StepFlow& flow, Direction direction,
         StepKey (*key_of)(const StepEffect&))
      : problem_(problem),
        is_backward_(direction == Direction::Backward),
        key_of_(key_of),
        next_(is_backward_ ? flow.before : flow.behind),
        effects_(problem.steps.size()),
        keys_(problem.steps.size()),
        buffers_(problem.buffer_bytes.size()) {
    for (const auto& before : is_backward_ ? flow.behind : flow.before) {
      waits_for_.push_back(before.size());
    }
    for (std::size_t step = 0; step < problem.steps.size(); ++step) {
      effects_[step].scratch_bytes = problem.steps[step].scratch_bytes;
      for_each_touched(step, [&](std::size_t buffer) { buffers_[buffer].touched_by.push_back(step); });
    }
    for (std::size_t buffer = 0; buffer < buffers_.size(); ++buffer) {
      Buffer& state = buffers_[buffer];
      state.left = state.touched_by.size();
      // The reader outside.
      const bool is_kept = problem.kept[buffer];
      state.left += is_kept && !is_backward_ ? 1 : 0;
      state.is_live = is_kept && is_backward_;
      for (const std::size_t step : state.touched_by) {
        state.sum_of_left += step;
        effects_[step].begins_bytes += state.is_live ? 0 : problem.buffer_bytes[buffer];
        effects_[step].ends_bytes += state.left == 1 ? problem.buffer_bytes[buffer] : 0;
      }
    }
  }

  std::vector<std::size_t> run() {
    for (std::size_t step = 0; step < waits_for_.size(); ++step) {
      if (waits_for_[step] == 0) {
        make_ready(step);
      }
    }
    std::vector<std::size_t> order;
    while (!ready_.empty()) {
      const std::size_t step = step_of(*ready_.begin());
      ready_.erase(ready_.begin());
      order.push_back(step);
      waits_for_[step] = kRun;
      for_each_touched(step, [&](std::size_t buffer) { touch(buffer, step); });
      for (const std::size_t next : next_[step]) {
        if (--waits_for_[next] == 0) {
          make_ready(next);
        }
      }
    }
    if (is_backward_) {
      std::ranges::reverse(order);
    }
    return order;
  }

 private:
  using Entry = std::tuple<StepKey, std::size_t>;
  static constexpr std::size_t kRun = static_cast<std::size_t>(-1);

  struct Buffer {
    std::vector<std::size_t> touched_by;
    std::size_t left = 0;         // of those, and the reader outside
    std::size_t sum_of_left = 0;  // of the numbers of those steps: with one left, its number
    bool is_live = false;
  };

  template <class Visit>
  void for_each_touched(std::size_t step, Visit visit) const {
    std::ranges::for_each(problem_.steps[step].reads, visit);
    std::ranges::for_each(problem_.steps[step].writes, visit);
  }

  // The tie-break: by the given order in the direction of time.
  [[nodiscard]] std::size_t rank(std::size_t step) const {
    return is_backward_ ? waits_for_.size() - 1 - step : step;
  }
  [[nodiscard]] std::size_t step_of(const Entry& entry) const { return rank(std::get<1>(entry)); }

  void make_ready(std::size_t step) {
    keys_[step] = key_of_(effects_[step]);
    ready_.emplace(keys_[step], rank(step));
  }

  template <class Change>
  void change(std::size_t step, Change apply) {
    apply(effects_[step]);
    if (waits_for_[step] == 0) {
      ready_.erase({keys_[step], rank(step)});
      make_ready(step);
    }
  }

  void touch(std::size_t buffer, std::size_t step) {
    const std::int64_t bytes = problem_.buffer_bytes[buffer];
    Buffer& state = buffers_[buffer];
    if (!state.is_live) {
      state.is_live = true;
      for (const std::size_t other : state.touched_by) {
        change(other, [&](StepEffect& effect) { effect.begins_bytes -= bytes; });
      }
    }
    state.sum_of_left -= step;
    const bool has_reader_outside = problem_.kept[buffer] && !is_backward_;
    if (--state.left == 1 && !has_reader_outside) {
      change(state.sum_of_left, [&](StepEffect& effect) { effect.ends_bytes += bytes; });
    }
  }

  const MemoryProblem& problem_;
  bool is_backward_;
  StepKey (*key_of_)(const StepEffect&);
  const std::vector<std::vector<std::size_t>>& next_;
  std::vector<std::size_t> waits_for_;
  std::vector<StepEffect> effects_;
  std::vector<StepKey> keys_;
  std::vector<Buffer> buffers_;
  std::set<Entry> ready_;
};

}  // namespace

std::vector<std::size_t> greedy_order(const MemoryProblem& problem, const StepFlow& flow, Direction direction,
                                      StepKey (*key_of)(const StepEffect&)) {
  return Greedy(problem, flow, direction, key_of).run();
}

}  // namespace foretell::passes
