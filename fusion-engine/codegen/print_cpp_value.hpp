// SPDX-License-Identifier: Apache-2.0
// The expressions of print_cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fusion-engine/codegen/print_cpp_sums.hpp"
#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

// As it lies in memory: float, double, bf16, f16, int, long, bool8.
std::string_view memory_type(ir::DType dtype);

class ValuePrinter {
 public:
  explicit ValuePrinter(const ir::loop::Kernel& kernel) : kernel_(kernel) {}

  std::string vector_type(ir::DType dtype) const;  // "f32x16"; bool: "i32x16"
  std::string splat(double value, ir::DType dtype) const;
  std::string text(const ir::loop::Let& let) const;
  std::string text(const ir::loop::Apply& apply, ir::DType dtype) const;  // of the result
  std::string address(const std::string& buffer, const ir::loop::Place& at) const;
  std::string arg(const std::string& name) const;  // a name, with the copy of an accumulator
  bool is_local(const std::string& buffer) const;

  void declare(const ir::loop::Accumulator& accumulator) { accumulators_[accumulator.name] = accumulator; }
  ir::DType dtype(const std::string& accumulator) const { return accumulators_.at(accumulator).dtype; }
  // Inside a vector loop: which copy of the accumulators is meant, and how many lanes are there (empty: all).
  void set_loop(std::string copy, std::string count) {
    copy_ = std::move(copy);
    count_ = std::move(count);
  }
  bool partial() const { return !count_.empty(); }
  const std::string& count() const { return count_; }
  NamedSums& sums() { return sums_; }

 private:
  std::string load(const ir::loop::Load& load, const std::string& type) const;
  std::string index(const ir::loop::Place& at, ir::DType dtype) const;
  std::string random(const ir::loop::Random& random, const std::string& type) const;
  std::string convert(const ir::loop::Convert& convert) const;
  std::string combine(const ir::loop::Combine& combine, const std::string& type) const;

  int copies(const std::string& accumulator) const;

  const ir::loop::Kernel& kernel_;
  std::map<std::string, ir::loop::Accumulator> accumulators_;
  NamedSums sums_;
  std::string copy_;
  std::string count_;
};

}  // namespace foretell::codegen
