// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "fusion-engine/ir/attribute_defaults.hpp"
#include "fusion-engine/ir/infer_rules.hpp"

namespace foretell::ir {
namespace {

std::string_view describe(AttrType type) {
  switch (type) {
    case AttrType::Int: return "an integer";
    case AttrType::Ints: return "a list of integers";
    case AttrType::Real: return "a real number";
    case AttrType::Flag: return "true or false";
    case AttrType::Type: return "an element type";
    case AttrType::Text: return "a text";
  }
  return "";
}

}  // namespace

std::optional<AttrValue> default_value(OpKind op, AttrKey key) {
  switch (key) {
    case AttrKey::Name:
    case AttrKey::To:
    case AttrKey::Shape:
    case AttrKey::Axes:
    case AttrKey::Axis:
    case AttrKey::Permutation:
    case AttrKey::Starts:
    case AttrKey::Limits:
    case AttrKey::Before:
    case AttrKey::After:
    case AttrKey::Counter:
    case AttrKey::Factor:
    case AttrKey::Probability: return std::nullopt;
    case AttrKey::Steps: return Ints();  // the rule of slice makes it a 1 for each axis
    case AttrKey::Value: return op == OpKind::Pad ? std::optional<AttrValue>(0.0) : std::nullopt;
    case AttrKey::Correction:
    case AttrKey::Seed: return std::int64_t{0};
    case AttrKey::KeepDims:
    case AttrKey::TransposeA:
    case AttrKey::TransposeB:
    case AttrKey::Approximate:
    case AttrKey::Causal: return false;
    case AttrKey::Epsilon: return 1e-5;
    case AttrKey::Scale: return 0.0;
    case AttrKey::Strides:
    case AttrKey::Dilation: return Ints{1, 1};
    case AttrKey::Padding: return Ints{0, 0};
    case AttrKey::Groups: return std::int64_t{1};
    case AttrKey::Low: return -1.0;
    case AttrKey::High: return 1.0;
  }
  return std::nullopt;
}

Result<void> complete_attributes(OpKind op, Attributes& attributes) {
  const Application it{.op = op, .operands = {}, .attributes = attributes};
  const std::span<const AttrKey> keys = info(op).attributes();
  for (const auto& [key, value] : attributes.entries()) {
    const AttrInfo& row = info(key);
    if (std::ranges::find(keys, key) == keys.end()) {
      return it.refuse("takes no attribute '{}'", row.name);
    }
    const auto found = static_cast<AttrType>(value.index());
    if (found != row.type) {
      return it.refuse("expected {} for attribute '{}', found {}", describe(row.type), row.name,
                       describe(found));
    }
  }
  for (const AttrKey key : keys) {
    if (attributes.find(key) != nullptr) {
      continue;
    }
    std::optional<AttrValue> value = default_value(op, key);
    if (!value.has_value()) {
      return it.refuse("expected attribute '{}', found none", info(key).name);
    }
    attributes.set(key, *std::move(value));
  }
  return {};
}

Result<void> require_same_dtype(const Application& it, std::size_t first, std::size_t last) {
  for (std::size_t i = first + 1; i < last; ++i) {
    if (it.operand(i).dtype != it.operand(first).dtype) {
      return it.refuse("expected operands of one element type, found {} and {}", to_string(it.operand(first)),
                       to_string(it.operand(i)));
    }
  }
  return {};
}

Result<void> require_float(const Application& it, std::size_t i) {
  if (!is_float(it.operand(i).dtype)) {
    return it.refuse("expected a float type, found {}", to_string(it.operand(i)));
  }
  return {};
}

Result<void> require_index(const Application& it, std::size_t i) {
  if (!is_integer(it.operand(i).dtype)) {
    return it.refuse("expected an index of i32 or i64, found {}", to_string(it.operand(i)));
  }
  return {};
}

Result<std::size_t> normalize_axis(const Application& it, std::size_t rank) {
  const std::int64_t axis = it.attributes.integer(AttrKey::Axis);
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    if (it.operands.empty()) {
      return it.refuse("axis {} is out of range for rank {}", axis, rank);
    }
    return it.refuse("axis {} is out of range for {}", axis, to_string(it.operand(0)));
  }
  const std::int64_t stored = axis < 0 ? axis + signed_rank : axis;
  it.attributes.set(AttrKey::Axis, stored);
  return static_cast<std::size_t>(stored);
}

Result<Shape> shape_from(const Application& it, const Ints& extents) {
  if (extents.size() > kMaxRank) {
    return it.refuse("expected a rank of at most {}, found {}", kMaxRank, extents.size());
  }
  if (const auto negative = std::ranges::find_if(extents, [](std::int64_t extent) { return extent < 0; });
      negative != extents.end()) {
    return it.refuse("expected extents of at least 0, found {}", *negative);
  }
  return Shape(std::span<const std::int64_t>(extents));
}

}  // namespace foretell::ir
