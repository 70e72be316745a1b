// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "fusion-engine/probe/copy.hpp"
#include "src/base/text.hpp"

namespace foretell::bridge {
namespace {

// Below it the largest term is no explanation: another, unknown one is larger. Assumed.
constexpr double kLeastShare = 0.5;
// Two copies of one size have been seen to differ by as much from one minute to the next (22.5 and 18.6 GB/s,
// docs/measurements/engine.md). So a level is no faster than DRAM below it, and a term that is larger than
// the measured time by more is a fault of the model, no explanation.
constexpr double kCopiesDiffer = 1.2;
// Fewer bytes saved than that are none, since a fused kernel may read a few constants less. Assumed.
constexpr double kLeastSaved = 1.02;
// Up to it two copies touch about as much: levels lie further apart. Assumed.
constexpr double kAboutAsMuch = 2;

constexpr std::string_view kDram = "DRAM";
constexpr std::string_view kLastLevel = "last-level cache";

std::string duration(double ns) { return format_duration(std::llround(ns)); }
std::string bytes_text(double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }
std::string ratio(double value) { return fmt::format("{:.3g}", value); }

std::string in_level(std::string_view level) {
  return fmt::format("{}{}", level == kLastLevel ? "the " : "", level);
}

double total(const FlopsByType& flops) {
  double sum = 0;
  for (const auto& [dtype, count] : flops) {
    sum += count;
  }
  return sum;
}

double over(double amount, double rate) { return rate > 0 ? amount / rate : 0.0; }

// nullopt: a product's type has no rate.
std::optional<double> compute_ns(const VariantWork& work, const BoundConstants& constants) {
  double ns = over(work.flops, constants.vector_gflops);
  for (const auto& [dtype, flops] : work.matmul_flops) {
    const auto rate = constants.gemm_gflops.find(dtype);
    if (rate == constants.gemm_gflops.end()) {
      return std::nullopt;
    }
    ns += over(flops, rate->second);
  }
  return ns;
}

struct LaunchTime {
  double host_ns = 0, device_ns = 0;
  double total_ns = 0;
};
LaunchTime launch_time(const VariantWork& work, const BoundConstants& constants) {
  LaunchTime time;
  time.device_ns = work.launches * constants.drain_ns + work.replayed * constants.replay_op_ns +
                   work.library_calls * constants.library_call_ns;
  if (constants.one_lane) {
    // what was probed as the cost of a dispatch has the command's own in it
    time.host_ns = work.dispatches * std::max(0.0, constants.dispatch_ns - constants.drain_ns);
    time.total_ns = time.host_ns + time.device_ns;
  } else {
    time.host_ns = work.host_ns.value_or(work.dispatches * constants.dispatch_ns);
    time.total_ns = std::max(time.host_ns, time.device_ns);
  }
  return time;
}

// What one command touches, on average.
double per_launch(const VariantWork& work) {
  return work.bytes / std::max(1.0, work.replayed > 0 ? work.replayed : work.launches);
}

std::string launch_sentence(const VariantWork& work, const BoundConstants& constants, const LaunchTime& time,
                            std::string_view of_step) {
  const std::string what =
      work.replayed > 0
          ? format_counted(static_cast<std::uint64_t>(work.replayed), "replayed command", "replayed commands")
          : format_counted(static_cast<std::uint64_t>(work.dispatches), "dispatch", "dispatches");
  if (constants.one_lane) {
    return fmt::format("what {} cost before any work binds: {}", what, of_step);
  }
  return time.host_ns >= time.device_ns
             ? fmt::format("what {} cost the host binds: {}", what, of_step)
             : fmt::format("what {} cost the device before any work binds: {}", what, of_step);
}

std::string sentence_of(const reports::BoundRow& bound, const VariantWork& work,
                        const BoundConstants& constants, const LaunchTime& launch) {
  const reports::BoundTerm& largest = bound.terms.front();
  const std::string of_step =
      fmt::format("{} of the step's {}", duration(largest.time_ns), duration(work.measured_ns));
  if (bound.binds == "launch") {
    return launch_sentence(work, constants, launch, of_step);
  }
  if (bound.binds == "traffic") {
    return fmt::format("memory traffic binds, in {}: {} at a copy's {:.3g} GB/s are {}",
                       in_level(bound.level), bytes_text(work.bytes),
                       copy_gbps_at(constants, per_launch(work)), of_step);
  }
  if (bound.binds == "compute") {
    return fmt::format("arithmetic binds: {:.3g} GFLOP at the machine's rate are {}",
                       (work.flops + total(work.matmul_flops)) / 1e9, of_step);
  }
  if (bound.explained_share > kCopiesDiffer) {
    return fmt::format("the constants do not fit this run: {} alone would take {}, and the step took {}",
                       largest.name, duration(largest.time_ns), duration(work.measured_ns));
  }
  return fmt::format("nothing that was probed accounts for half of the step's {}: most would be {} with {}",
                     duration(work.measured_ns), largest.name, duration(largest.time_ns));
}

std::string left_out(const VariantWork& work, const BoundConstants& constants) {
  std::string types;
  for (const auto& [dtype, flops] : work.matmul_flops) {
    if (!constants.gemm_gflops.contains(dtype)) {
      types += fmt::format("{}{}", types.empty() ? "" : ", ", ir::to_string(dtype));
    }
  }
  return fmt::format("; arithmetic is left out, no rate of {} products was probed", types);
}

}  // namespace

BoundConstants bound_constants(const probe::ProbeResult& probed) {
  const auto value = [&](std::string_view name) {
    const auto constant = probe::find_constant(probed, name);
    return constant ? constant->expected : 0.0;
  };
  BoundConstants constants{.one_lane = probed.machine.sync,
                           .dispatch_ns = value("dispatch_ns"),
                           .drain_ns = value("drain_ns"),
                           .replay_op_ns = value("replay_op_ns"),
                           .library_call_ns = value("matmul_call_ns"),
                           .vector_gflops = value("vector_f32_gflops"),
                           .gemm_gflops = {},
                           .levels = {}};
  for (const ir::DType dtype : {ir::DType::F32, ir::DType::F64, ir::DType::BF16, ir::DType::F16}) {
    if (const double rate = value(fmt::format("gemm_{}_gflops", ir::to_string(dtype))); rate > 0) {
      constants.gemm_gflops[dtype] = rate;
    }
  }
  const auto& caches = probed.machine.caches;
  const double team = std::max(1, probed.machine.team);
  const std::array<LevelRate, 4> rows{LevelRate{"L1", static_cast<double>(caches.l1_bytes) * team},
                                      LevelRate{"L2", static_cast<double>(caches.l2_bytes) * team},
                                      LevelRate{kLastLevel, static_cast<double>(caches.last_level_bytes)},
                                      LevelRate{kDram}};
  constexpr std::array<std::string_view, 4> kPrefixes{"l1", "l2", "llc", "dram"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    LevelRate level = rows[i];
    level.touched_bytes = value(fmt::format("{}_copy_bytes", kPrefixes[i]));
    for (const probe::CopyKind kind : probe::kCopyKinds) {
      level.gbps =
          std::max(level.gbps, value(fmt::format("{}_{}_gbps", kPrefixes[i], probe::to_string(kind))));
    }
    if (level.touched_bytes > 0 && level.gbps > 0) {
      constants.levels.push_back(level);
    }
  }
  return constants;
}

std::string_view level_of(const BoundConstants& constants, double touched_bytes) {
  for (const LevelRate& level : constants.levels) {
    if (level.capacity_bytes == 0 || touched_bytes <= level.capacity_bytes) {
      return level.name;
    }
  }
  return {};
}

double copy_gbps_at(const BoundConstants& constants, double touched_bytes) {
  const auto& levels = constants.levels;
  if (constants.session_gbps > 0 && touched_bytes <= kAboutAsMuch * constants.session_touched_bytes &&
      constants.session_touched_bytes <= kAboutAsMuch * touched_bytes) {
    return constants.session_gbps;
  }
  if (levels.empty()) {
    return 0;
  }
  const auto above = std::ranges::find_if(
      levels, [&](const LevelRate& level) { return level.touched_bytes >= touched_bytes; });
  if (above == levels.begin()) {
    return above->gbps;
  }
  if (above == levels.end()) {
    return levels.back().gbps;
  }
  const LevelRate& below = *std::prev(above);
  const double part =
      std::log(touched_bytes / below.touched_bytes) / std::log(above->touched_bytes / below.touched_bytes);
  return below.gbps + part * (above->gbps - below.gbps);
}

reports::BoundRow explain_bound(const VariantWork& work, const BoundConstants& constants) {
  const LaunchTime launch = launch_time(work, constants);
  const auto arithmetic_ns = compute_ns(work, constants);
  reports::BoundRow bound;
  bound.terms = {{"launch", launch.total_ns},
                 {"traffic", over(work.bytes, copy_gbps_at(constants, per_launch(work)))}};
  if (arithmetic_ns) {
    bound.terms.push_back({"compute", *arithmetic_ns});
  }
  std::ranges::stable_sort(bound.terms, std::ranges::greater{}, &reports::BoundTerm::time_ns);
  bound.level = level_of(constants, per_launch(work));
  bound.explained_share = work.measured_ns > 0 ? bound.terms.front().time_ns / work.measured_ns : 0;
  const bool fits = bound.explained_share >= kLeastShare && bound.explained_share <= kCopiesDiffer;
  bound.binds = fits ? bound.terms.front().name : std::string_view("unknown");
  bound.sentence = sentence_of(bound, work, constants, launch);
  if (!arithmetic_ns) {
    bound.sentence += left_out(work, constants);
  }
  return bound;
}

std::string explain_ceiling(const VariantWork& eager, const reports::BoundRow& eager_bound,
                            const VariantWork& fused, const reports::BoundRow& fused_bound,
                            const BoundConstants& constants) {
  if (fused.bytes <= 0 || fused.measured_ns <= 0) {
    return {};
  }
  const double saved = eager.bytes / fused.bytes;
  const double fewer = eager.dispatches - fused.dispatches;
  if (saved < kLeastSaved) {
    return eager_bound.binds == "launch" && fewer > 0
               ? fmt::format("Fusion saves no bytes here, but {} of {} dispatches, and those bind.", fewer,
                             eager.dispatches)
               : std::string("Fusion has nothing to save here: the same bytes move with and without it.");
  }
  const double touched = per_launch(eager);
  const double rate = copy_gbps_at(constants, touched);
  std::string text = fmt::format("Fused moves {} instead of {}, {}x fewer.", bytes_text(fused.bytes),
                                 bytes_text(eager.bytes), ratio(saved));
  if (rate <= 0) {
    return text;  // no copy was probed
  }
  text += ' ';
  const double allowed = saved * copy_gbps_at(constants, per_launch(fused)) / rate;
  const double faster = constants.levels.empty() ? 1 : rate / constants.levels.back().gbps;
  if (eager_bound.level == kDram) {
    text += fmt::format("At a copy's rate in DRAM the bytes allow {}x", ratio(allowed));
  } else if (faster < kCopiesDiffer) {
    text += fmt::format("At the rate of a copy of that size, which is that of DRAM, the bytes allow {}x",
                        ratio(allowed));
  } else {
    text += fmt::format(
        "An op touches {} and finds in {} what the one before it wrote; a copy of that size is {}x as fast "
        "as in DRAM. At those rates the bytes allow {}x",
        bytes_text(touched), in_level(eager_bound.level), ratio(faster), ratio(allowed));
  }
  text += fmt::format(", {}x was measured", ratio(eager.measured_ns / fused.measured_ns));
  if (eager_bound.binds == "launch") {
    text +=
        fmt::format(": what dispatches cost binds, and {} become {}.", eager.dispatches, fused.dispatches);
  } else if (fused_bound.binds == "launch") {
    text += ": what its dispatches cost binds fused.";
  } else if (fused_bound.binds == "compute") {
    text += ": arithmetic binds fused.";
  } else if (fused_bound.level != eager_bound.level) {
    text += fmt::format(": fused stays in {}.", in_level(fused_bound.level));
  } else {
    text += '.';
  }
  return text;
}

}  // namespace foretell::bridge
