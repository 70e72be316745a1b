// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fusion-engine/ir/term.hpp"
#include "fusion-engine/passes/differentiate.hpp"
#include "tests/engine/graph_builder.hpp"
#include "tests/engine/random_graph.hpp"

namespace foretell::tests {

namespace {

using ir::Term;
using enum ir::OpKind;

// What an input becomes by a step.
struct Update {
  ir::NodeId input;
  ir::NodeId value;
};

// What models are made of, every other op.
const std::vector<ir::OpKind> kLayers{Matmul,  Matmul, LayerNorm, RmsNorm, Softmax, LogSoftmax,
                                      Gelu,    Silu,   Relu,      Tanh,    Sigmoid, Attention,
                                      Dropout, Gather, Add,       Mul,     Reshape, Permute};

class Training {
 public:
  // A third stream of decisions, after the builder's and that of random_graph().
  Training(std::uint64_t seed, std::uint64_t contents_seed)
      : choose_(seed ^ 0xD1B54A32D192ED03U), builder_(seed, contents_seed) {}

  // False if there is no loss, or nothing that it could be lowered by.
  bool grow() {
    const std::size_t wanted = 2 + choose_.below(14);
    std::size_t added = 0;
    for (std::size_t attempt = 0; added < wanted && attempt < 10 * wanted; ++attempt) {
      added += builder_.try_add(choose_.one_in(2) ? random_op(choose_) : choose_.of(kLayers)) ? 1 : 0;
    }
    if (!add_loss()) {
      return false;
    }
    const bool by_moments = choose_.one_in(2);
    std::vector<ir::NodeId> inputs = parameters();
    while (!inputs.empty() && parameters_ < kParameters) {
      const auto at = inputs.begin() + static_cast<std::ptrdiff_t>(choose_.below(inputs.size()));
      parameters_ += add_update(*at, by_moments) ? 1 : 0;
      inputs.erase(at);
    }
    return parameters_ > 0;
  }

  ir::Graph finish() const {
    ir::Graph graph = builder_.graph();
    FORETELL_CHECK(graph.output("loss", loss_).has_value());
    for (std::size_t i = 0; i < updates_.size(); ++i) {
      FORETELL_CHECK(
          graph.output(fmt::format("next{}", i), updates_[i].value, updates_[i].input).has_value());
    }
    return graph;
  }

 private:
  static constexpr std::size_t kParameters = 4;

  Term term_of_loss(Term x) {
    const ir::Shape shape = x.shape();
    if (shape.rank() == 2 && choose_.one_in(2)) {
      const auto target = x.formula->graph().input(fmt::format("index_{}_target{}", shape[1], targets_++),
                                                   {.dtype = ir::DType::I64, .shape = {shape[0]}});
      return apply(CrossEntropy, {x, x.formula->keep(target)});
    }
    const Term y = choose_.one_in(2) ? apply(Square, x) : x;
    ir::Ints axes;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
    return axes.empty() ? y : reduce(choose_.one_in(3) ? Sum : Mean, y, axes, false);
  }

  bool add_loss() {
    const auto make = [&](ir::Graph& graph) -> std::vector<ir::NodeId> {
      const std::vector<ir::NodeId> values = builder_.computed_reals();
      if (values.empty()) {
        return {};
      }
      ir::Formula formula(graph);
      Term loss = term_of_loss(formula.term(values.back()));
      for (std::size_t more = choose_.below(3); more > 0; --more) {
        const Term other = term_of_loss(formula.term(choose_.of(values)));
        loss = loss + cast(other, loss.dtype());
      }
      const auto id = formula.finish(loss);
      loss_ = id.value_or(ir::NodeId{});
      return id.has_value() ? std::vector{*id} : std::vector<ir::NodeId>{};
    };
    bool made = false;
    for (int attempt = 0; attempt < 10 && !made; ++attempt) {
      made = builder_.try_change(make);
    }
    return made;
  }

  // Inputs of float types that the loss depends on.
  std::vector<ir::NodeId> parameters() const {
    const ir::Graph& graph = builder_.graph();
    std::vector<bool> reached(graph.size(), false);
    reached[ir::index(loss_)] = true;
    std::vector<ir::NodeId> found;
    for (std::size_t i = graph.size(); i-- > 0;) {
      const ir::Node& node = graph.nodes()[i];
      for (const ir::NodeId operand : node.operands) {
        reached[ir::index(operand)] = reached[ir::index(operand)] || reached[i];
      }
      if (reached[i] && node.op == Input && ir::is_float(node.type.dtype)) {
        found.push_back(static_cast<ir::NodeId>(i));
      }
    }
    return found;
  }

  bool add_update(ir::NodeId input, bool by_moments) {
    std::vector<Update> made;
    const bool is_useful = builder_.try_change([&](ir::Graph& graph) -> std::vector<ir::NodeId> {
      const auto gradients = passes::add_gradients(graph, loss_, {&input, 1});
      FORETELL_CHECK(gradients.has_value());
      ir::Formula formula(graph);
      const Term x = formula.term(input);
      const Term slope = formula.term(gradients->front());
      if (!by_moments) {
        made = {{input, (x - slope * 0.125).id}};
      } else {
        const ir::Type type = x.type();
        const Term mean = formula.keep(graph.input(fmt::format("mean{}", parameters_), type));
        const Term square = formula.keep(graph.input(fmt::format("square{}", parameters_), type));
        const Term decayed = mean * 0.875;
        const Term next_mean = decayed + slope * 0.125;
        const Term decayed_square = apply(Abs, square) * 0.96875;
        const Term next_square = decayed_square + apply(Square, slope) * 0.03125;
        const Term size = apply(Sqrt, next_square) + 0.0078125;
        made = {{input, (x - next_mean * 0.0625 / size).id},
                {mean.id, next_mean.id},
                {square.id, next_square.id}};
      }
      std::vector<ir::NodeId> values;
      for (const Update& update : made) {
        values.push_back(update.value);
      }
      return values;
    });
    if (is_useful) {
      updates_.insert(updates_.end(), made.begin(), made.end());
    }
    return is_useful;
  }

  Choices choose_;
  GraphBuilder builder_;
  ir::NodeId loss_{};
  std::vector<Update> updates_;
  std::size_t parameters_ = 0;  // that are updated
  int targets_ = 0;
};

}  // namespace

ir::Graph random_training_graph(std::uint64_t seed) {
  // Some forward graphs are of integers, or have no values that a loss could be made of.
  constexpr std::uint64_t kNextTry = 1'000'000'007;
  for (std::uint64_t stream = seed;; stream += kNextTry) {
    Training training(stream, seed);
    if (training.grow()) {
      return training.finish();
    }
  }
}

}  // namespace foretell::tests
