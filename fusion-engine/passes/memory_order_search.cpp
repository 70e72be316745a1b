// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/memory_order_search.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "fusion-engine/ir/split_mix.hpp"
#include "fusion-engine/passes/memory_lifetimes.hpp"

namespace foretell::passes {
namespace {

constexpr std::uint64_t kSeed = 1;

// What is live over some positions: at most, and the sum over them.
struct Profile {
  std::int64_t max_bytes = 0;
  double sum_bytes = 0;

  friend bool operator<=(const Profile& a, const Profile& b) {
    return a.max_bytes != b.max_bytes ? a.max_bytes < b.max_bytes : a.sum_bytes <= b.sum_bytes;
  }
};

struct Live {
  std::int64_t during_bytes = 0;  // while the step runs
  std::int64_t after_bytes = 0;
};

Profile profile_of(std::span<const Live> live) {
  Profile profile;
  for (const Live& at : live) {
    profile.max_bytes = std::max(profile.max_bytes, at.during_bytes);
    profile.sum_bytes += static_cast<double>(at.during_bytes);
  }
  return profile;
}

class OrderSearch {
 public:
  OrderSearch(const MemoryProblem& problem, const StepFlow& flow, std::vector<std::size_t> order)
      : problem_(problem),
        flow_(flow),
        order_(std::move(order)),
        position_(order_.size()),
        live_(order_.size()),
        readers_(problem.buffer_bytes.size()) {
    for (std::size_t step = 0; step < problem.steps.size(); ++step) {
      for (const std::size_t buffer : problem.steps[step].reads) {
        readers_[buffer].push_back(step);
      }
    }
    number(0, order_.size());
    measure(0, order_.size());
  }

  std::vector<std::size_t> run(std::int64_t budget) {
    for (std::int64_t draw = 0; looked_at_ < budget; draw += 2) {
      try_move(static_cast<std::size_t>(ir::random_bits(kSeed, draw) % order_.size()),
               ir::random_bits(kSeed, draw + 1));
    }
    return std::move(order_);
  }

 private:
  void number(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      position_[order_[i]] = i;
    }
  }

  bool ends_at(std::size_t buffer, std::size_t position) {
    looked_at_ += std::ssize(readers_[buffer]);
    return !problem_.kept[buffer] && std::ranges::all_of(readers_[buffer], [&](std::size_t reader) {
      return position_[reader] <= position;
    });
  }

  // What is live at these positions, given what is before them.
  void measure(std::size_t begin, std::size_t end) {
    std::int64_t live = begin == 0 ? 0 : live_[begin - 1].after_bytes;
    for (std::size_t at = begin; at < end; ++at) {
      const MemoryStep& step = problem_.steps[order_[at]];
      for (const std::size_t buffer : step.writes) {
        live += problem_.buffer_bytes[buffer];
      }
      const std::int64_t during = live + step.scratch_bytes - in_place_bytes(step, at);
      const auto drop = [&](std::size_t buffer) {
        live -= ends_at(buffer, at) ? problem_.buffer_bytes[buffer] : 0;
      };
      std::ranges::for_each(step.reads, drop);
      std::ranges::for_each(step.writes, drop);
      live_[at] = {.during_bytes = during, .after_bytes = live};
    }
    looked_at_ += static_cast<std::int64_t>(end - begin);
  }

  std::int64_t in_place_bytes(const MemoryStep& step, std::size_t at) {
    std::int64_t bytes = 0;
    take_in_place(
        step, taken_, [&](std::size_t buffer) { return ends_at(buffer, at); },
        [&](const MemoryStep::InPlace& pair) { bytes += problem_.buffer_bytes[pair.write]; });
    return bytes;
  }

  void move(std::size_t from, std::size_t to) {
    const auto begin = order_.begin();
    if (from < to) {
      std::rotate(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(from) + 1,
                  begin + static_cast<std::ptrdiff_t>(to) + 1);
    } else {
      std::rotate(begin + static_cast<std::ptrdiff_t>(to), begin + static_cast<std::ptrdiff_t>(from),
                  begin + static_cast<std::ptrdiff_t>(from) + 1);
    }
    number(std::min(from, to), std::max(from, to) + 1);
  }

  void try_move(std::size_t step, std::uint64_t choice) {
    ++looked_at_;
    std::size_t low = 0;
    std::size_t high = order_.size() - 1;
    for (const std::size_t before : flow_.before[step]) {
      low = std::max(low, position_[before] + 1);
    }
    for (const std::size_t behind : flow_.behind[step]) {
      high = std::min(high, position_[behind] - 1);
    }
    const std::size_t from = position_[step];
    const std::size_t to = low + static_cast<std::size_t>(choice % (high - low + 1));
    if (from == to) {
      return;
    }
    const std::size_t begin = std::min(from, to);
    const std::size_t end = std::max(from, to) + 1;
    saved_.assign(live_.begin() + static_cast<std::ptrdiff_t>(begin),
                  live_.begin() + static_cast<std::ptrdiff_t>(end));
    move(from, to);
    measure(begin, end);
    if (!(profile_of(std::span(live_).subspan(begin, end - begin)) <= profile_of(saved_))) {
      move(to, from);
      std::ranges::copy(saved_, live_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  }

  const MemoryProblem& problem_;
  const StepFlow& flow_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> position_;
  std::vector<Live> live_;  // by position
  std::vector<Live> saved_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<MemoryStep::InPlace> taken_;
  std::int64_t looked_at_ = 0;
};

}  // namespace

std::vector<std::size_t> improve_order(const MemoryProblem& problem, const StepFlow& flow,
                                       std::vector<std::size_t> order, std::int64_t budget) {
  return order.empty() ? order : OrderSearch(problem, flow, std::move(order)).run(budget);
}

}  // namespace foretell::passes
