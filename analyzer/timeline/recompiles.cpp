// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/recompiles.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "src/base/saturate.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

constexpr std::string_view kCompilerKernelPrefix = "triton_";  // Inductor's names: triton_poi_fused_add_0

// The forward region counts; how its backward is cut follows from it.
constexpr std::string_view kBackward = "Backward";
constexpr std::string_view kNumberedRegion = "Torch-Compiled Region: ";

// "Torch-Compiled Region: 2/0" -> 2: the code object; behind the slash stands how often it was compiled.
std::optional<std::uint32_t> frame_of(std::string_view name) {
  if (!name.starts_with(kNumberedRegion)) {
    return std::nullopt;
  }
  name.remove_prefix(kNumberedRegion.size());
  std::uint32_t frame = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), frame);
  return error == std::errc() && end != name.data() ? std::optional(frame) : std::nullopt;
}

std::size_t kind_index(CompileKind kind) { return static_cast<std::size_t>(kind); }
constexpr std::size_t kKinds = 3;

void count_events(const Profile& profile, const Steps& steps, Recompiles& out) {
  const CompileEvents& events = profile.compile_events;
  std::vector<std::uint32_t> order(events.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) {
    order[row] = row;
  }
  std::ranges::sort(order, {}, [&](std::uint32_t row) {
    return std::tuple(events.thread[row], events.start_ns[row], -events.duration_ns[row], row);
  });
  StepSums counts[kKinds] = {StepSums(steps), StepSums(steps), StepSums(steps)};
  StepSums times[kKinds] = {StepSums(steps), StepSums(steps), StepSums(steps)};
  std::int64_t covered_until[kKinds] = {};
  std::vector<std::pair<std::size_t, std::uint32_t>> frames;  // step, code object
  std::uint32_t thread = kNoRow;
  for (const std::uint32_t row : order) {
    if (events.thread[row] != thread) {
      thread = events.thread[row];
      std::ranges::fill(covered_until, INT64_MIN);
    }
    const std::size_t kind = kind_index(events.kind[row]);
    const std::string_view name = profile.text(events.name[row]);
    if (events.kind[row] == CompileKind::CompiledRegion && name.find(kBackward) != std::string_view::npos) {
      continue;
    }
    const std::int64_t start = events.start_ns[row];
    if (start < covered_until[kind]) {
      continue;  // part of the one before
    }
    const std::int64_t duration = std::max<std::int64_t>(events.duration_ns[row], 0);
    covered_until[kind] = start + duration;
    const std::size_t step = step_at(steps.all, start);
    if (const auto frame = frame_of(name); frame && step < steps.all.size()) {
      frames.emplace_back(step, *frame);
    }
    counts[kind].add(step, 1);
    times[kind].add(step, duration);
  }
  out.regions = counts[kind_index(CompileKind::CompiledRegion)].sum();
  std::ranges::sort(frames);
  const auto repeated = std::ranges::unique(frames);
  frames.erase(repeated.begin(), repeated.end());
  StepSums distinct(steps);
  for (const auto& [step, frame] : frames) {
    distinct.add(step, 1);
  }
  out.frames = distinct.sum();
  out.lookups = counts[kind_index(CompileKind::CacheLookup)].sum();
  out.lookup_ns = times[kind_index(CompileKind::CacheLookup)].sum();
  out.compilations = counts[kind_index(CompileKind::Compilation)].sum();
  out.compile_ns = times[kind_index(CompileKind::Compilation)].sum();
}

void count_names(const Profile& profile, const Steps& steps, Recompiles& out) {
  const CompileEvents& events = profile.compile_events;
  struct Event {
    CompileKind kind;
    StringId name;
    std::size_t step;
  };
  std::vector<Event> sorted;
  for (std::uint32_t row = 0; row < events.size(); ++row) {
    sorted.push_back({events.kind[row], events.name[row], step_at(steps.all, events.start_ns[row])});
  }
  std::ranges::sort(sorted, {},
                    [](const Event& event) { return std::tuple(event.kind, event.name, event.step); });
  for (std::size_t at = 0; at < sorted.size();) {
    CompileName name{.name = sorted[at].name, .kind = sorted[at].kind};
    std::vector<std::int64_t> of_step;
    std::size_t step = SIZE_MAX;
    for (; at < sorted.size() && sorted[at].name == name.name && sorted[at].kind == name.kind; ++at) {
      ++name.count.total;
      if (sorted[at].step >= steps.all.size() || steps.all[sorted[at].step].warmup) {
        continue;
      }
      ++name.count.steady;
      if (sorted[at].step != step) {
        step = sorted[at].step;
        of_step.push_back(0);
      }
      ++of_step.back();
    }
    name.count.per_step = median_with_zeros(std::move(of_step), steps.steady);
    out.names.push_back(name);
  }
  std::ranges::stable_sort(out.names, [&](const CompileName& a, const CompileName& b) {
    const auto key = [&](const CompileName& name) {
      return std::tuple(name.kind != CompileKind::Compilation, -name.count.total, profile.text(name.name));
    };
    return key(a) < key(b);
  });
}

