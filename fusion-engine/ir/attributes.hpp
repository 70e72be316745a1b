// SPDX-License-Identifier: Apache-2.0
// What an op is told besides its operands. Which keys an op takes is data of its row; each key has one type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fusion-engine/ir/dtype.hpp"

namespace foretell::ir {

enum class AttrKey : std::uint8_t {
  Name,         // string: of an input
  To,           // dtype: of the result
  Shape,        // ints: of the result; one -1 in a reshape is worked out by inference, and stored worked out
  Axes,         // ints: reduced axes, sorted, each in [-rank, rank); stored non-negative
  Axis,         // int: in [-rank, rank); stored non-negative
  KeepDims,     // flag, default false: reduced axes stay with extent 1
  Correction,   // int, default 0: of the variance's divisor (n - correction)
  Permutation,  // ints: axis i of the result is axis permutation[i] of the operand
  Starts,       // ints: first index per axis
  Limits,       // ints: one past the last index per axis
  Steps,        // ints, default all 1: positive; stored 1 where the result has at most one element
  Before,       // ints: padding in front, per axis, non-negative
  After,        // ints: padding behind, per axis, non-negative
  Value,        // real: of a constant, or of padding (default 0)
  Seed,         // int, default 0: key of the random stream
  Counter,      // int: makes one random op distinct from all others of the graph
  Probability,  // real, in [0, 1): share dropped
  TransposeA,   // flag, default false
  TransposeB,   // flag, default false
  Epsilon,      // real, default 1e-5
  Approximate,  // flag, default false: GELU by tanh
  Scale,        // real, default 0: attention's scale, 0 means 1 / sqrt(head extent)
  Causal,       // flag, default false: position i of the queries sees positions <= i + (keys - queries)
  Strides,      // ints, default [1,1]: of a convolution, per axis of the image, positive
  Padding,      // ints, default [0,0]: zeros on both sides of each axis of the image
  Dilation,     // ints, default [1,1]: distance between the elements that a window reads, positive
  Groups,       // int, default 1: that the channels are split into, each by itself
  Factor,       // int, positive: how often an element is repeated along each axis of the image
  Low,          // real, default -1: of an input of a float type: random contents are from here on,
  High,         // real, default 1: and below this; where both are the same they are that
};

enum class AttrType : std::uint8_t { Int, Ints, Real, Flag, Type, Text };

struct AttrInfo {
  AttrKey key;
  std::string_view name;  // as the text form writes it
  AttrType type;
};
const AttrInfo& info(AttrKey key);
std::optional<AttrKey> find_attr_key(std::string_view name);

using Ints = std::vector<std::int64_t>;
using AttrValue =
    std::variant<std::int64_t, Ints, double, bool, DType, std::string>;  // in the order of AttrType

// A small map, ordered by key. Graph::add completes it with defaults, so nodes carry every key of their row.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<AttrKey, AttrValue>> values) {
    for (const auto& [key, value] : values) {
      set(key, value);
    }
  }

  const AttrValue* find(AttrKey key) const;
  void set(AttrKey key, AttrValue value);

  // The value of a key that is present; aborts otherwise (a node's keys are those of its row).
  std::int64_t integer(AttrKey key) const;
  const Ints& ints(AttrKey key) const;
  double real(AttrKey key) const;
  bool flag(AttrKey key) const;
  DType dtype(AttrKey key) const;
  const std::string& text(AttrKey key) const;

  const std::vector<std::pair<AttrKey, AttrValue>>& entries() const { return entries_; }
  // Reals compare by bits, so that NaN equals itself and -0 is not 0.
  friend bool operator==(const Attributes& a, const Attributes& b);

 private:
  std::vector<std::pair<AttrKey, AttrValue>> entries_;
};

}  // namespace foretell::ir
