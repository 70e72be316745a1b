// SPDX-License-Identifier: Apache-2.0
// The emitter's literals: once per kernel, in its prologue.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>

#include "fusion-engine/codegen/lower_emitter.hpp"

namespace foretell::codegen {

namespace loop = ir::loop;
using ir::DType;

// By value where it is well known, else by meaning, else "c0"; of another type than a literal before it,
// "zero_i64".
std::string Emitter::literal_name(double value, DType dtype, std::string_view meaning) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array<std::pair<double, std::string_view>, 7> kKnown{{{0.0, "zero"},
                                                                       {1.0, "one"},
                                                                       {-1.0, "minus_one"},
                                                                       {2.0, "two"},
                                                                       {0.5, "half"},
                                                                       {kInfinity, "infinity"},
                                                                       {-kInfinity, "minus_infinity"}}};
  for (const auto& [known, name] : kKnown) {
    if (std::bit_cast<std::uint64_t>(known) == std::bit_cast<std::uint64_t>(value)) {  // -0 is not 0
      meaning = name;
    }
  }
  if (meaning.empty()) {
    return fresh("c");
  }
  for (std::string name : {std::string(meaning), fmt::format("{}_{}", meaning, ir::to_string(dtype))}) {
    if (literal_names_.insert(name).second) {
      return name;
    }
  }
  return fresh(fmt::format("{}_", meaning));
}

Emitter::Value Emitter::find_literal(double value, DType dtype, std::string_view meaning) {
  const std::pair bits{std::bit_cast<std::uint64_t>(value), dtype};  // -0 is not 0, and NaN is itself
  const auto number = literals_.emplace(bits, literals_.size()).first->second;
  const std::pair key{Key::Literal, std::uint64_t{number}};
  if (const auto known = find(key)) {
    return *known;
  }
  std::string& name = other_names_[key];
  if (name.empty()) {
    name = literal_name(value, dtype, meaning);
  }
  return put(key, 0, name, dtype, loop::Literal{.value = value});
}

}  // namespace foretell::codegen
