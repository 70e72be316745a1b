// SPDX-License-Identifier: Apache-2.0
// The engine's types -> the report's rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/runtime/cpu/program.hpp"
#include "fusion-engine/runtime/executor.hpp"
#include "fusion-engine/runtime/measure.hpp"
#include "fusion-engine/workloads/parameter.hpp"
#include "reports/run_model.hpp"
#include "src/base/result.hpp"

namespace foretell::bridge {

// In one line what the command line prints in two.
std::string error_text(const Error& error);
std::vector<reports::ParameterRow> parameter_rows(std::span<const workloads::Parameter> parameters);
reports::CounterRow counter_row(const runtime::StepCounters& counters);
// Absent if the machine was busy or too few samples were kept. `eager`: the reference of the speed-up; may be
// nullptr. `one_lane`: the host does the device's work, so there is no time of its own.
std::optional<reports::MeasuredRow> measured_row(const runtime::VariantTimes& times,
                                                 const runtime::VariantTimes* eager, bool one_lane);
// Ops of the same name are one row; the dearest first.
std::vector<reports::RunOpRow> op_rows(std::string_view variant, std::span<const runtime::OpTime> times);
std::vector<reports::RunGroupRow> group_rows(const runtime::cpu::Program& program);
std::vector<reports::RefusalRow> refusal_rows(const runtime::cpu::Program& program);
// Ops that the host waits for; what that costs is not known here.
std::vector<reports::RunBlockerRow> blocker_rows(const ir::Graph& graph);
reports::CompileRow compile_row(const runtime::cpu::CompileReport& report);
// Steps after which compiling has paid back; nullopt: never, or it is not known what it took (from the
// cache).
std::optional<std::int64_t> break_even_steps(const reports::CompileRow& compile,
                                             const reports::MeasuredRow& eager,
                                             const reports::MeasuredRow& compiled);
// Rounds, rejected samples of all that took turns, and whether there is a verdict.
reports::MeasuringRow measuring_row(const runtime::Measurement& measurement);
// Bytes per nanosecond of a measured copy; `bytes`: read and written.
reports::ConstantRow copy_row(const runtime::VariantTimes& times, double bytes);

}  // namespace foretell::bridge
