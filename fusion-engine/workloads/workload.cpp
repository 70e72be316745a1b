// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/workloads/all.hpp"
#include "src/base/byte_source.hpp"
#include "src/base/names.hpp"
#include "src/base/text.hpp"

namespace foretell::workloads {
namespace {

// A graph's text takes about 60 bytes a node; a million nodes are more than any step.
constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

const WorkloadInfo* find_workload(std::string_view name) {
  const auto all = all_workloads();
  const auto at = std::ranges::find(all, name, &WorkloadInfo::name);
  return at == all.end() ? nullptr : &*at;
}

bool names_a_file(const std::string& name) {
  std::error_code unknown;
  return name.find('/') != std::string::npos || name.ends_with(".graph") ||
         std::filesystem::is_regular_file(name, unknown);
}

Result<std::string> read_text(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    return fail(ErrorCode::BadInput, path, "expected a file with a graph, found a directory");
  }
  FORETELL_ASSIGN_OR_RETURN(const auto source, open_source(path));
  std::string text;
  while (text.size() <= kMaxFileBytes) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    FORETELL_ASSIGN_OR_RETURN(const std::size_t count, source->read(std::span(text.data() + before, kBlock)));
    text.resize(before + count);
    if (count < kBlock) {
      return text;
    }
  }
  return fail(ErrorCode::Limit, path,
              fmt::format("expected a graph of at most {}, found more", format_bytes(kMaxFileBytes)));
}

Result<Workload> read_workload(const std::string& path, std::span<const GivenParameter> given) {
  if (!given.empty()) {
    return fail(ErrorCode::Usage, "--" + given.front().first, "a workload file takes no parameters",
                "change the extents in the file");
  }
  FORETELL_ASSIGN_OR_RETURN(const std::string text, read_text(path));
  FORETELL_ASSIGN_OR_RETURN(ir::Graph graph, ir::parse(text, path));
  if (graph.outputs().empty()) {
    return fail(ErrorCode::BadInput, path, "expected at least one output, found none",
                "end the graph with a line as: return y=NAME");
  }
  return Workload{.name = path, .graph = std::move(graph), .parameters = {}};
}

}  // namespace

Result<Workload> load_workload(const std::string& name, std::span<const GivenParameter> given) {
  const WorkloadInfo* const info = find_workload(name);
  if (info == nullptr) {
    if (names_a_file(name)) {
      return read_workload(name, given);
    }
    std::vector<std::string_view> names;
    for (const WorkloadInfo& each : all_workloads()) {
      names.push_back(each.name);
    }
    return std::unexpected(unknown_name("--workload", "workload", name, names, "a file or "));
  }
  FORETELL_ASSIGN_OR_RETURN(std::vector<Parameter> parameters,
                            bind_parameters(name, info->parameters, given));
  if (info->settle != nullptr) {
    FORETELL_RETURN_IF_ERROR(info->settle(parameters));
  }
  FORETELL_ASSIGN_OR_RETURN(ir::Graph graph, info->build(parameters));
  return Workload{.name = name, .graph = std::move(graph), .parameters = std::move(parameters)};
}

std::optional<Workload> shrunk(const Workload& workload, std::int64_t elements) {
  const WorkloadInfo* const info = find_workload(workload.name);
  if (info == nullptr) {
    return std::nullopt;
  }
  std::vector<Parameter> parameters = info->shrink(workload.parameters, elements);
  if (parameters == workload.parameters) {
    return std::nullopt;
  }
  auto graph = info->build(parameters);
  if (!graph) {
    return std::nullopt;
  }
  return Workload{.name = workload.name, .graph = std::move(*graph), .parameters = std::move(parameters)};
}

}  // namespace foretell::workloads
