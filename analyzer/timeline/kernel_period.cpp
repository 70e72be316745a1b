// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/kernel_period.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace foretell::timeline {
namespace {

using namespace profile;

constexpr std::size_t kFewestPeriods = 3;
constexpr double kMatch = 0.95;
constexpr std::size_t kAnchors = 16;  // rare names whose distances are tried as periods
constexpr std::size_t kLags = 4;      // a rare name may occur this often per period

std::vector<std::uint32_t> kernels_of_busiest_stream(const Profile& profile) {
  const DeviceActivities& rows = profile.activities;
  std::vector<std::vector<std::uint32_t>> by_stream(profile.streams.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (rows.kind[row] == ActivityKind::Kernel && rows.timed[row]) {
      by_stream[rows.stream[row]].push_back(row);  // rows of a stream are in order of time
    }
  }
  const auto busiest = std::ranges::max_element(by_stream, {}, [](const auto& list) { return list.size(); });
  return busiest == by_stream.end() ? std::vector<std::uint32_t>{} : *busiest;
}

// Distances between occurrences of the rarest names that occur often enough.
std::set<std::size_t> candidate_periods(const std::vector<StringId>& names) {
  std::unordered_map<StringId, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    places[names[i]].push_back(i);
  }
  std::vector<const std::vector<std::size_t>*> anchors;
  for (const auto& [name, list] : places) {
    if (list.size() >= kFewestPeriods) {
      anchors.push_back(&list);
    }
  }
  std::ranges::sort(anchors, [](const auto* a, const auto* b) {
    return std::pair(a->size(), a->front()) < std::pair(b->size(), b->front());
  });
  anchors.resize(std::min(anchors.size(), kAnchors));
  std::set<std::size_t> periods;
  for (const auto* list : anchors) {
    for (std::size_t lag = 1; lag <= kLags && lag < list->size(); ++lag) {
      // the middle of the list, where warm-up does not disturb
      const std::size_t from = (list->size() - lag) / 2;
      periods.insert((*list)[from + lag] - (*list)[from]);
    }
  }
  return periods;
}

double match_share(const std::vector<StringId>& names, std::size_t period) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i + period < names.size(); ++i) {
    equal += names[i] == names[i + period] ? 1 : 0;
  }
  return static_cast<double>(equal) / static_cast<double>(names.size() - period);
}

// The first kernel from which on a whole period repeats.
std::size_t find_start(const std::vector<StringId>& names, std::size_t period) {
  const auto needed = static_cast<std::size_t>(kMatch * static_cast<double>(period));
  std::size_t equal = 0;
  for (std::size_t i = 0; i + period < names.size(); ++i) {
    equal += names[i] == names[i + period] ? 1 : 0;
    if (i >= period) {
      equal -= names[i - period] == names[i] ? 1 : 0;
    }
    if (i + 1 >= period && equal >= needed) {
      return i + 1 - period;
    }
  }
  return 0;
}

// Do the kernels from `end` on, behind the last whole period, begin another one?
bool is_one_loop(const std::vector<StringId>& names, std::size_t period, std::size_t end) {
  for (std::size_t i = end; i < names.size(); ++i) {
    if (names[i] != names[i - period]) {
      return false;
    }
  }
  return true;
}

// Does any period begin in the same launch as the one before it?
bool shares_launches(const Links& links, const std::vector<std::uint32_t>& rows, std::size_t period,
                     std::size_t first) {
  for (std::size_t at = first + period; at < rows.size(); at += period) {
    const std::uint32_t call = links.call_of_activity[rows[at]];
    if (call != kNoRow && call == links.call_of_activity[rows[at - period]]) {
      return true;
    }
  }
  return false;
}

}  // namespace

KernelPeriod find_kernel_period(const Profile& profile, const Links& links) {
  const std::vector<std::uint32_t> rows = kernels_of_busiest_stream(profile);
  std::vector<StringId> names(rows.size());
  std::ranges::transform(rows, names.begin(),
                         [&](std::uint32_t row) { return profile.activities.name[row]; });

  std::size_t best = 0;
  double best_share = 0;
  for (const std::size_t period : candidate_periods(names)) {  // shortest first
    const std::set<StringId> kinds(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(period, names.size())));
    if (period * kFewestPeriods > names.size() || kinds.size() < 2) {
      continue;
    }
    const double share = match_share(names, period);
    if (share >= kMatch && share > best_share) {
      best = period;
      best_share = share;
    }
  }
  KernelPeriod result;
  if (best == 0) {
    return result;
  }
  const auto start_of = [&](std::size_t i) { return profile.activities.start_ns[rows[i]]; };
  std::size_t i = find_start(names, best);
  if ((names.size() - i) / best < kFewestPeriods) {
    return result;
  }
  const std::size_t first = i;
  i += (names.size() - i) / best * best;
  if (!is_one_loop(names, best, i) || shares_launches(links, rows, best, first)) {
    return result;
  }
  result.kernels = best;
  for (std::size_t at = first; at < i; at += best) {
    result.starts_ns.push_back(start_of(at));
  }
  const std::uint32_t last = rows[i - 1];
  result.starts_ns.push_back(i < names.size()
                                 ? start_of(i)
                                 : profile.activities.start_ns[last] +
                                       std::max<std::int64_t>(profile.activities.duration_ns[last], 0));
  return result;
}

}  // namespace foretell::timeline
