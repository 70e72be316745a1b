// SPDX-License-Identifier: Apache-2.0
#include "analyzer/checks/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

// Half of the step in library kernels that no graph mode changes.
constexpr double kComputeShare = 0.5;

double ceiling_or_one(const CheckResult& result) { return result.finding.ceiling.value_or(1); }

bool may_bind(const CheckResult& result) { return !result.check->overhead.empty(); }

// Idle classes that no check answers for: the largest of them in the typical step.
struct Unowned {
  timeline::IdleClass idle_class = timeline::IdleClass::Queue;
  std::int64_t most_ns = 0;
  std::int64_t all_ns = 0;
};
Unowned unowned_idle(const View& view) {
  using enum timeline::IdleClass;
  Unowned unowned;
  for (const timeline::IdleClass idle_class : {OtherStream, Compile, Queue, Unattributed}) {
    const std::int64_t ns = idle_ns(view, idle_class);
    unowned.all_ns += ns;
    if (ns > unowned.most_ns) {
      unowned.most_ns = ns;
      unowned.idle_class = idle_class;
    }
  }
  return unowned;
}

// The one that binds most, or nullptr.
const CheckResult* binding(const Diagnosis& diagnosis) {
  const CheckResult* most = nullptr;
  for (const CheckResult& result : diagnosis.checks) {
    if (may_bind(result) && result.finding.verdict == Verdict::Binds &&
        (most == nullptr || ceiling_or_one(result) > ceiling_or_one(*most))) {
      most = &result;
    }
  }
  return most;
}

// The one that would bind most if its numbers could be trusted, and more than `than`; nullptr: there is none.
const CheckResult* doubtful(const Diagnosis& diagnosis, const CheckResult* than) {
  const CheckResult* most = nullptr;
  double ceiling = than == nullptr ? 1 / (1 - kBindsShare) : ceiling_or_one(*than);
  for (const CheckResult& result : diagnosis.checks) {
    if (may_bind(result) && result.finding.verdict == Verdict::Unknown && ceiling_or_one(result) > ceiling) {
      most = &result;
      ceiling = ceiling_or_one(result);
    }
  }
  return most;
}

// Why it can't be told what binds; nullopt: nothing stands against it. Idle time that no record of the host
// explains may be any overhead's, so it counts unless another one binds more.
std::optional<std::string> why_unknown(const View& view, const CheckResult* most) {
  if (auto why = unknown_step(view)) {
    return why;
  }
  const std::int64_t idle = idle_ns(view, timeline::IdleClass::Unattributed);
  if (verdict_of(view, idle) == Verdict::Clear ||
      (most != nullptr && ceiling_or_one(*most) >= ceiling_of(view, idle))) {
    return std::nullopt;
  }
  return fmt::format(
      "the device is idle {} of the {} step ({}), and no launch or other work of the host is recorded that "
      "would tell why",
      format_duration(idle), format_duration(step_ns(view)), format_share(share_of_step(view, idle)));
}

double compute_share(const Diagnosis& diagnosis) {
  double compute = 0;
  for (const whatif::ClassRow& row : diagnosis.classes) {
    compute += timeline::is_compute_library(row.kernel_class) ? row.share : 0;
  }
  return compute;
}

std::string busy_phrase(const View& view) {
  const timeline::Split& split = view.timeline.split;
  return fmt::format("the device works {} of the {} step", format_share(share_of_step(view, split.busy_ns)),
                     format_duration(step_ns(view)));
}

std::string bound_name(std::string_view binds) {
  std::string name(binds);
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name + "-bound";
}

// What the sentences are about.
struct Headline {
  std::optional<std::string> why_unknown;  // nothing can be said
  const CheckResult* most = nullptr;       // binds
  const CheckResult* doubt = nullptr;      // may bind more
};

std::string what_binds(const View& view, const Diagnosis& diagnosis, const Headline& headline) {
  if (diagnosis.binds == "unknown") {
    return fmt::format("What binds can't be told: {}.", headline.why_unknown ? *headline.why_unknown
                                                        : headline.doubt != nullptr
                                                            ? headline.doubt->finding.reason
                                                            : headline.most->finding.reason);
  }
  if (headline.most != nullptr) {
    return fmt::format("{}: {}.", bound_name(diagnosis.binds), headline.most->finding.reason);
  }
  std::string kernels;
  if (!diagnosis.classes.empty()) {
    const double compute = compute_share(diagnosis);
    kernels = diagnosis.binds == "compute"
                  ? fmt::format(", {} of that in matrix multiplication, convolution and attention",
                                format_share(compute))
                  : fmt::format(", {} of that in kernels of class {}",
                                format_share(diagnosis.classes.front().share),
                                timeline::to_string(diagnosis.classes.front().kernel_class));
  }
  const Unowned unowned = unowned_idle(view);
  return fmt::format("{}: {}{}{}.", diagnosis.binds == "compute" ? "Compute-bound" : "No overhead binds",
                     busy_phrase(view), kernels,
                     verdict_of(view, unowned.all_ns) == Verdict::Binds
                         ? fmt::format("; {} it is idle, mostly in class {}",
                                       format_share(share_of_step(view, unowned.all_ns)),
                                       timeline::to_string(unowned.idle_class))
                         : std::string());
}

// The binding checks with a ceiling, but `but`: " Also: launch (at most 1.20x), ...".
std::string also_binding(const Diagnosis& diagnosis, const CheckResult* but) {
  std::string also;
  for (const CheckResult& result : diagnosis.checks) {
    if (&result != but && result.finding.verdict == Verdict::Binds && result.finding.ceiling) {
      also += fmt::format("{}{} (at most {:.2f}x)", also.empty() ? " Also: " : ", ", result.check->id,
                          ceiling_or_one(result));
    }
  }
  return also.empty() ? also : also + ".";
}

