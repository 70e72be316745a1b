// SPDX-License-Identifier: Apache-2.0
// The expressions of print_cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>

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
  std::string text(const ir::loop::Apply& apply) const;
  std::string address(const std::string& buffer, const ir::loop::Place& at) const;
  std::string arg(const std::string& name) const;  // a name, with the copy of an accumulator
  bool is_local(const std::string& buffer) const;

  void declare(const ir::loop::Accumulator& accumulator) { copies_[accumulator.name] = accumulator.copies; }
  // Inside a vector loop: whether only n lanes are there, and which copy of the accumulators is meant.
  void set_loop(int copies, bool partial, std::string copy) {
    in_copies_ = copies;
    partial_ = partial;
    copy_ = std::move(copy);
  }
  bool partial() const { return partial_; }

 private:
  std::string load(const ir::loop::Load& load, const std::string& type) const;
  std::string index(const ir::loop::Place& at, ir::DType dtype) const;
  std::string random(const ir::loop::Random& random, const std::string& type) const;
  std::string convert(const ir::loop::Convert& convert) const;
  std::string combine(const ir::loop::Combine& combine, const std::string& type) const;

  const ir::loop::Kernel& kernel_;
  std::map<std::string, int> copies_;
  int in_copies_ = 1;
  bool partial_ = false;
  std::string copy_;
};

}  // namespace foretell::codegen
