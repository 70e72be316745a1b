// SPDX-License-Identifier: Apache-2.0
// What a fused kernel is lowered to, and what the printers of target languages read: stages of independent
// units, loops, and single assignments over vectors of `lanes` elements. Nothing here belongs to one target
// language.
//
//   stage: units over i0 in blocks of 4 rows
//     for i0 of the unit, serial
//       accumulator acc0 = zero, 4 copies
//       for i1 in [0, 1024), vector, 4 copies
//         let in0_v = load in0[i0*1024 + i1 ...]
//         acc0 = add(acc0, in0_v)
//       let sum0 = combine(sum, acc0)
//       store out0[i0] = sum0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fusion-engine/ir/dtype.hpp"
#include "fusion-engine/ir/op_table.hpp"

namespace foretell::ir::loop {

// Of a loop or a unit: "i0". Where a unit has a block of an index, "i0_block" numbers it and "i0_first" is
// its first.
struct Term {
  std::string index;
  std::int64_t stride = 1;  // elements
};
// The elements that the lanes stand for: lane l is element offset + sum(index * stride) + l * lane_stride.
struct Place {
  std::int64_t offset = 0;
  std::vector<Term> terms;
  std::int64_t lane_stride = 0;  // 0: one element for all lanes
};

struct Buffer {
  enum class Role : std::uint8_t { Input, Output, Scratch, Local };
  std::string name;
  DType dtype = DType::F32;  // of the stored elements
  Role role = Role::Input;
  std::int64_t elements = 0;      // Local: private to a unit, a whole number of vectors
  std::int64_t offset_bytes = 0;  // Scratch: from the start of the scratch memory
};

// Expressions. Arguments are names of values or accumulators.
struct Literal {
  double value = 0;
};
struct Load {
  std::string buffer;
  Place at;
};
struct Index {  // the element number itself
  Place at;
};
struct Random {  // ir::random_uniform(seed, counter, element)
  std::int64_t seed = 0;
  std::int64_t counter = 0;
  Place at;
};
struct Apply {
  OpKind op = OpKind::Add;  // elementwise; comparisons take numbers only, those of bools are And, Or, Not
  std::vector<std::string> args;
};
struct Convert {  // a cast: the value of dtype `from`, rounded to `to`, in the type `to` is computed in
  std::string arg;
  DType from = DType::F32;
  DType to = DType::F32;
};
// The accumulator's lanes and copies as one value, the same in all lanes; in a fixed order. op: Add, Maximum,
// Minimum; Argmax takes the positions from the accumulator `positions`, lowest among equals.
struct Combine {
  OpKind op = OpKind::Add;
  std::string accumulator;
  std::string positions;
};
using Expr = std::variant<Literal, Load, Index, Random, Apply, Convert, Combine>;

struct Let {
  std::string name;
  DType dtype = DType::F32;  // f32, f64, i32, i64 or bool: a vector of these
  Expr value;
};
struct Accumulator {
  std::string name;
  DType dtype = DType::F32;
  std::string initial;  // name of a value
  int copies = 1;  // one per copy of the vector loop that updates it, a power of two: hides the latency of
                   // the update
};
struct Update {  // accumulator = value; lanes past the end of the vector loop keep what they have
  std::string accumulator;
  Apply value;
};
struct Prefetch {  // a hint: the element may lie outside the buffer
  std::string buffer;
  Place at;
  bool nearest = true;  // into the first-level cache; else no nearer than the second
};
struct Store {  // lane_stride 0 stores one lane
  std::string buffer;
  Place at;
  std::string value;
  bool stream = false;  // past the caches
};

struct Remark {  // a line for who reads the generated code
  std::string text;
};

struct Statement;
struct For {
  enum class Kind : std::uint8_t {
    Serial,
    Vector,  // steps by lanes; a last partial step touches no more than the extent
  };
  std::string index;
  std::int64_t extent = 0;  // [0, extent), or the unit's block of it
  bool of_unit = false;     // the stage has a UnitIndex of this name with block > 1
  Kind kind = Kind::Serial;
  int copies = 1;  // Vector: steps taken together, each with its own copies of the accumulators
  std::vector<Statement> body;
};
struct Statement {
  std::variant<Let, Accumulator, Update, Prefetch, Store, Remark, For> node;
};

// A dimension of the units: unit = ... * blocks() + i / block.
struct UnitIndex {
  std::string name;
  std::int64_t extent = 1;
  std::int64_t block = 1;  // 1: the index has one value in a unit
  std::int64_t blocks() const { return (extent + block - 1) / block; }
};

// Units are independent of one another; a stage starts when the one before is complete.
struct Stage {
  std::vector<UnitIndex> units;     // outermost first
  std::vector<Statement> prologue;  // the same for all units
  std::vector<Statement> body;      // of a unit
};

struct Kernel {
  std::string name;
  std::vector<std::string> comment;  // lines: ops, shapes, schedule
  int lanes = 1;
  std::vector<Buffer> buffers;  // inputs, outputs, then scratch and local ones
  std::vector<Stage> stages;
};

inline std::int64_t units(const Stage& stage) {
  std::int64_t count = 1;
  for (const UnitIndex& unit : stage.units) {
    count *= unit.blocks();
  }
  return count;
}

}  // namespace foretell::ir::loop
