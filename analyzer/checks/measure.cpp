// SPDX-License-Identifier: Apache-2.0
#include "analyzer/checks/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyzer/timeline/kernel_name.hpp"
#include "analyzer/timeline/source_lines.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {

using namespace profile;
using timeline::IdleClass;

std::int64_t step_ns(const View& view) {
  return view.timeline.split.step_ns - of(view.timeline.split.idle_ns, IdleClass::Profiler);
}

std::int64_t idle_ns(const View& view, IdleClass idle_class) {
  return of(view.timeline.split.idle_ns, idle_class);
}

double share_of_step(const View& view, std::int64_t ns) {
  return static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(step_ns(view), 1));
}

double ceiling_of(const View& view, std::int64_t saved_ns) {
  const std::int64_t step = std::max<std::int64_t>(step_ns(view), 1);
  return static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(step - saved_ns, 1));
}

Verdict verdict_of(const View& view, std::int64_t saved_ns) {
  return share_of_step(view, saved_ns) >= kBindsShare ? Verdict::Binds : Verdict::Clear;
}

std::optional<std::string> unknown_step(const View& view) {
  const timeline::Timeline& t = view.timeline;
  if (t.integrity.verdict == timeline::Verdict::Unusable) {
    return "the trace is unusable";
  }
  if (t.facts.kernels + t.facts.memcpys + t.facts.memsets == 0) {
    return "no device activity is recorded";
  }
  if (!t.split.known) {
    return "device time can't be given to steps";
  }
  if (!t.integrity.step_doubt.empty()) {
    return t.integrity.step_doubt;
  }
  if (step_ns(view) <= 0) {
    return "its steps have no duration";
  }
  if (launches_block(view)) {
    return "launches are synchronous (CUDA_LAUNCH_BLOCKING or a debug mode), so the trace is not "
           "representative";
  }
  return std::nullopt;
}

bool launches_block(const View& view) {
  constexpr std::uint64_t kFewest = 10;  // a few launches may be slow for other reasons
  const timeline::LaunchStats& launches = view.timeline.launches;
  return launches.linked_kernel_launches >= kFewest &&
         launches.blocking_launches * 10 >= launches.linked_kernel_launches * 9;
}

double host_inflation(const View& view) {
  const timeline::RecordedExtras extras = timeline::recorded_extras(view.profile);
  if (!extras.any() || view.timeline.split.wall_used) {
    return 1;
  }
  const cost::Constant* ratio = find_constant(view, "profiler_step_ratio");
  return ratio == nullptr ? 1 : std::max(ratio->high, 1.0);
}

std::int64_t bare_idle_ns(const View& view, std::int64_t idle) {
  const auto busy = static_cast<double>(view.timeline.split.busy_ns);
  return static_cast<std::int64_t>(
      std::max(0.0, (busy + static_cast<double>(idle)) / host_inflation(view) - busy));
}

const cost::Constant* find_constant(const View& view, std::string_view name) {
  const auto found = std::ranges::find(view.constants, name, &cost::Constant::name);
  return found == view.constants.end() ? nullptr : &*found;
}

namespace {

// The innermost operator around the launch of an activity, step marks and frames passed over, or kNoRow.
std::uint32_t operator_of(const View& view, std::uint32_t activity) {
  const HostOps& ops = view.profile.host_ops;
  std::uint32_t op = view.timeline.links.op_of_activity[activity];
  for (int depth = 0; op != kNoRow && ops.kind[op] != HostOpKind::Operator; ++depth) {
    op = depth < timeline::kDeepestNest ? ops.parent[op] : kNoRow;
  }
  return op;
}

}  // namespace

