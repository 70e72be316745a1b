// SPDX-License-Identifier: Apache-2.0
// Where in one arena each intermediate of a step lies, and in which order the steps run so that the arena is
// small. It knows quantities only, no graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.hpp"

namespace foretell::passes {

// A buffer is a piece of memory that one step writes and others read. Inputs, states and constants have
// memory of their own and are no buffers here.
struct MemoryStep {
  std::vector<std::size_t> reads;   // buffers, each once
  std::vector<std::size_t> writes;  // buffers that begin here
  std::int64_t scratch_bytes = 0;   // needed only while the step runs
  // `write` may take the memory of `read`: the op allows it. It is taken only if no later step reads `read`,
  // `read` is not kept and `write` is no larger.
  struct InPlace {
    std::size_t read = 0;
    std::size_t write = 0;
  };
  std::vector<InPlace> in_place;
  std::vector<std::size_t> after;  // steps that must come before, beside those that write what it reads
};

struct MemoryProblem {
  std::vector<std::int64_t> buffer_bytes;
  std::vector<bool> kept;  // by buffer: lives to the end (an output)
  // In a legal order, the one that eager execution takes. Each buffer is written by exactly one.
  std::vector<MemoryStep> steps;
};

struct MemoryPlanOptions {
  std::int64_t alignment = 64;  // bytes; of every offset
  bool reorder = true;          // false: the given order
  bool in_place = true;
};

// An order that was looked at, and what is live at its worst step.
struct OrderPeak {
  std::string_view name;
  std::int64_t max_live_bytes = 0;
};

// A buffer is live from the step that writes it to the last that reads it, scratch while its step runs. All
// sizes are rounded up to the alignment before anything is added up, and so is every figure here: what is
// live is then a lower bound of the arena, and comparable with it. A problem whose sizes add up to more than
// an int64 is not planned: given order, figures of the largest int64, offsets 0.
struct MemoryPlan {
  std::vector<std::size_t> order;     // of steps
  std::string_view order_name;        // "given", "least-peak-first", ...
  std::vector<std::int64_t> offsets;  // by buffer, into the arena; one in place of another has its offset
  std::vector<std::int64_t> scratch_offsets;                  // by step
  std::vector<std::pair<std::size_t, std::size_t>> in_place;  // (write, read) pairs that were taken
  std::int64_t arena_bytes = 0;
  // Of `order`, what is in place counted once: no arena can be smaller for this order and these pairs. Never
  // above `given_peak_bytes`.
  std::int64_t max_live_bytes = 0;
  // Of the given order, nothing in place: what eager execution needs at least.
  std::int64_t given_peak_bytes = 0;
  std::vector<OrderPeak> orders;  // every order that was looked at, the given one first
};

// Deterministic. An illegal problem (an order that data flow does not allow, a buffer with no writer or two,
// one read twice, a negative size) is a bug of the caller and aborts.
MemoryPlan plan_memory(const MemoryProblem& problem, const MemoryPlanOptions& options = {});

// Whether the plan may be executed: the order is legal, nothing that is live at once overlaps but the pairs
// in place, those are allowed, all lies aligned within the arena. The error names the first fault.
Result<void> check_memory_plan(const MemoryProblem& problem, const MemoryPlan& plan,
                               const MemoryPlanOptions& options = {});

}  // namespace foretell::passes
