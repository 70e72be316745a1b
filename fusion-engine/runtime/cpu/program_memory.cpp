// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/program_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "fusion-engine/passes/memory_lifetimes.hpp"
#include "fusion-engine/runtime/cpu/in_place.hpp"

namespace foretell::runtime::cpu {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

void add_once(std::vector<std::size_t>& list, std::size_t value) {
  if (value != kNone && std::ranges::find(list, value) == list.end()) {
    list.push_back(value);
  }
}

class Builder {
 public:
  Builder(const Program& program, const ProgramSteps& steps)
      : steps_(steps),
        in_place_(program.graph, program.plan, program.kernels),
        buffer_of_slot_(steps.slot_bytes.size(), kNone) {}

  ProgramMemory build(std::span<const std::int64_t> scratch_bytes) {
    for (const ProgramStep& step : steps_.steps) {
      std::ranges::for_each(step.allocates, [&](std::size_t slot) { add_buffer(slot); });
    }
    for (const FinalCopy& copy : steps_.copies) {
      if (copy.allocates) {
        add_buffer(copy.to);
      }
    }
    for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
      add_step(steps_.steps[i], scratch_bytes[i]);
    }
    add_copies();
    for (const std::size_t slot : steps_.kept) {
      memory_.problem.kept[buffer_of_slot_[slot]] = true;
    }
    order_state_writes();
    return std::move(memory_);
  }

 private:
  void add_buffer(std::size_t slot) {
    buffer_of_slot_[slot] = memory_.slots.size();
    memory_.slots.push_back(slot);
    memory_.problem.buffer_bytes.push_back(static_cast<std::int64_t>(steps_.slot_bytes[slot]));
    memory_.problem.kept.push_back(false);
  }

  void add_step(const ProgramStep& step, std::int64_t scratch_bytes) {
    passes::MemoryStep planned{.scratch_bytes = scratch_bytes};
    for (const std::size_t slot : step.allocates) {
      planned.writes.push_back(buffer_of_slot_[slot]);
    }
    for (const std::size_t slot : step.reads) {
      add_once(planned.reads, buffer_of_slot_[slot]);
    }
    for (const std::size_t write : step.allocates) {
      for (const std::size_t read : planned.reads) {
        if (in_place_.may_write_over(step.planned, static_cast<ir::NodeId>(write),
                                     static_cast<ir::NodeId>(memory_.slots[read]))) {
          planned.in_place.push_back({.read = read, .write = buffer_of_slot_[write]});
        }
      }
    }
    memory_.problem.steps.push_back(std::move(planned));
  }

  void add_copies() {
    passes::MemoryStep last;
    last.after.resize(steps_.steps.size());
    std::iota(last.after.begin(), last.after.end(), std::size_t{0});
    for (const FinalCopy& copy : steps_.copies) {
      const std::size_t from = buffer_of_slot_[copy.from.slot];
      if (copy.allocates) {
        last.writes.push_back(buffer_of_slot_[copy.to]);
      }
      if (std::ranges::find(last.writes, from) == last.writes.end()) {
        add_once(last.reads, from);
      }
    }
    memory_.problem.steps.push_back(std::move(last));
  }

  // A step that writes to a state follows all that read its old value; those that read the new one follow it.
  void order_state_writes() {
    for (const auto& [slot, state] : steps_.aliases) {
      const auto writer = std::ranges::find_if(steps_.steps, [&](const ProgramStep& step) {
        return std::ranges::find(step.results, slot) != step.results.end();
      });
      const auto at = static_cast<std::size_t>(writer - steps_.steps.begin());
      for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
        const std::vector<std::size_t>& reads = steps_.steps[i].reads;
        if (i < at && std::ranges::find(reads, state) != reads.end()) {
          memory_.problem.steps[at].after.push_back(i);
        }
        if (std::ranges::find(reads, slot) != reads.end()) {
          memory_.problem.steps[i].after.push_back(at);
        }
      }
    }
  }

  const ProgramSteps& steps_;
  InPlace in_place_;
  std::vector<std::size_t> buffer_of_slot_;
  ProgramMemory memory_;
};

}  // namespace

ProgramMemory program_memory(const Program& program, const ProgramSteps& steps,
                             std::span<const std::int64_t> scratch_bytes) {
  return Builder(program, steps).build(scratch_bytes);
}

MemoryLayout plan_layout(const ProgramMemory& memory, const ProgramSteps& steps) {
  const passes::MemoryProblem& problem = memory.problem;
  MemoryLayout layout{.steps = {}, .blocks = {}, .plan = passes::plan_memory(problem)};
  const passes::MemoryPlan& plan = layout.plan;
  for (std::size_t position = 0; position < plan.order.size(); ++position) {
    const std::size_t step = plan.order[position];
    layout.steps.push_back(step < steps.steps.size() ? steps.steps[step].name : "state copies");
    if (problem.steps[step].scratch_bytes > 0) {
      layout.blocks.push_back({.name = "scratch",
                               .first_step = position,
                               .last_step = position,
                               .offset = plan.scratch_offsets[step],
                               .bytes = problem.steps[step].scratch_bytes,
                               .kind = MemoryLayout::Kind::Scratch});
    }
  }
  std::vector<passes::Lifetime> lifetimes = passes::lifetimes_of(problem, plan.order);
  for (const auto& [write, read] : plan.in_place) {
    lifetimes[read].last = lifetimes[write].first - 1;
  }
  for (std::size_t buffer = 0; buffer < memory.slots.size(); ++buffer) {
    layout.blocks.push_back(
        {.name = fmt::format("%{}", memory.slots[buffer]),
         .first_step = lifetimes[buffer].first,
         .last_step = lifetimes[buffer].last,
         .offset = plan.offsets[buffer],
         .bytes = problem.buffer_bytes[buffer],
         .kind = problem.kept[buffer] ? MemoryLayout::Kind::Output : MemoryLayout::Kind::Intermediate});
  }
  return layout;
}

}  // namespace foretell::runtime::cpu
