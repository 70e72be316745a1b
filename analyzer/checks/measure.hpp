// SPDX-License-Identifier: Apache-2.0
// What most checks need: the typical step, a ceiling, where a verdict can't be had, and the dearest places.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/checks/check.hpp"

namespace foretell::checks {

// The typical step without the profiler's own idle time.
std::int64_t step_ns(const View& view);
std::int64_t idle_ns(const View& view, timeline::IdleClass idle_class);  // of the typical step
double share_of_step(const View& view, std::int64_t ns);

// Amdahl: step / (step - saved), the rest never below 1 ns.
double ceiling_of(const View& view, std::int64_t saved_ns);
// Would saving that much be worth it (kBindsShare)?
Verdict verdict_of(const View& view, std::int64_t saved_ns);

// Why nothing can be said about where the step's time went; nullopt: it can.
std::optional<std::string> unknown_step(const View& view);

// Nearly every launch call returns only when its kernel is done.
bool launches_block(const View& view);

// How much slower the profiler may have made the host: the high end of profiler_step_ratio where stacks or
// shapes were recorded and no bare time was given, else 1.
double host_inflation(const View& view);

// Of `idle` time in which the device waits for the host, what is left at least if the profiler made the host
// host_inflation() times slower: the host needs the time in which the device works and waits for it.
std::int64_t bare_idle_ns(const View& view, std::int64_t idle);

// nullptr: there is none of that name.
const cost::Constant* find_constant(const View& view, std::string_view name);

// Idle time of these classes within the steady steps, by the op (else the kernel) it ended with or the call
// it was spent in; per step, dearest first, at most kMostExamples.
std::vector<Example> idle_examples(const View& view, std::initializer_list<timeline::IdleClass> classes);

Finding found(Verdict verdict, std::string reason);

// A mean with its noun: "1 copy", "3 copies", "0.25 copies", "1,234 copies".
std::string mean_counted(double mean, std::string_view noun, std::string_view plural);

Quantity measured(std::string name, double value);
Quantity derived(std::string name, double value);
Quantity assumed(std::string name, double value);

}  // namespace foretell::checks
