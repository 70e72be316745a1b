// SPDX-License-Identifier: Apache-2.0
// The ops of the graph: one row each (op_rows.inc), no classes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fusion-engine/ir/attributes.hpp"

namespace foretell::ir {

enum class OpKind : std::uint8_t {
#define FORETELL_ELEMENTWISE(kind, ...) kind,
#define FORETELL_OP(kind, ...) kind,
#include "fusion-engine/ir/op_rows.inc"
};

enum class Category : std::uint8_t {
  Elementwise,  // one result element from one element of each operand, with broadcasting
  Cast,
  Source,  // no operands
  Reduction,
  Matmul,
  Convolution,
  View,
  Movement,
  Composite,
};

// Element types of an elementwise op.
enum class TypeRule : std::uint8_t {
  None,     // not elementwise
  Numeric,  // all operands alike, any type but bool; result the same
  Float,    // all operands alike, a float type; result the same
  Logical,  // bool to bool
  Compare,  // operands alike, any type; result bool
  Select,   // bool, T, T; result T
};

// Of an elementwise op: whether executors agree.
enum class Evaluation : std::uint8_t {
  None,     // not elementwise
  Exact,    // the result is a number of the type: nothing is rounded
  Rounded,  // IEEE 754 rounds it correctly, so every executor gives the same bits
  Routine,  // an approximation: executors differ within `ulp`
};

// Of an elementwise op: how its result moves with an operand.
enum class Course : std::uint8_t {
  Plain,  // the ends of an interval, and zero, give its extremes: monotone there, apart from poles
  Steps,  // jumps within an interval
  Waves,  // neither monotone nor locally quadratic within wide intervals; of slope at most 1
};

struct OpInfo {
  OpKind kind;
  std::string_view name;
  Category category;
  std::uint8_t min_arity;
  std::uint8_t max_arity;
  TypeRule types;
  std::string_view expression;  // of an elementwise op, over a, b, c
  int flops;                    // per element of an elementwise op's result
  int ulp;                      // largest error of an elementwise op (op_rows.inc)
  Evaluation evaluation;
  Course course;
  std::array<AttrKey, 5> attr_keys;
  std::uint8_t attr_count;

  constexpr std::span<const AttrKey> attributes() const { return {attr_keys.data(), attr_count}; }
};

const OpInfo& info(OpKind kind);
std::span<const OpInfo> all_ops();
std::optional<OpKind> find_op(std::string_view name);

inline std::string_view to_string(OpKind kind) { return info(kind).name; }
inline Category category(OpKind kind) { return info(kind).category; }
inline bool is_elementwise(OpKind kind) { return category(kind) == Category::Elementwise; }
inline bool is_reduction(OpKind kind) { return category(kind) == Category::Reduction; }
// Operand 1 is positions along an axis of operand 0, one of which may be out of range.
constexpr bool takes_index(OpKind kind) {
  return kind == OpKind::Gather || kind == OpKind::ScatterAdd || kind == OpKind::IndexCopy;
}
// Random ops: never merged, since each has its own counter, and never evaluated at compile time.
constexpr bool is_random(OpKind kind) {
  return kind == OpKind::RandomUniform || kind == OpKind::RandomNormal || kind == OpKind::Dropout;
}

// The result is operand 0 but for the rows that operand 2 changes: it may be written over operand 0, if the
// other operands lie elsewhere; then only those rows are touched.
constexpr bool updates_first_operand(OpKind kind) {
  return kind == OpKind::ScatterAdd || kind == OpKind::IndexCopy;
}

}  // namespace foretell::ir
