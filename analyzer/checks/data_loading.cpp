// SPDX-License-Identifier: Apache-2.0
// Input bound: idle time of the device while the host is in the data loader / step.
#include <fmt/format.h>

#include "analyzer/checks/measure.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const std::int64_t idle = idle_ns(view, timeline::IdleClass::Input);
  Finding finding;
  finding.verdict = verdict_of(view, idle);
  finding.ceiling = ceiling_of(view, idle);
  finding.evidence = {derived("input_idle_ns", static_cast<double>(idle)),
                      derived("input_idle_share", share_of_step(view, idle))};
  finding.examples = idle_examples(view, {timeline::IdleClass::Input});
  finding.reason =
      idle == 0
          ? "the device never waits for the data loader"
          : fmt::format("the device is idle {} of the {} step ({}) while the host is in the data loader",
                        format_duration(idle), format_duration(step_ns(view)),
                        format_share(share_of_step(view, idle)));
  finding.reasoning = {
      "Ranges and frames of the DataLoader count. Work of loader processes is in no trace of this one: what "
      "shows is the "
      "wait for them.",
      fmt::format("Idle meanwhile: {}. Ceiling for the loader alone: {:.2f}x; graphs and fusion can't touch "
                  "that time.",
                  format_duration(idle), *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kDataLoading;
const Check kDataLoading{
    "data_loading", "Is the data loader the limit?",
    "DataLoader(num_workers=4 or more, pin_memory=True, prefetch_factor, persistent_workers=True); "
    "decode and augment ahead or on the device",
    "input", run};

}  // namespace foretell::checks
