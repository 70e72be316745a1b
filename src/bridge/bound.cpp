// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "fusion-engine/probe/copy.hpp"
#include "src/base/text.hpp"

namespace foretell::bridge {
namespace {

// Below it the largest term is no explanation.
constexpr double kLeastShare = 0.5;
// Fewer bytes saved than that are none: inputs and outputs of the whole are counted to the byte.
constexpr double kLeastSaved = 1.02;

// A last-level cache that is shared with others, or a tensor of about its size, is no faster than DRAM by
// more than copies of one size differ from day to day.
constexpr double kAsSlowAsDram = 1.2;

constexpr std::string_view kDram = "DRAM";

std::string duration(double ns) { return format_duration(std::llround(ns)); }
std::string bytes_text(double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }
std::string ratio(double value) { return fmt::format("{:.3g}", value); }

double per_launch(const VariantWork& work) { return work.bytes / std::max(1.0, work.launches); }

std::string sentence_of(const reports::BoundRow& bound, const VariantWork& work,
                        const BoundConstants& constants, double host_ns, double term_ns) {
  const std::string of_step =
      fmt::format("{} of the step's {}", duration(term_ns), duration(work.measured_ns));
  if (bound.binds == "launch") {
    const std::string what =
        format_counted(static_cast<std::uint64_t>(work.dispatches), "dispatch", "dispatches");
    return host_ns >= term_ns
               ? fmt::format("what {} cost the host binds: {}", what, of_step)
               : fmt::format("what {} cost the device before any work binds: {}", what, of_step);
  }
  if (bound.binds == "traffic") {
    return fmt::format("memory traffic binds, in {}: {} at a copy's {:.3g} GB/s are {}", bound.level,
                       bytes_text(work.bytes), copy_gbps_at(constants, per_launch(work)), of_step);
  }
  if (bound.binds == "compute") {
    return fmt::format("arithmetic binds: {:.3g} GFLOP at the machine's rate are {}",
                       (work.flops + work.matmul_flops) / 1e9, of_step);
  }
  return fmt::format("nothing that was probed accounts for half of the step's {}: most would be {} with {}",
                     duration(work.measured_ns), bound.terms.front().name, duration(term_ns));
}

}  // namespace

BoundConstants bound_constants(const probe::ProbeResult& probed) {
  const auto value = [&](std::string_view name) {
    const auto constant = probe::find_constant(probed, name);
    return constant ? constant->expected : 0.0;
  };
  BoundConstants constants{.dispatch_ns = value("dispatch_ns"),
                           .drain_ns = value("drain_ns"),
                           .library_call_ns = value("matmul_call_ns"),
                           .vector_gflops = value("vector_f32_gflops"),
                           .gemm_gflops = value("gemm_f32_gflops"),
                           .levels = {}};
  const auto& caches = probed.machine.caches;
  const double team = std::max(1, probed.machine.team);
  const std::array<LevelRate, 4> rows{
      LevelRate{"L1", static_cast<double>(caches.l1_bytes) * team},
      LevelRate{"L2", static_cast<double>(caches.l2_bytes) * team},
      LevelRate{"the last-level cache", static_cast<double>(caches.last_level_bytes)}, LevelRate{kDram}};
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
  if (constants.session_gbps > 0 && touched_bytes <= 2 * constants.session_touched_bytes &&
      constants.session_touched_bytes <= 2 * touched_bytes) {
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
  const auto over = [](double amount, double rate) { return rate > 0 ? amount / rate : 0.0; };
  const double host_ns = work.host_ns.value_or(work.dispatches * constants.dispatch_ns);
  const double launch_ns =
      std::max(host_ns, work.launches * constants.drain_ns + work.library_calls * constants.library_call_ns);
  const double traffic_ns = over(work.bytes, copy_gbps_at(constants, per_launch(work)));
  const double compute_ns =
      over(work.flops, constants.vector_gflops) + over(work.matmul_flops, constants.gemm_gflops);
  reports::BoundRow bound;
  bound.terms = {{"launch", launch_ns}, {"traffic", traffic_ns}, {"compute", compute_ns}};
  std::ranges::stable_sort(bound.terms, std::ranges::greater{}, &reports::BoundTerm::time_ns);
  const double largest_ns = bound.terms.front().time_ns;
  bound.level = level_of(constants, per_launch(work));
  bound.explained_share = work.measured_ns > 0 ? largest_ns / work.measured_ns : 0;
  bound.binds = bound.explained_share >= kLeastShare ? bound.terms.front().name : std::string_view("unknown");
  bound.sentence = sentence_of(bound, work, constants, host_ns, largest_ns);
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
  const double allowed = saved * copy_gbps_at(constants, per_launch(fused)) / rate;
  std::string text = fmt::format("Fused moves {} instead of {}, {}x fewer. ", bytes_text(fused.bytes),
                                 bytes_text(eager.bytes), ratio(saved));
  const double faster = constants.levels.empty() ? 1 : rate / constants.levels.back().gbps;
  if (eager_bound.level == kDram) {
    text += fmt::format("At a copy's rate in DRAM the bytes allow {}x", ratio(allowed));
  } else if (faster < kAsSlowAsDram) {
    text += fmt::format("At the rate of a copy of that size, which is that of DRAM, the bytes allow {}x",
                        ratio(allowed));
  } else {
    text += fmt::format(
        "An op touches {} and finds in {} what the one before it wrote; a copy of that size is {}x as fast "
        "as in DRAM. "
        "At those rates the bytes allow {}x",
        bytes_text(touched), eager_bound.level, ratio(faster), ratio(allowed));
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
    text += fmt::format(": fused stays in {}.", fused_bound.level);
  } else {
    text += '.';
  }
  return text;
}

}  // namespace foretell::bridge
