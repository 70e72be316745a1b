// SPDX-License-Identifier: Apache-2.0
// A workload: a graph with a name, built in with parameters or read from a file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/graph.hpp"
#include "fusion-engine/workloads/parameter.hpp"

namespace foretell::workloads {

struct Workload {
  std::string name;  // of the list, or the file's path
  ir::Graph graph;
  std::vector<Parameter> parameters;  // none of a file: its graph says all
};

// A row of the list (all.cpp).
struct WorkloadInfo {
  std::string_view name;
  std::string_view title;  // one line of help
  std::span<const ParameterInfo> parameters;
  // Makes the parameters those of what is built: a size in whole rows. nullptr: all are. Errors (Usage):
  // there is not one.
  Result<void> (*settle)(std::span<Parameter> parameters);
  Result<ir::Graph> (*build)(std::span<const Parameter> parameters);  // settled ones
  // The same computation over less data, for the reference interpreter, which is slow: about `elements`
  // elements in the largest tensor; where that is a weight, which stays as it is, as much less data. What an
  // element's rounding depends on (the depth of a chain, the length of a reduced row) stays as it is.
  std::vector<Parameter> (*shrink)(std::span<const Parameter> parameters, std::int64_t elements);
};

// `name`: one of the list, or a path (it holds a '/', ends in ".graph", or such a file is there): a graph in
// its text form (ir/text.hpp), which takes no parameters. Errors: Usage for an unknown name and for
// parameters; BadInput for the file.
Result<Workload> load_workload(const std::string& name, std::span<const GivenParameter> given);

// The workload over less data; nullopt where only its own size is known (a file) or it is that small already.
std::optional<Workload> shrunk(const Workload& workload, std::int64_t elements);

}  // namespace foretell::workloads
