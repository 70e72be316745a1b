// SPDX-License-Identifier: Apache-2.0
// Builds a graph op by op and keeps the first error, so that a workload reads as its formula.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "fusion-engine/ir/graph.hpp"

namespace foretell::workloads {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name) : graph_(std::move(name)) {}

  ir::NodeId input(std::string_view name, ir::Type type) { return keep(graph_.input(name, std::move(type))); }
  ir::NodeId constant(double value, ir::DType dtype) { return graph_.constant(value, dtype); }
  ir::NodeId op(ir::OpKind kind, std::initializer_list<ir::NodeId> operands, ir::Attributes attributes = {}) {
    return error_ ? ir::NodeId{} : keep(graph_.add(kind, operands, std::move(attributes)));
  }
  // The graph with one output, or the first error: extents whose product is beyond all bounds.
  Result<ir::Graph> finish(std::string_view output, ir::NodeId node) {
    if (!error_) {
      if (auto added = graph_.output(output, node); !added) {
        error_ = std::move(added).error();
      }
    }
    if (error_) {
      return std::unexpected(std::move(*error_));
    }
    return std::move(graph_);
  }

 private:
  ir::NodeId keep(Result<ir::NodeId> made) {
    if (!made) {
      if (!error_) {
        error_ = std::move(made).error();
      }
      return {};
    }
    return *made;
  }

  ir::Graph graph_;
  std::optional<Error> error_;
};

}  // namespace foretell::workloads
