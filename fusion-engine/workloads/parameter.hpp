// SPDX-License-Identifier: Apache-2.0
// The parameters of workloads: what a workload takes, and what a run was given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fusion-engine/ir/dtype.hpp"
#include "src/base/result.hpp"

namespace foretell::workloads {

enum class ParameterKind : std::uint8_t {
  Count,    // a whole number
  Bytes,    // a size: a whole number, or one with K, M, G or T (powers of 1024)
  Extents,  // of a matrix product: N, or M,N,K
  Type,     // a float element type
  Choice,   // one of a few names
};

// What a workload takes.
struct ParameterInfo {
  std::string_view name;  // of the command line's option, without dashes
  ParameterKind kind = ParameterKind::Count;
  std::string_view default_text;
  std::int64_t least = 1;  // of the number, or of each extent
  std::int64_t most = 1;
  std::string_view title;  // one line of help
  std::span<const std::string_view> choices = {};
};

// What it got: given or default.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Count;
  std::vector<std::int64_t> numbers;  // one of a count or a size, three extents m, n, k; none of others
  ir::DType dtype = ir::DType::F32;   // of a type
  std::string choice = {};            // of a choice
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// Name, without dashes, and text of an option of the command line.
using GivenParameter = std::pair<std::string, std::string>;

// Errors (Usage): `where` is "--name", the message says what was expected and found.
Result<Parameter> parse_parameter(const ParameterInfo& info, std::string_view text);
// One parameter per row of `infos`, in that order: as given, or the default. Errors (Usage): a name that is
// not in `infos` (they are listed), one given twice, or a value that does not fit.
Result<std::vector<Parameter>> bind_parameters(std::string_view workload,
                                               std::span<const ParameterInfo> infos,
                                               std::span<const GivenParameter> given);

// Rounds the size of that name down to whole units, which is what is built. Errors (Usage): less than one;
// the unit is named by `unit`.
Result<void> settle_bytes(std::span<Parameter> parameters, std::string_view name, std::int64_t unit_bytes,
                          std::string_view unit);

// Errors (Usage): "hidden" can't be split into as many equal parts as there are "heads".
Result<void> settle_heads(std::span<Parameter> parameters);

// "256 MiB", "1024 x 1024 x 1024", "bf16".
std::string to_string(const Parameter& parameter);

// The parameter of that name, which is there.
const Parameter& parameter(std::span<const Parameter> parameters, std::string_view name);
// `parameters`, but the number of that name no larger than `most`: for shrinking.
std::vector<Parameter> at_most(std::span<const Parameter> parameters, std::string_view name,
                               std::int64_t most);
// With as small a "batch" as makes the largest tensor, of `largest` elements, one of about `elements`, if all
// tensors were proportional to it; weights stay as they are.
std::vector<Parameter> with_less_batch(std::span<const Parameter> parameters, std::int64_t elements,
                                       std::int64_t largest);
// Of a count or a size.
std::int64_t number(std::span<const Parameter> parameters, std::string_view name);

}  // namespace foretell::workloads
