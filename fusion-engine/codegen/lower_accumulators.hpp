// SPDX-License-Identifier: Apache-2.0
// The accumulators of a kernel that reduces: registers for rows, memory of the unit for columns.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/codegen/lower_emitter.hpp"
#include "fusion-engine/codegen/lower_reduction_cut.hpp"

namespace foretell::codegen {

// One accumulation in one walk. The variance takes two: the sum of all, then the squares of what differs from
// the mean.
struct Accumulation {
  enum class Part : std::uint8_t { Whole, Mean, Deviation };

  ir::NodeId reduction{};
  ir::OpKind update = ir::OpKind::Add;  // Add, Maximum, Minimum, Argmax
  int walk = 0;
  Part part = Part::Whole;
  ir::DType dtype = ir::DType::F32;
  std::string values;     // accumulator or buffer
  std::string positions;  // of argmax
  std::string scratch;    // split: one partial result per chunk
  std::string scratch_positions;
  std::string mean;  // Deviation: the mean's name, or its buffer
};

class Accumulators {
 public:
  Accumulators(Emitter& emitter, const ReductionCut& cut);

  bool any(int walk) const;
  // Independent accumulators per reduction, for the walk's vector loop.
  int copies(int walk) const;
  // Sets the accumulators of a walk to their first values.
  void begin(int walk, int copies);
  // Takes in the elements at hand.
  void update(int walk);

  // Split: scratch memory for `elements` partial results each; writing and taking in what lies at a place of
  // it.
  void add_scratch(std::int64_t elements);
  void leave_partial(int walk, const ir::loop::Place& at);
  void take_partial(int walk, const ir::loop::Place& at);

  // Makes the walk's results the values of their nodes.
  void bind_results(int walk);

  // What the walk reduces to, for remarks: "mean, amax"; empty if nothing.
  std::string describe(int walk) const;

  // Columns: a value that later walks read, once per column.
  void carry(ir::NodeId id);

 private:
  using Names = std::pair<std::string, std::string>;  // value, position

  void add_means();
  ir::NodeId operand_of(const Accumulation& one) const;
  bool is_mean(const Accumulation& one) const;
  void begin_registers(int walk, int copies);
  void begin_memory(int walk);
  std::string operand(const Accumulation& one);
  void take(const Accumulation& one, const std::string& value, const std::string& position);
  void set(const std::string& accumulator, ir::DType dtype, ir::loop::Apply value);
  void bind_result(const Accumulation& one);
  Names combined(const Accumulation& one);
  Names held(const Accumulation& one);
  std::string divide(const Accumulation& one, const std::string& total);

  ir::loop::Place local_place() const;
  std::int64_t local_elements() const;
  std::string load_local(const std::string& buffer, ir::DType dtype);
  void store_local(const std::string& buffer, const std::string& value);

  Emitter& emitter_;
  const ReductionCut& cut_;
  std::vector<Accumulation> accumulations_;
  std::map<ir::NodeId, std::string> carried_;
};

}  // namespace foretell::codegen
