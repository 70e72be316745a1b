// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/user_ranges.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

constexpr std::size_t kFewestSteps = 3;
constexpr std::int64_t kLookalike = 10;  // a step lasts at least a tenth of the longest

// "step_12/a3" -> "step_#/a#"
std::string stem_of(std::string_view name) {
  std::string stem;
  for (const char c : name) {
    if (c < '0' || c > '9') {
      stem += c;
    } else if (!stem.ends_with('#')) {
      stem += '#';
    }
  }
  return stem;
}

std::int64_t end_of(const RangeStep& range) { return range.start_ns + range.duration_ns; }

bool overlap(const std::vector<RangeStep>& ranges) {
  return std::ranges::adjacent_find(ranges, [](const RangeStep& a, const RangeStep& b) {
           return end_of(a) > b.start_ns;
         }) != ranges.end();
}

// Does the family hold half of what happens?
bool covers_half(const Profile& profile, const std::vector<RangeStep>& ranges, std::int64_t total_ns) {
  std::uint64_t launches = 0;
  std::uint64_t inside = 0;
  for (std::size_t call = 0; call < profile.api_calls.size(); ++call) {
    if (!is_launch(profile.api_calls.kind[call])) {
      continue;
    }
    ++launches;
    const std::int64_t at = profile.api_calls.start_ns[call];
    const auto next = std::ranges::upper_bound(ranges, at, {}, &RangeStep::start_ns);
    inside += next != ranges.begin() && at < end_of(*std::prev(next)) ? 1 : 0;
  }
  if (launches > 0) {
    return inside * 2 >= launches;
  }
  return total_ns >= (*profile.info.last_ns - *profile.info.first_ns) / 2;
}

}  // namespace

std::vector<RangeStep> find_repeating_range(const Profile& profile) {
  const HostOps& ops = profile.host_ops;
  // compiled regions repeat once per layer or graph piece, not once per step
  const std::unordered_set<StringId> compiler_marks(profile.compile_events.name.begin(),
                                                    profile.compile_events.name.end());
  std::map<std::pair<std::uint32_t, std::string>, std::vector<RangeStep>> families;
  for (std::size_t row = 0; row < ops.size(); ++row) {
    if (ops.kind[row] == HostOpKind::UserAnnotation && !compiler_marks.contains(ops.name[row])) {
      const std::string_view name = profile.text(ops.name[row]);
      families[{ops.thread[row], stem_of(name)}].push_back(
          {std::string(name), ops.start_ns[row], std::max<std::int64_t>(ops.duration_ns[row], 0)});
    }
  }
  std::vector<RangeStep> best;
  std::int64_t best_ns = 0;
  for (auto& [key, ranges] : families) {
    const std::int64_t longest = std::ranges::max(ranges, {}, &RangeStep::duration_ns).duration_ns;
    std::erase_if(ranges, [&](const RangeStep& range) { return range.duration_ns < longest / kLookalike; });
    std::int64_t total_ns = 0;
    for (const RangeStep& range : ranges) {
      add_saturated(total_ns, range.duration_ns);
    }
    if (ranges.size() >= kFewestSteps && total_ns > best_ns && !overlap(ranges) &&
        covers_half(profile, ranges, total_ns)) {
      best_ns = total_ns;
      best = std::move(ranges);
    }
  }
  return best;
}

}  // namespace foretell::timeline
