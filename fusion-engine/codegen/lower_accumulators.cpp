// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower_accumulators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::Category;
using ir::DType;
using ir::NodeId;
using ir::OpKind;
using Part = Accumulation::Part;

double first_value(OpKind update) {
  if (update == OpKind::Add) {
    return 0;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return update == OpKind::Minimum ? kInfinity : -kInfinity;
}

OpKind update_of(OpKind reduction) {
  if (reduction == OpKind::Argmax) {
    return OpKind::Argmax;
  }
  if (reduction == OpKind::Amax) {
    return OpKind::Maximum;
  }
  return reduction == OpKind::Amin ? OpKind::Minimum : OpKind::Add;  // sum, mean, variance
}

}  // namespace

Accumulators::Accumulators(Emitter& emitter, const ReductionCut& cut) : emitter_(emitter), cut_(cut) {
  const ir::Graph& graph = emitter.graph();
  const auto& nodes = emitter.group().nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ir::Node& node = graph.node(nodes[i]);
    if (ir::category(node.op) != Category::Reduction) {
      continue;
    }
    Accumulation one;
    one.reduction = nodes[i];
    one.update = update_of(node.op);
    one.walk = emitter.nest().space.placements[i].level - 1;
    one.dtype = ir::compute_type(graph.type(node.operands[0]).dtype);
    one.part = node.op == OpKind::Var ? Part::Deviation : Part::Whole;
    accumulations_.push_back(one);
  }
  add_means();
}

// The mean of a variance is one that is asked for by itself, or that of another variance, if there is such a
// one.
void Accumulators::add_means() {
  const std::size_t count = accumulations_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (accumulations_[i].part != Part::Deviation) {
      continue;
    }
    const auto same = std::ranges::find_if(accumulations_, [&](const Accumulation& other) {
      return is_mean(other) && operand_of(other) == operand_of(accumulations_[i]);
    });
    if (same == accumulations_.end()) {
      Accumulation mean = accumulations_[i];
      mean.part = Part::Mean;
      --mean.walk;
      accumulations_.push_back(mean);
    }
  }
}

NodeId Accumulators::operand_of(const Accumulation& one) const {
  return emitter_.graph().node(one.reduction).operands[0];
}
bool Accumulators::is_mean(const Accumulation& one) const {
  return one.part == Part::Mean || emitter_.graph().node(one.reduction).op == OpKind::Mean;
}

bool Accumulators::any(int walk) const {
  return std::ranges::any_of(accumulations_, [&](const Accumulation& one) { return one.walk == walk; });
}

std::string Accumulators::describe(int walk) const {
  std::string text;
  for (const Accumulation& one : accumulations_) {
    if (one.walk == walk) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", one.part == Part::Mean ? "mean for " : "",
                          ir::to_string(emitter_.graph().node(one.reduction).op));
    }
  }
  return text;
}

// An add has a latency of 4 cycles and a throughput of two per cycle (Intel's cores since Skylake, AMD's
// since Zen), so up to 8 chains would keep the adders busy. Four do where loads, of which there are two a
// cycle, bound the loop first. A body of 8 flops per vector takes as long as the latency by itself with one
// or two chains; 24 flops are an exp and a few others, whose constants and temporaries leave few of 32
// registers.
int Accumulators::copies(int walk) const {
  constexpr int kCheap = 8;
  constexpr int kModerate = 24;
  int flops = 0;
  int accumulators = 0;
  std::set<NodeId> seen;
  for (const Accumulation& one : accumulations_) {
    if (one.walk != walk) {
      continue;
    }
    if (one.update == OpKind::Argmax) {
      return 1;
    }
    ++accumulators;
    flops += flops_behind(emitter_.graph(), emitter_.nest(), operand_of(one), seen);
  }
  if (cut_.columns || accumulators == 0) {
    return 1;
  }
  const int wanted = flops <= kCheap && accumulators <= 2      ? 4
                     : flops <= kModerate && accumulators <= 4 ? 2
                                                               : 1;
  return emitter_.nest().dims.back().extent >= std::int64_t{wanted} * emitter_.lanes() ? wanted : 1;
}

void Accumulators::begin(int walk, int copies) {
  if (cut_.columns) {
    begin_memory(walk);
  } else {
    begin_registers(walk, copies);
  }
}

