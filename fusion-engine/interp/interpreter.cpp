// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/interp/interpreter.hpp"

#include <fmt/format.h>

#include "fusion-engine/interp/evaluate_node.hpp"
#include "fusion-engine/interp/graph_walk.hpp"

namespace foretell::interp {

namespace {

Result<std::vector<Value>> read_inputs(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                       const EvaluateOptions& options) {
  if (inputs.size() != graph.inputs().size()) {
    return fail(ErrorCode::BadInput, graph.name(),
                fmt::format("expected {} inputs, found {}", graph.inputs().size(), inputs.size()));
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ir::Node& node = graph.node(graph.inputs()[i]);
    const std::string& name = node.attributes.text(ir::AttrKey::Name);
    if (inputs[i].type != node.type) {
      return fail(ErrorCode::BadInput, graph.name(),
                  fmt::format("input '{}': expected {}, found {}", name, to_string(node.type),
                              to_string(inputs[i].type)));
    }
    if (inputs[i].bytes.size() != static_cast<std::size_t>(size_bytes(node.type))) {
      return fail(ErrorCode::BadInput, graph.name(),
                  fmt::format("input '{}': expected {} bytes, found {}", name, size_bytes(node.type),
                              inputs[i].bytes.size()));
    }
    values.push_back(to_value(inputs[i], options));
  }
  return values;
}

// For each node the last one that reads it; outputs are never released.
std::vector<std::size_t> last_uses(const ir::Graph& graph) {
  std::vector<std::size_t> last(graph.size(), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const ir::NodeId operand : graph.nodes()[i].operands) {
      last[ir::index(operand)] = i;
    }
  }
  for (const ir::Output& output : graph.outputs()) {
    last[ir::index(output.node)] = graph.size();
  }
  return last;
}

}  // namespace

Result<std::vector<Value>> walk_graph(const ir::Graph& graph, std::vector<Value> inputs, bool keep_all,
                                      const EvaluateOptions& options) {
  std::vector<Value> values(graph.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[ir::index(graph.inputs()[i])] = std::move(inputs[i]);
  }
  const std::vector<bool> live = ir::live_nodes(graph);
  const std::vector<std::size_t> last = last_uses(graph);
  std::vector<const Value*> operands;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    if (node.op == ir::OpKind::Input || !(live[i] || keep_all)) {
      continue;
    }
    operands.clear();
    for (const ir::NodeId operand : node.operands) {
      operands.push_back(&values[ir::index(operand)]);
    }
    Result<Value> value = evaluate_node(node, operands, options);
    if (!value.has_value()) {
      Error error = std::move(value).error();
      error.where = fmt::format("{}: %{}", graph.name(), i);
      return std::unexpected(std::move(error));
    }
    values[i] = *std::move(value);
    for (const ir::NodeId operand : node.operands) {
      if (!keep_all && last[ir::index(operand)] == i) {
        values[ir::index(operand)] = {};
      }
    }
  }
  return values;
}

Value to_value(const ir::HostTensor& tensor, const EvaluateOptions& options) {
  Value value = make_value(tensor.type, options);
  for (std::size_t i = 0; i < value.reals.size(); ++i) {
    value.reals[i] = ir::get(tensor, static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < value.integers.size(); ++i) {
    value.integers[i] = ir::get_integer(tensor, static_cast<std::int64_t>(i));
  }
  return value;
}

ir::HostTensor to_tensor(const Value& value) {
  ir::HostTensor tensor = ir::make_tensor(value.type);
  for (std::size_t i = 0; i < value.reals.size(); ++i) {
    ir::set(tensor, static_cast<std::int64_t>(i), value.reals[i]);
  }
  for (std::size_t i = 0; i < value.integers.size(); ++i) {
    ir::set_integer(tensor, static_cast<std::int64_t>(i), value.integers[i]);
  }
  return tensor;
}

Value make_value(const ir::Type& type, const EvaluateOptions& options) {
  const auto count = static_cast<std::size_t>(ir::elements(type.shape));
  Value value{.type = type, .reals = {}, .integers = {}, .bounds = {}};
  if (ir::is_float(type.dtype)) {
    value.reals.resize(count);
  } else {
    value.integers.resize(count);
  }
  if (options.bounds) {
    value.bounds.resize(count);
  }
  return value;
}

Result<Value> evaluate_node(const ir::Node& node, Operands operands, const EvaluateOptions& options) {
  switch (ir::category(node.op)) {
    case ir::Category::Elementwise: return evaluate_elementwise(node, operands, options);
    case ir::Category::Cast: return evaluate_cast(node, *operands[0], options);
    case ir::Category::Source: return evaluate_source(node, options);
    case ir::Category::Reduction: return evaluate_reduction(node, *operands[0], options);
    case ir::Category::Matmul: return evaluate_matmul(node, *operands[0], *operands[1], options);
    case ir::Category::Convolution: return evaluate_convolution(node, *operands[0], *operands[1], options);
    case ir::Category::View:
    case ir::Category::Movement: return evaluate_movement(node, operands, options);
    case ir::Category::Composite: return evaluate_composite(node, operands, options);
  }
  FORETELL_CHECK(false && "a category");
  return Value{};
}

Result<std::vector<Value>> evaluate(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                    const EvaluateOptions& options) {
  FORETELL_ASSIGN_OR_RETURN(std::vector<Value> in, read_inputs(graph, inputs, options));
  FORETELL_ASSIGN_OR_RETURN(const std::vector<Value> all, walk_graph(graph, std::move(in), false, options));
  std::vector<Value> outputs;
  for (const ir::Output& output : graph.outputs()) {
    outputs.push_back(all[ir::index(output.node)]);
  }
  return outputs;
}

Result<std::vector<Value>> evaluate_all(const ir::Graph& graph, std::span<const ir::HostTensor> inputs,
                                        const EvaluateOptions& options) {
  FORETELL_ASSIGN_OR_RETURN(std::vector<Value> in, read_inputs(graph, inputs, options));
  return walk_graph(graph, std::move(in), true, options);
}

}  // namespace foretell::interp