std::string what_to_do(const View& view, const Diagnosis& diagnosis, const Headline& headline) {
  if (headline.why_unknown) {
    return "No ceiling is given; `foretell doctor --recipe` says how to record a trace that answers.";
  }
  if (headline.doubt != nullptr) {
    return fmt::format(
        "At most {:.2f}x if the trace were to be believed; time the step without the profiler and give it "
        "as --wall-ms.{}",
        ceiling_or_one(*headline.doubt), also_binding(diagnosis, nullptr));
  }
  if (headline.most != nullptr) {
    const CheckResult& most = *headline.most;
    return fmt::format("At most {:.2f}x faster if all of it went (a ceiling, not a prediction): {}.{}",
                       ceiling_or_one(most),
                       most.finding.remedy.empty() ? most.check->remedy : most.finding.remedy,
                       also_binding(diagnosis, &most));
  }
  std::vector<std::string> ceilings;
  for (const std::string_view id : {"launch", "fusion", "driver_allocations"}) {
    const CheckResult* result = diagnosis.find(id);
    if (result != nullptr && result->finding.ceiling) {
      ceilings.push_back(
          fmt::format("{} {:.2f}x", result->check->overhead, std::max(*result->finding.ceiling, 1.0)));
    }
  }
  const std::string also = also_binding(diagnosis, nullptr);
  const bool nothing = also.empty() && verdict_of(view, unowned_idle(view).all_ns) == Verdict::Clear;
  return fmt::format("{}raph mode has little to remove (ceilings, each alone: {}).{}",
                     nothing ? "1.0x is the right answer: g" : "G",
                     ceilings.empty() ? std::string("none") : fmt::format("{}", fmt::join(ceilings, ", ")),
                     also);
}

std::string what_it_rests_on(const View& view) {
  const timeline::Timeline& t = view.timeline;
  std::string steps;
  if (t.steps.all.empty()) {
    steps = "No timed event";
  } else if (t.steps.kind == timeline::StepKind::Whole) {
    steps = "The whole trace taken as one step, since none is marked and no kernel sequence repeats";
  } else {
    const std::string_view by = t.steps.kind == timeline::StepKind::ProfilerStep ? "the profiler's step marks"
                                : t.steps.kind == timeline::StepKind::UserRange
                                    ? "a repeating user range"
                                    : "the repeating kernel sequence";
    steps = fmt::format("{} by {}", format_counted(t.steps.steady, "steady step"), by);
  }
  if (t.split.skipped_ns > 0) {
    steps += fmt::format(" (without its first {}, in which issued work waited for work launched before it)",
                         format_duration(t.split.skipped_ns));
  }
  std::int64_t total = 0;
  for (const timeline::Step& step : t.steps.all) {
    add_saturated(total, step.warmup ? 0 : step.step_ns);
  }
  const std::int64_t mean = total / static_cast<std::int64_t>(std::max<std::uint64_t>(t.steps.steady, 1));
  if (mean > 0 &&
      static_cast<double>(std::abs(mean - t.steps.step_ns)) >= kBindsShare * static_cast<double>(mean)) {
    steps += fmt::format(" that are not alike: mean {}, median {}", format_duration(mean),
                         format_duration(t.steps.step_ns));
  }
  std::string trust;
  switch (t.integrity.verdict) {
    case timeline::Verdict::Complete: trust = "the trace is complete"; break;
    case timeline::Verdict::Partial:
      trust = fmt::format("the trace is partial, {} what may be concluded",
                          format_counted(t.integrity.reasons.size(), "reason limits", "reasons limit"));
      break;
    case timeline::Verdict::Unusable: trust = "the trace is unusable"; break;
  }
  return fmt::format("{}; {}{}.", steps, trust,
                     view.profile.info.resolution_ns > 1 ? "; times have a resolution of 1 us" : "");
}

}  // namespace

const CheckResult* Diagnosis::find(std::string_view id) const {
  const auto found =
      std::ranges::find_if(checks, [&](const CheckResult& result) { return result.check->id == id; });
  return found == checks.end() ? nullptr : &*found;
}

Diagnosis diagnose(const DiagnosisInput& input) {
  Diagnosis diagnosis;
  diagnosis.work =
      whatif::compute_kernel_work(input.profile, input.timeline, whatif::dram_bytes_per_ns(input.device));
  diagnosis.classes = whatif::tabulate_classes(input.profile, input.timeline, diagnosis.work, input.device);
  diagnosis.groups = whatif::find_groups(input.profile, input.timeline, diagnosis.work, input.device);
  const View view{.profile = input.profile,
                  .timeline = input.timeline,
                  .work = diagnosis.work,
                  .groups = diagnosis.groups,
                  .device = input.device,
                  .constants = input.constants,
                  .wall_ns = input.wall_ns,
                  .input_bytes = input.input_bytes};
  for (const Check* check : all_checks()) {
    diagnosis.checks.push_back({check, check->run(view)});
  }
  Headline headline{.most = binding(diagnosis)};
  headline.why_unknown = why_unknown(view, headline.most);
  headline.doubt = doubtful(diagnosis, headline.most);
  if (headline.why_unknown || headline.doubt != nullptr) {
    diagnosis.binds = "unknown";
  } else if (headline.most != nullptr) {
    diagnosis.binds = headline.most->check->overhead;
  } else {
    const double busy = share_of_step(view, input.timeline.split.busy_ns);
    diagnosis.binds = compute_share(diagnosis) * busy >= kComputeShare ? "compute" : "none";
  }
  diagnosis.sentences = {what_binds(view, diagnosis, headline), what_to_do(view, diagnosis, headline),
                         what_it_rests_on(view)};
  return diagnosis;
}

}  // namespace foretell::checks
