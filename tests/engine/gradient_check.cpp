// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/gradient_check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/copy_nodes.hpp"
#include "fusion-engine/ir/term.hpp"
#include "fusion-engine/passes/differentiate.hpp"
#include "fusion-engine/passes/eliminate_dead_code.hpp"
#include "src/base/check.hpp"
#include "tests/engine/choices.hpp"

namespace foretell::tests {
namespace {

constexpr std::string_view kCotangent = "cotangent_";

// A central difference is off by about (h / x)^2, x being how far a pole is, and by the loss's own rounding
// over h: for poles no nearer than a quarter, and a loss not much larger than its slope, 1e-9 of the slope's
// largest term. A smaller step meets fewer kinks.
constexpr double kStep = 1e-6;
constexpr double kTolerance = 1e-7;
constexpr std::size_t kDirections = 3;

Result<double> loss_at(const ir::Graph& graph, std::span<const ir::HostTensor> inputs) {
  FORETELL_ASSIGN_OR_RETURN(const auto values, interp::evaluate(graph, inputs));
  return values[0].reals[0];
}

// The graph with no outputs but those whose names begin so.
ir::Graph only_outputs(const ir::Graph& graph, std::string_view prefix) {
  ir::Graph result(graph.name());
  const auto became =
      ir::copy_nodes(graph, std::vector<bool>(graph.size(), true),
                     [&](ir::NodeId id, const std::vector<ir::NodeId>& operands) {
                       return result.add(graph.node(id).op, operands, graph.node(id).attributes).value();
                     });
  for (const ir::Output& output : graph.outputs()) {
    if (output.name.starts_with(prefix)) {
      FORETELL_CHECK(result.output(output.name, became[ir::index(output.node)]).has_value());
    }
  }
  return passes::eliminate_dead_code(result);
}

// The slope of the loss along a direction in one input.
struct Along {
  const ir::Graph& graph;
  std::vector<ir::HostTensor> inputs;
  std::size_t input;
  const std::vector<double>& direction;

  Result<double> at(double step) {
    ir::HostTensor& x = inputs[input];
    const ir::HostTensor before = x;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      ir::set(x, at, ir::get(x, at) + step * direction[i]);
    }
    auto loss = loss_at(graph, inputs);
    x = before;
    return loss;
  }
  Result<double> slope() {
    FORETELL_ASSIGN_OR_RETURN(const double ahead, at(kStep));
    FORETELL_ASSIGN_OR_RETURN(const double behind, at(-kStep));
    return (ahead - behind) / (2 * kStep);
  }
};

}  // namespace

ir::Graph with_loss(const ir::Graph& graph) {
  ir::Graph result = graph;
  ir::Formula formula(result);
  ir::Term loss = formula.constant(0, ir::DType::F64);
  for (const ir::Output& output : graph.outputs()) {
    const ir::Term y = cast(formula.term(output.node), ir::DType::F64);
    const auto weight = result.input(fmt::format("{}{}", kCotangent, output.name), ir::Type(y.type()));
    const ir::Term product = y * formula.keep(weight);
    ir::Ints axes;
    for (std::size_t i = 0; i < product.shape().rank(); ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
    loss = loss + (axes.empty() ? product : reduce(ir::OpKind::Sum, product, axes, false));
  }
  FORETELL_CHECK(result.output(kLoss, formula.finish(loss).value()).has_value());
  return only_outputs(result, kLoss);
}

std::vector<std::string> parameters_of(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::NodeId id : graph.inputs()) {
    const std::string& name = graph.node(id).attributes.text(ir::AttrKey::Name);
    if (ir::is_float(graph.type(id).dtype) && !name.starts_with(kCotangent)) {
      names.push_back(name);
    }
  }
  return names;
}

ir::Graph gradients_of(const ir::Graph& with_loss) {
  return only_outputs(passes::differentiate(with_loss, kLoss, parameters_of(with_loss)).value(), "grad_");
}

GradientCheck check_gradients(const ir::Graph& with_loss, std::span<const ir::HostTensor> inputs) {
  const auto loss = loss_at(with_loss, inputs);
  const auto gradients = interp::evaluate(gradients_of(with_loss), inputs);
  if (!loss.has_value() || !gradients.has_value()) {
    return {.faults = (loss.has_value() ? gradients.error() : loss.error()).message};
  }
  GradientCheck result{.faults = {}, .is_finite = std::isfinite(*loss)};
  std::size_t parameter = 0;
  for (std::size_t k = 0; k < inputs.size() && result.is_finite; ++k) {
    const std::string& name = with_loss.node(with_loss.inputs()[k]).attributes.text(ir::AttrKey::Name);
    if (!ir::is_float(inputs[k].type.dtype) || name.starts_with(kCotangent)) {
      continue;
    }
    const interp::Value& gradient = (*gradients)[parameter++];
    for (std::size_t d = 0; d < kDirections; ++d) {
      Choices choose(d + 1);
      std::vector<double> direction(gradient.reals.size());
      double slope = 0;
      double size = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        direction[i] = choose.of({-1.0, 0.5, 2.0});
        slope += direction[i] * gradient.reals[i];
        size += std::fabs(direction[i] * gradient.reals[i]);
      }
      Along along{
          .graph = with_loss, .inputs = {inputs.begin(), inputs.end()}, .input = k, .direction = direction};
      const auto want = along.slope();
      if (!want.has_value() || !std::isfinite(*want)) {
        result.is_finite = false;
      } else if (!(std::fabs(slope - *want) <=
                   kTolerance * std::fmax(1, std::fmax(size, std::fabs(*want))))) {
        result.faults += fmt::format("{}, direction {}: {} instead of {}\n", name, d, slope, *want);
      }
    }
  }
  return result;
}

}  // namespace foretell::tests
