// SPDX-License-Identifier: Apache-2.0
// The engine's types -> the report's rows.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fusion-engine/runtime/cpu/fused_program.hpp"
#include "fusion-engine/runtime/executor.hpp"
#include "fusion-engine/runtime/measure.hpp"
#include "fusion-engine/workloads/parameter.hpp"
#include "reports/run_model.hpp"

namespace foretell::bridge {

std::vector<reports::ParameterRow> parameter_rows(std::span<const workloads::Parameter> parameters);
reports::CounterRow counter_row(const runtime::StepCounters& counters);
// Absent if the machine was busy or too few samples were kept. `eager`: the reference of the speed-up; may be
// nullptr.
std::optional<reports::MeasuredRow> measured_row(const runtime::VariantTimes& times,
                                                 const runtime::VariantTimes* eager);
// Of several steps of one graph, op by op, the median of each time: a single step with stamps is easily
// disturbed.
std::vector<runtime::OpTime> median_times(std::span<const std::vector<runtime::OpTime>> steps);
// Ops of the same name are one row; the dearest first.
std::vector<reports::RunOpRow> op_rows(std::string_view variant, std::span<const runtime::OpTime> times);
std::vector<reports::RunGroupRow> group_rows(const runtime::cpu::FusedProgram& program);
std::vector<reports::RefusalRow> refusal_rows(const runtime::cpu::FusedProgram& program);
reports::CompileRow compile_row(const runtime::cpu::CompileReport& report);
// Rounds, rejected samples of all that took turns, and whether there is a verdict.
reports::MeasuringRow measuring_row(const runtime::Measurement& measurement);
// Bytes per nanosecond of a measured copy; `bytes`: read and written.
reports::ConstantRow copy_row(const runtime::VariantTimes& times, double bytes);

}  // namespace foretell::bridge