std::vector<Example> idle_examples(const View& view, std::initializer_list<IdleClass> classes) {
  struct Place {
    std::uint64_t count = 0;
    std::int64_t time_ns = 0;
    const timeline::Tile* longest = nullptr;
  };
  const Profile& p = view.profile;
  const timeline::Links& links = view.timeline.links;
  enum class By : std::uint8_t { Nothing, Kernel, Op, Call };
  std::map<std::pair<By, StringId>, Place> places;
  for (std::size_t i = 0; i < view.timeline.split.steps.size(); ++i) {
    if (view.timeline.steps.all[i].warmup) {
      continue;
    }
    const timeline::StepSplit& step = view.timeline.split.steps[i];
    for (const timeline::DeviceTiles& device : view.timeline.tiles) {
      auto tile = std::ranges::upper_bound(device.tiles, step.begin_ns, {}, &timeline::Tile::end_ns);
      for (; tile != device.tiles.end() && tile->begin_ns < step.end_ns; ++tile) {
        if (!tile->idle || std::ranges::find(classes, tile->idle_class) == classes.end()) {
          continue;
        }
        std::pair<By, StringId> key{By::Nothing, StringId::Empty};
        if (tile->call != kNoRow) {
          key = {By::Call, p.api_calls.name[tile->call]};
        } else if (tile->next != kNoRow) {
          const std::uint32_t op = operator_of(view, tile->next);
          key = op == kNoRow ? std::pair(By::Kernel, p.activities.name[tile->next])
                             : std::pair(By::Op, p.host_ops.name[op]);
        }
        Place& place = places[key];
        place.count += tile->end_ns <= step.end_ns ? 1 : 0;  // that of the step it ends in
        add_saturated(place.time_ns,
                      std::min(tile->end_ns, step.end_ns) - std::max(tile->begin_ns, step.begin_ns));
        if (place.longest == nullptr ||
            tile->end_ns - tile->begin_ns > place.longest->end_ns - place.longest->begin_ns) {
          place.longest = &*tile;
        }
      }
    }
  }
  // per step, as a mean over the devices
  const std::uint64_t steps = std::max<std::uint64_t>(view.timeline.steps.steady, 1) *
                              std::max<std::uint64_t>(view.timeline.tiles.size(), 1);
  std::vector<Example> examples;
  for (const auto& [key, place] : places) {
    const timeline::Tile& tile = *place.longest;
    const std::uint32_t launch = tile.next == kNoRow ? kNoRow : links.call_of_activity[tile.next];
    const std::uint32_t call = tile.call == kNoRow ? launch : tile.call;
    Example example;
    const std::string_view name = p.text(key.second);
    switch (key.first) {
      case By::Nothing: example.what = "end of the trace"; break;
      case By::Kernel: example.what = timeline::short_kernel_name(name); break;
      case By::Op:
      case By::Call: example.what = name; break;
    }
    if (example.what.empty()) {
      example.what = "(no name)";
    }
    example.where = call == kNoRow ? std::string() : timeline::source_line_of_call(p, links, call);
    if (example.where == example.what) {
      example.where.clear();  // no frame or range encloses the op
    }
    if (call != kNoRow && p.api_calls.correlation[call] > 0) {
      example.id = "correlation " + std::to_string(p.api_calls.correlation[call]);
    }
    example.count = std::max<std::uint64_t>((place.count + steps - 1) / steps, 1);
    example.time_ns = place.time_ns / static_cast<std::int64_t>(steps);
    examples.push_back(std::move(example));
  }
  std::ranges::stable_sort(examples, std::ranges::greater{}, &Example::time_ns);
  examples.resize(std::min(examples.size(), kMostExamples));
  return examples;
}

std::string mean_counted(double mean, std::string_view noun, std::string_view plural) {
  const double whole = std::round(mean);
  constexpr double kLargestFraction = 100;  // of more, what is behind the point tells nothing
  return mean >= kLargestFraction || std::abs(mean - whole) < 1e-6
             ? format_counted(static_cast<std::uint64_t>(std::max(whole, 0.0)), noun, plural)
             : fmt::format("{:.3g} {}", mean, plural);
}

Finding found(Verdict verdict, std::string reason) {
  Finding finding;
  finding.verdict = verdict;
  finding.reason = std::move(reason);
  return finding;
}

Quantity measured(std::string name, double value) { return {std::move(name), value, Provenance::Measured}; }
Quantity derived(std::string name, double value) { return {std::move(name), value, Provenance::Derived}; }
Quantity assumed(std::string name, double value) { return {std::move(name), value, Provenance::Assumed}; }

}  // namespace foretell::checks
