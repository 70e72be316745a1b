// SPDX-License-Identifier: Apache-2.0
// Pauses: long idle times with a silent host (interpreter, garbage collection, locks, the operating system).
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using timeline::IdleClass;

constexpr std::initializer_list<IdleClass> kSilent{IdleClass::UnknownWait, IdleClass::Lock,
                                                   IdleClass::GarbageCollection};

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const timeline::Timeline& t = view.timeline;
  std::int64_t typical = 0;
  std::int64_t all = 0;
  std::int64_t locked = 0;
  std::int64_t collected = 0;
  std::int64_t window = 0;
  std::int64_t longest = 0;
  std::string longest_step;
  for (const IdleClass silent : kSilent) {
    typical += of(t.split.idle_ns, silent);
  }
  for (std::size_t i = 0; i < t.split.steps.size(); ++i) {
    if (t.steps.all[i].warmup) {
      continue;
    }
    const timeline::StepSplit& step = t.split.steps[i];
    std::int64_t in_step = 0;
    add_saturated(locked, of(step.idle_ns, IdleClass::Lock));
    add_saturated(collected, of(step.idle_ns, IdleClass::GarbageCollection));
    for (const IdleClass silent : kSilent) {
      in_step += of(step.idle_ns, silent);
    }
    add_saturated(all, in_step);
    add_saturated(window, step.end_ns - step.begin_ns);
    for (const timeline::DeviceTiles& device : t.tiles) {
      auto tile = std::ranges::upper_bound(device.tiles, step.begin_ns, {}, &timeline::Tile::end_ns);
      for (; tile != device.tiles.end() && tile->begin_ns < step.end_ns; ++tile) {
        if (tile->idle && std::ranges::find(kSilent, tile->idle_class) != kSilent.end() &&
            tile->end_ns - tile->begin_ns > longest) {
          longest = tile->end_ns - tile->begin_ns;
          longest_step = t.steps.all[i].name;
        }
      }
    }
  }
  const double share = window > 0 ? static_cast<double>(all) / static_cast<double>(window) : 0;
  Finding finding;
  finding.verdict = share >= kBindsShare ? Verdict::Binds : Verdict::Clear;
  finding.ceiling = 1 / std::max(1 - share, 1e-9);
  finding.evidence = {
      derived("pause_ns_per_step", static_cast<double>(typical)),
      derived("pause_ns_in_steady_steps", static_cast<double>(all)),
      derived("pause_share_of_steady_steps", share),
      derived("longest_pause_ns", static_cast<double>(longest)),
      derived("lock_ns_per_step", static_cast<double>(of(t.split.idle_ns, IdleClass::Lock))),
      derived("garbage_collection_ns_per_step",
              static_cast<double>(of(t.split.idle_ns, IdleClass::GarbageCollection))),
  };
  finding.examples =
      idle_examples(view, {IdleClass::UnknownWait, IdleClass::Lock, IdleClass::GarbageCollection});
  if (all == 0) {
    finding.reason = "no pause: the host is never silent for long while the device is idle";
  } else {
    finding.reason =
        fmt::format("for {} of the steady steps ({}) the device is idle {}, longest {} in {}: {}",
                    format_duration(all), format_share(share),
                    locked == all      ? "while the host waits for a lock of its own"
                    : collected == all ? "while the host collects garbage"
                                       : "and nothing recorded says why",
                    format_duration(longest), ellipsize(printable(longest_step), 40),
                    locked == all || collected == all
                        ? "no launch cost"
                        : "the interpreter, a lock, other processes or unrecorded work, not launches");
  }
  if (collected > 0 && collected > all - collected) {
    finding.remedy = "gc.freeze() after the warm-up, or gc.disable() with collections between steps";
  }
  finding.reasoning = {
      "Counted is idle time in which the launching thread shows no op, frame or call for long, or in which "
      "issued work "
      "did not start and no wait for another stream is recorded. It is kept apart from launch overhead, "
      "which graph mode "
      "removes; this it does not.",
      fmt::format("In the typical step {}; over all steady steps {} of {}.", format_duration(typical),
                  format_duration(all), format_duration(window)),
  };
  return finding;
}

}  // namespace

extern const Check kPauses;
const Check kPauses{
    "pauses", "Does the host pause?",
    "record once with with_stack=True (and CPU sampling, as py-spy does) to see what runs then", "unknown",
    run};

}  // namespace foretell::checks
