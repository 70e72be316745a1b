// SPDX-License-Identifier: Apache-2.0
// Builds a graph as formulas (ir/term.hpp), with inputs and outputs, and keeps the first error, so that a
// workload reads as what it computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fusion-engine/ir/term.hpp"

namespace foretell::workloads {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name) : graph_(std::move(name)), formula_(graph_) {}
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  ir::Term input(std::string_view name, const ir::Type& type, const ir::Attributes& contents = {}) {
    return formula_.keep(graph_.input(name, type, contents));
  }
  // Of a float type, every element `value` at the beginning.
  ir::Term input(std::string_view name, const ir::Type& type, double value) {
    return input(name, type, {{ir::AttrKey::Low, value}, {ir::AttrKey::High, value}});
  }
  ir::Term constant(double value, ir::DType dtype) { return formula_.constant(value, dtype); }
  // An op without operands.
  ir::Term source(ir::OpKind kind, ir::Attributes attributes) {
    return formula_.add(kind, {}, std::move(attributes));
  }
  ir::Formula& formula() { return formula_; }

  void output(std::string_view name, ir::Term value) { put(name, value, std::nullopt); }
  // The input `state` holds `next` after a step.
  void update(ir::Term state, ir::Term next) {
    if (!failed()) {
      put(graph_.node(state.id).attributes.text(ir::AttrKey::Name) + "_next", next, state.id);
    }
  }
  // The graph, or the first error: extents whose product is beyond all bounds.
  Result<ir::Graph> finish() {
    if (error_ || formula_.error()) {
      return std::unexpected(error_ ? *error_ : *formula_.error());
    }
    return std::move(graph_);
  }
  Result<ir::Graph> finish(std::string_view name, ir::Term value) {
    output(name, value);
    return finish();
  }

 private:
  bool failed() const { return error_.has_value() || formula_.error().has_value(); }
  void put(std::string_view name, ir::Term value, std::optional<ir::NodeId> state) {
    if (failed()) {
      return;
    }
    if (auto added = graph_.output(name, value.id, state); !added) {
      error_ = std::move(added).error();
    }
  }

  ir::Graph graph_;
  ir::Formula formula_;
  std::optional<Error> error_;  // of an output
};

}  // namespace foretell::workloads
