// SPDX-License-Identifier: Apache-2.0
// Sums of indices that several addresses of a block share: computed once, and named.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/ir/loop_ir.hpp"

namespace foretell::codegen {

// "i0 * 192 + i1 * 48 + i2", without the place's offset; empty without terms.
std::string sum_of_terms(const ir::loop::Place& at);
// With the offset; "0" if there is nothing else.
std::string with_offset(std::string sum, const ir::loop::Place& at);

class NamedSums {
 public:
  struct Name {
    std::string sum;
    std::string name;
  };
  // Enters a block. Gives the sums to be named at its start: those that take arithmetic, occur more than once
  // in its own statements (not in loops within), and have no name from a block around it.
  std::vector<Name> enter(const std::vector<ir::loop::Statement>& statements, bool with_prefetches);
  void leave();

  // The sum, by its name if it has one here.
  std::string text(const ir::loop::Place& at) const;

 private:
  std::map<std::string, std::string> names_;         // of the whole function: equal sums have equal names
  std::vector<std::vector<std::string>> in_blocks_;  // sums named in the blocks around, innermost last
};

}  // namespace foretell::codegen
