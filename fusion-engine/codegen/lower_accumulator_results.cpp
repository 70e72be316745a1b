// SPDX-License-Identifier: Apache-2.0
// Accumulators after a walk: partial results, results, and the unit's memory that holds them for columns.
#include <algorithm>

#include "fusion-engine/codegen/lower_accumulators.hpp"
#include "fusion-engine/codegen/lower_extents.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::AttrKey;
using ir::DType;
using ir::NodeId;
using ir::OpKind;
using Part = Accumulation::Part;

bool divides(const ir::Graph& graph, const Accumulation& one) {
  const OpKind op = graph.node(one.reduction).op;
  return op == OpKind::Mean || op == OpKind::Var;
}

}  // namespace

void Accumulators::add_scratch(std::int64_t elements) {
  for (Accumulation& one : accumulations_) {
    one.scratch = emitter_.add_scratch(one.dtype, elements);
    if (one.update == OpKind::Argmax) {
      one.scratch_positions = emitter_.add_scratch(DType::I64, elements);
    }
  }
}

void Accumulators::leave_partial(int walk, const loop::Place& at) {
  for (const Accumulation& one : accumulations_) {
    if (one.walk != walk) {
      continue;
    }
    const auto [value, position] = combined(one);
    emitter_.append({loop::Store{.buffer = one.scratch, .at = at, .value = value, .stream = false}});
    if (!position.empty()) {
      emitter_.append(
          {loop::Store{.buffer = one.scratch_positions, .at = at, .value = position, .stream = false}});
    }
  }
}

void Accumulators::take_partial(int walk, const loop::Place& at) {
  for (const Accumulation& one : accumulations_) {
    if (one.walk != walk) {
      continue;
    }
    const std::string value = emitter_.let("part", one.dtype, loop::Load{.buffer = one.scratch, .at = at});
    std::string position;
    if (one.update == OpKind::Argmax) {
      position = emitter_.let("part_at", DType::I64, loop::Load{.buffer = one.scratch_positions, .at = at});
    }
    take(one, value, position);
  }
}

void Accumulators::bind_results(int walk) {
  for (const Accumulation& one : accumulations_) {
    if (one.walk == walk) {
      bind_result(one);
    }
  }
}

// After a walk over elements: the lanes brought together.
Accumulators::Names Accumulators::combined(const Accumulation& one) {
  if (cut_.columns) {
    return held(one);
  }
  const bool argmax = one.update == OpKind::Argmax;
  const auto combine = [&](std::string name, OpKind op, DType dtype) {
    loop::Combine all{.op = op, .accumulator = one.values, .positions = argmax ? one.positions : ""};
    emitter_.append({loop::Let{.name = name, .dtype = dtype, .value = std::move(all)}});
    return name;
  };
  const std::string name =
      divides(emitter_.graph(), one) ? emitter_.fresh("total") : emitter_.name_of(one.reduction);
  if (!argmax) {
    return {combine(name, one.update, one.dtype), {}};
  }
  // Only partial results need the value beside the position.
  std::string largest;
  if (!one.scratch.empty()) {
    largest = combine(emitter_.fresh("largest"), OpKind::Maximum, one.dtype);
  }
  return {largest, combine(name, OpKind::Argmax, DType::I64)};
}

// From memory, or from registers that took in partial results, in which all lanes hold the same.
Accumulators::Names Accumulators::held(const Accumulation& one) {
  if (!cut_.columns) {
    return {one.values, one.positions};
  }
  const bool argmax = one.update == OpKind::Argmax;
  return {load_local(one.values, one.dtype), argmax ? load_local(one.positions, DType::I64) : std::string()};
}

void Accumulators::bind_result(const Accumulation& one) {
  const std::string& memory = one.update == OpKind::Argmax ? one.positions : one.values;
  std::string result;
  const bool divided = divides(emitter_.graph(), one);
  if (divided || !cut_.columns) {
    const auto [value, position] = cut_.split ? held(one) : combined(one);
    result = one.update == OpKind::Argmax ? position : value;
  }
  if (divided) {
    result = divide(one, result);
    if (cut_.columns) {
      store_local(memory, result);
    }
  }
  if (is_mean(one)) {
    for (Accumulation& other : accumulations_) {
      if (other.part == Part::Deviation && operand_of(other) == operand_of(one)) {
        other.mean = cut_.columns ? memory : result;
      }
    }
  }
  if (one.part == Part::Mean) {
    return;
  }
  if (!result.empty()) {
    emitter_.bind(one.reduction, result);
  }
  if (cut_.columns) {
    emitter_.keep_in(one.reduction, memory, local_place());
  }
}

std::string Accumulators::divide(const Accumulation& one, const std::string& total) {
  const Nest& nest = emitter_.nest();
  std::int64_t divisor = extent_product(nest, nest.outer, nest.outer + nest.reduced);
  if (one.part == Part::Deviation) {
    const ir::Attributes& attributes = emitter_.graph().node(one.reduction).attributes;
    divisor = std::max<std::int64_t>(0, divisor - attributes.integer(AttrKey::Correction));
  }
  const std::string count = emitter_.literal(static_cast<double>(divisor), one.dtype, "count");
  std::string name = one.part == Part::Mean ? emitter_.fresh("mean") : emitter_.name_of(one.reduction);
  emitter_.append({loop::Let{
      .name = name, .dtype = one.dtype, .value = loop::Apply{.op = OpKind::Div, .args = {total, count}}}});
  return name;
}

void Accumulators::carry(NodeId id) {
  const std::string value = emitter_.member(id);
  std::string& buffer = carried_[id];
  if (buffer.empty()) {
    buffer = emitter_.add_local("kept", ir::compute_type(emitter_.graph().type(id).dtype), local_elements());
  }
  store_local(buffer, value);
  emitter_.keep_in(id, buffer, local_place());
}

std::int64_t Accumulators::local_elements() const { return round_up(cut_.tile, emitter_.lanes()); }

loop::Place Accumulators::local_place() const {
  const NestDim& dim = emitter_.nest().dims.back();
  loop::Place at{.offset = 0, .terms = {{.index = dim.name, .stride = 1}}, .lane_stride = 1};
  if (cut_.tile < dim.extent) {
    at.terms.push_back({.index = dim.name + "_first", .stride = -1});
  }
  return at;
}

std::string Accumulators::load_local(const std::string& buffer, DType dtype) {
  return emitter_.let("held", dtype, loop::Load{.buffer = buffer, .at = local_place()});
}

void Accumulators::store_local(const std::string& buffer, const std::string& value) {
  emitter_.append({loop::Store{.buffer = buffer, .at = local_place(), .value = value, .stream = false}});
}

}  // namespace foretell::codegen