void Accumulators::begin_registers(int walk, int copies) {
  for (Accumulation& one : accumulations_) {
    if (one.walk != walk) {
      continue;
    }
    if (one.values.empty()) {
      one.values = emitter_.fresh("acc");
      one.positions = one.update == OpKind::Argmax ? one.values + "_at" : std::string();
    }
    const auto declare = [&](const std::string& name, DType dtype, double initial) {
      emitter_.append({loop::Accumulator{
          .name = name, .dtype = dtype, .initial = emitter_.literal(initial, dtype), .copies = copies}});
    };
    declare(one.values, one.dtype, first_value(one.update));
    if (!one.positions.empty()) {
      declare(one.positions, DType::I64, 0);
    }
  }
}

void Accumulators::begin_memory(int walk) {
  if (!any(walk)) {
    return;
  }
  emitter_.open({emitter_.vector_dim()});
  for (Accumulation& one : accumulations_) {
    if (one.walk != walk) {
      continue;
    }
    if (one.values.empty()) {
      one.values = emitter_.add_local("acc", one.dtype, local_elements());
      one.positions = one.update == OpKind::Argmax
                          ? emitter_.add_local("acc_at", DType::I64, local_elements())
                          : std::string();
    }
    store_local(one.values, emitter_.literal(first_value(one.update), one.dtype));
    if (!one.positions.empty()) {
      store_local(one.positions, emitter_.literal(0, DType::I64));
    }
  }
  emitter_.append_tile_loop(cut_.tile);
}

std::string Accumulators::operand(const Accumulation& one) {
  std::string value = emitter_.read(operand_of(one), one.reduction);
  if (one.part == Part::Deviation) {
    const std::string mean = cut_.columns ? load_local(one.mean, one.dtype) : one.mean;
    value = emitter_.let("deviation", one.dtype, loop::Apply{.op = OpKind::Sub, .args = {value, mean}});
    value = emitter_.let("square", one.dtype, loop::Apply{.op = OpKind::Square, .args = {value}});
  }
  return value;
}

void Accumulators::update(int walk) {
  for (const Accumulation& one : accumulations_) {
    if (one.walk != walk) {
      continue;
    }
    const std::string value = operand(one);
    std::string position;
    if (one.update == OpKind::Argmax) {
      // Its axis is the one reduced dimension.
      const loop::Term index{.index = emitter_.nest().dims[emitter_.nest().outer].name, .stride = 1};
      position = emitter_.let(
          "at", DType::I64,
          loop::Index{.at = {.offset = 0, .terms = {index}, .lane_stride = cut_.columns ? 0 : 1}});
    }
    take(one, value, position);
  }
}

// Argmax: larger, or the first NaN, since a NaN counts as larger than all.
void Accumulators::take(const Accumulation& one, const std::string& value, const std::string& position) {
  const std::string held = cut_.columns ? load_local(one.values, one.dtype) : one.values;
  if (one.update != OpKind::Argmax) {
    set(one.values, one.dtype, {.op = one.update, .args = {held, value}});
    return;
  }
  const auto test = [&](std::string_view name, OpKind op, std::string a, std::string b) {
    return emitter_.let(name, DType::Bool, loop::Apply{.op = op, .args = {std::move(a), std::move(b)}});
  };
  std::string better = test("better", OpKind::Lt, held, value);
  if (ir::is_float(one.dtype)) {
    const std::string is_nan = test("is_nan", OpKind::Ne, value, value);
    const std::string held_number = test("held_number", OpKind::Eq, held, held);
    better = test("better", OpKind::Or, better, test("first_nan", OpKind::And, is_nan, held_number));
  }
  const std::string held_at = cut_.columns ? load_local(one.positions, DType::I64) : one.positions;
  set(one.values, one.dtype, {.op = OpKind::Where, .args = {better, value, held}});
  set(one.positions, DType::I64, {.op = OpKind::Where, .args = {better, position, held_at}});
}

void Accumulators::set(const std::string& accumulator, DType dtype, loop::Apply value) {
  if (cut_.columns) {
    store_local(accumulator, emitter_.let("next", dtype, std::move(value)));
  } else {
    emitter_.append({loop::Update{.accumulator = accumulator, .value = std::move(value)}});
  }
}

}  // namespace foretell::codegen