// Mixes two ids well enough that sums of many of them differ where the sets do.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return value ^ (value >> 32);
}

// A pair of op and input shapes that a step holds.
struct Shapes {
  StringId name;
  std::uint32_t step;
  StringId dims;
  auto operator<=>(const Shapes&) const = default;
};

// Those of the steady steps, sorted, each once.
std::vector<Shapes> collect_shapes(const Profile& profile, const Steps& steps, Recompiles& out) {
  const HostOps& ops = profile.host_ops;
  std::vector<Shapes> seen;
  std::unordered_map<std::uint64_t, std::uint32_t> last_step_of;  // pair -> step: most repeat within one
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const std::uint32_t detail = ops.detail[row];
    if (detail == kNoRow || ops.kind[row] != HostOpKind::Operator ||
        profile.op_details.input_dims[detail] == StringId::Empty) {
      continue;
    }
    out.shapes_recorded = true;
    const std::size_t at = step_at(steps.all, ops.start_ns[row]);
    if (at >= steps.all.size() || steps.all[at].warmup) {
      continue;
    }
    const auto step = static_cast<std::uint32_t>(at);
    const StringId dims = profile.op_details.input_dims[detail];
    const std::uint64_t pair = std::uint64_t{index_of(ops.name[row])} << 32 | index_of(dims);
    const auto [last, added] = last_step_of.try_emplace(pair, step);
    if (added || std::exchange(last->second, step) != step) {
      seen.push_back({ops.name[row], step, dims});
    }
  }
  std::ranges::sort(seen);
  seen.erase(std::ranges::unique(seen).begin(), seen.end());
  return seen;
}

std::uint64_t count_distinct(std::vector<std::uint64_t> values) {
  std::ranges::sort(values);
  return static_cast<std::uint64_t>(std::ranges::unique(values).begin() - values.begin());
}

void compare_shapes(const Profile& profile, const Steps& steps, Recompiles& out) {
  const std::vector<Shapes> seen = collect_shapes(profile, steps, out);
  std::unordered_map<std::uint32_t, std::uint64_t> set_of_step;
  for (const Shapes& shapes : seen) {
    set_of_step[shapes.step] +=
        mix(mix(std::uint64_t{index_of(shapes.name)} + 1) + std::uint64_t{index_of(shapes.dims)});
  }
  std::vector<std::uint64_t> sets;
  for (const auto& [step, set] : set_of_step) {
    sets.push_back(set);
  }
  out.shape_sets = count_distinct(std::move(sets));

  for (std::size_t at = 0; at < seen.size();) {
    const StringId name = seen[at].name;
    std::vector<std::uint64_t> of_step;
    for (; at < seen.size() && seen[at].name == name; ++at) {
      if (of_step.empty() || seen[at].step != seen[at - 1].step) {
        of_step.push_back(0);
      }
      of_step.back() += mix(std::uint64_t{index_of(seen[at].dims)});
    }
    const bool in_every_step = of_step.size() == set_of_step.size();
    if (in_every_step && count_distinct(std::move(of_step)) > 1) {
      out.varying_ops.push_back(name);
    }
  }
}

void count_kernels(const Profile& profile, Recompiles& out) {
  const DeviceActivities& activities = profile.activities;
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (activities.kind[row] == ActivityKind::Kernel) {
      ++out.kernels;
      out.compiler_kernels += profile.text(activities.name[row]).starts_with(kCompilerKernelPrefix) ? 1 : 0;
    }
  }
  out.compiler_kernel_share =
      out.kernels > 0 ? static_cast<double>(out.compiler_kernels) / static_cast<double>(out.kernels) : 0;
}

void count_graph_launches(const Profile& profile, const Steps& steps, Recompiles& out) {
  const ApiCalls& calls = profile.api_calls;
  StepSums launches(steps);
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    if (calls.kind[call] == ApiKind::GraphLaunch) {
      launches.add(step_at(steps.all, calls.start_ns[call]), 1);
    }
  }
  out.graph_launches = launches.sum();
  bool any = false;
  for (std::size_t step = 0; step < steps.all.size(); ++step) {
    if (!steps.all[step].warmup) {
      const std::int64_t count = launches.of_step()[step];
      out.least_graph_launches = any ? std::min(out.least_graph_launches, count) : count;
      out.most_graph_launches = any ? std::max(out.most_graph_launches, count) : count;
      any = true;
    }
  }
}

}  // namespace

Recompiles compute_recompiles(const Profile& profile, const Steps& steps) {
  Recompiles out;
  count_events(profile, steps, out);
  count_names(profile, steps, out);
  compare_shapes(profile, steps, out);
  count_kernels(profile, out);
  count_graph_launches(profile, steps, out);
  return out;
}

}  // namespace foretell::timeline
