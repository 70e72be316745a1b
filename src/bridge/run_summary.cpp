// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "src/base/text.hpp"

namespace foretell::bridge {
namespace {

using reports::VariantRow;

const VariantRow* find(const reports::RunReport& run, std::string_view name) {
  const auto at = std::ranges::find(run.variants, name, &VariantRow::name);
  return at == run.variants.end() ? nullptr : &*at;
}

const VariantRow* find_measured(const reports::RunReport& run, std::string_view name) {
  const VariantRow* const row = find(run, name);
  return row != nullptr && row->measured ? row : nullptr;
}

// The fastest variant but eager; nullptr: none was measured.
const VariantRow* find_best(const reports::RunReport& run) {
  const VariantRow* best = nullptr;
  for (const VariantRow& row : run.variants) {
    if (row.name != "eager" && row.measured &&
        (best == nullptr || row.measured->median_ns < best->measured->median_ns)) {
      best = &row;
    }
  }
  return best;
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string verdict_sentence(const reports::RunReport& run) {
  if (run.measuring.verdict == reports::MeasuringVerdict::Unusable) {
    return "No verdict: " + run.measuring.reasons.front() + ".";
  }
  const VariantRow* const eager = find_measured(run, "eager");
  const VariantRow* const best = find_best(run);
  if (eager == nullptr || best == nullptr || !best->measured->speedup) {
    const VariantRow* const only = eager != nullptr ? eager : best;
    if (only == nullptr) {
      return "Nothing was measured.";
    }
    std::string text =
        fmt::format("{} takes {} a step", only->name, format_duration(only->measured->median_ns));
    for (const VariantRow& row : run.variants) {
      if (!row.error.empty()) {
        text += fmt::format("; {} could not be run: {}", row.name, row.error);
      }
    }
    return text + '.';
  }
  const std::string steps = fmt::format("{} a step instead of {}", format_duration(best->measured->median_ns),
                                        format_duration(eager->measured->median_ns));
  if (!best->measured->speedup_ci) {
    return fmt::format("{} is {:.2f}x as fast as eager: {}; too few rounds were left alone for an interval.",
                       capitalised(best->name), *best->measured->speedup, steps);
  }
  const auto& [low, high] = *best->measured->speedup_ci;
  if (low <= 1 && high >= 1) {
    return fmt::format("{} and eager take the same time within the error ({:.2f}x to {:.2f}x): {}.",
                       capitalised(best->name), low, high, steps);
  }
  return fmt::format("{} is {:.2f}x as fast as eager ({:.2f} to {:.2f} with 95 % confidence): {}.",
                     capitalised(best->name), *best->measured->speedup, low, high, steps);
}

std::string basis_sentence(const reports::RunReport& run) {
  const bool verdict = run.measuring.verdict != reports::MeasuringVerdict::Unusable;
  std::string text = verdict ? fmt::format("It rests on {} interleaved rounds",
                                           format_count(static_cast<std::uint64_t>(run.measuring.rounds)))
                             : std::string("It rests on counts alone");
  if (verdict && run.measuring.rejected > 0) {
    text += fmt::format(", {} disturbed and left out",
                        format_counted(static_cast<std::uint64_t>(run.measuring.rejected), "sample"));
  }
  double worst = -1;
  const reports::DriftRow* drift = nullptr;
  for (const VariantRow& row : run.variants) {
    if (row.drift && row.drift->max_ulp > worst) {
      worst = row.drift->max_ulp;
      drift = &*row.drift;
    }
  }
  if (drift != nullptr) {
    text +=
        fmt::format("; results are within {:.3g} ulp of the reference{}", worst,
                    drift->measured_at.empty() ? std::string() : fmt::format(" (at {})", drift->measured_at));
  }
  return text + '.';
}

}  // namespace

VariantWork variant_work(const VariantRow& row, const WorkCount& count) {
  VariantWork work;
  if (row.measured) {
    work.measured_ns = static_cast<double>(row.measured->median_ns);
    if (row.measured->host_ns) {
      work.host_ns = static_cast<double>(*row.measured->host_ns);
    }
  }
  work.dispatches = static_cast<double>(row.counters.dispatches);
  work.launches = static_cast<double>(row.counters.launches);
  work.replayed = static_cast<double>(row.counters.replayed);
  work.bytes = static_cast<double>(row.counters.bytes());
  work.flops = count.flops;
  work.matmul_flops = count.matmul_flops;
  work.library_calls = count.matmuls;
  return work;
}

void summarise(reports::RunReport& run, const BoundConstants& constants, const WorkCount& count) {
  run.binds = "unknown";
  for (const VariantRow& row : run.variants) {
    if (row.measured && !run.step_ns) {
      run.step_ns = row.measured->median_ns;
    }
  }
  const VariantRow* const eager = find_measured(run, "eager");
  const VariantRow* const fused = find_measured(run, "fused");
  const VariantRow* const other = find_best(run);
  run.sentences[1] = run.measuring.verdict == reports::MeasuringVerdict::Unusable
                         ? "What binds is not known: there are no times. Run it again when nothing else "
                           "runs on this machine."
                         : "What binds is not known.";
  if (const VariantRow* const first = eager != nullptr ? eager : other; first != nullptr && first->bound) {
    run.binds = first->bound->binds;
    run.sentences[1] = fmt::format("In {} {}.", first->name, first->bound->sentence);
  }
  if (eager != nullptr && fused != nullptr && eager->bound && fused->bound) {
    run.sentences[1] = explain_ceiling(variant_work(*eager, count), *eager->bound,
                                       variant_work(*fused, count), *fused->bound, constants);
  }
  // counted, whether or not there are times
  const VariantRow* const before = find(run, "eager");
  const VariantRow* const after = find(run, "fused");
  if (before != nullptr && after != nullptr && after->counters.bytes() > 0) {
    run.ceiling =
        static_cast<double>(before->counters.bytes()) / static_cast<double>(after->counters.bytes());
  }
  run.sentences[0] = verdict_sentence(run);
  run.sentences[2] = basis_sentence(run);
}

void summarise_plan(reports::RunReport& run) {
  run.sentences = {
      "Nothing was measured: the fusion plan was asked for.",
      "What binds is not known; a run without --explain measures it.",
      fmt::format("It rests on the plan: {}, {}.", format_counted(run.groups.size(), "fused kernel"),
                  format_counted(run.refusals.size(), "refusal"))};
}

}  // namespace foretell::bridge
