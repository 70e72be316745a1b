// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/attributes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "src/base/check.hpp"

namespace foretell::ir {
namespace {

constexpr std::array kKeys{
    AttrInfo{AttrKey::Name, "name", AttrType::Text},
    AttrInfo{AttrKey::To, "to", AttrType::Type},
    AttrInfo{AttrKey::Shape, "shape", AttrType::Ints},
    AttrInfo{AttrKey::Axes, "axes", AttrType::Ints},
    AttrInfo{AttrKey::Axis, "axis", AttrType::Int},
    AttrInfo{AttrKey::KeepDims, "keep_dims", AttrType::Flag},
    AttrInfo{AttrKey::Correction, "correction", AttrType::Int},
    AttrInfo{AttrKey::Permutation, "permutation", AttrType::Ints},
    AttrInfo{AttrKey::Starts, "starts", AttrType::Ints},
    AttrInfo{AttrKey::Limits, "limits", AttrType::Ints},
    AttrInfo{AttrKey::Steps, "steps", AttrType::Ints},
    AttrInfo{AttrKey::Before, "before", AttrType::Ints},
    AttrInfo{AttrKey::After, "after", AttrType::Ints},
    AttrInfo{AttrKey::Value, "value", AttrType::Real},
    AttrInfo{AttrKey::Seed, "seed", AttrType::Int},
    AttrInfo{AttrKey::Counter, "counter", AttrType::Int},
    AttrInfo{AttrKey::Probability, "probability", AttrType::Real},
    AttrInfo{AttrKey::TransposeA, "transpose_a", AttrType::Flag},
    AttrInfo{AttrKey::TransposeB, "transpose_b", AttrType::Flag},
    AttrInfo{AttrKey::Epsilon, "epsilon", AttrType::Real},
    AttrInfo{AttrKey::Approximate, "approximate", AttrType::Flag},
    AttrInfo{AttrKey::Scale, "scale", AttrType::Real},
    AttrInfo{AttrKey::Causal, "causal", AttrType::Flag},
    AttrInfo{AttrKey::Strides, "strides", AttrType::Ints},
    AttrInfo{AttrKey::Padding, "padding", AttrType::Ints},
    AttrInfo{AttrKey::Dilation, "dilation", AttrType::Ints},
    AttrInfo{AttrKey::Groups, "groups", AttrType::Int},
    AttrInfo{AttrKey::Factor, "factor", AttrType::Int},
    AttrInfo{AttrKey::Low, "low", AttrType::Real},
    AttrInfo{AttrKey::High, "high", AttrType::Real},
};

consteval bool keys_are_in_order() {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (kKeys[i].key != static_cast<AttrKey>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(kKeys.size() == static_cast<std::size_t>(AttrKey::High) + 1, "the last key is high");
static_assert(keys_are_in_order(), "info() indexes keys");

template <class T>
const T& value_of(const Attributes& attributes, AttrKey key) {
  const AttrValue* const value = attributes.find(key);
  FORETELL_CHECK(value != nullptr);
  const T* const typed = std::get_if<T>(value);
  FORETELL_CHECK(typed != nullptr);
  return *typed;
}

bool same(const AttrValue& a, const AttrValue& b) {
  const double* const x = std::get_if<double>(&a);
  const double* const y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) {
    return std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y);
  }
  return a == b;
}

}  // namespace

const AttrInfo& info(AttrKey key) { return kKeys[static_cast<std::size_t>(key)]; }

std::optional<AttrKey> find_attr_key(std::string_view name) {
  const auto found = std::ranges::find(kKeys, name, &AttrInfo::name);
  return found == kKeys.end() ? std::nullopt : std::optional(found->key);
}

const AttrValue* Attributes::find(AttrKey key) const {
  const auto found = std::ranges::find(entries_, key, &std::pair<AttrKey, AttrValue>::first);
  return found == entries_.end() ? nullptr : &found->second;
}

void Attributes::set(AttrKey key, AttrValue value) {
  const auto at = std::ranges::lower_bound(entries_, key, {}, &std::pair<AttrKey, AttrValue>::first);
  if (at != entries_.end() && at->first == key) {
    at->second = std::move(value);
  } else {
    entries_.emplace(at, key, std::move(value));
  }
}

std::int64_t Attributes::integer(AttrKey key) const { return value_of<std::int64_t>(*this, key); }
const Ints& Attributes::ints(AttrKey key) const { return value_of<Ints>(*this, key); }
double Attributes::real(AttrKey key) const { return value_of<double>(*this, key); }
bool Attributes::flag(AttrKey key) const { return value_of<bool>(*this, key); }
DType Attributes::dtype(AttrKey key) const { return value_of<DType>(*this, key); }
const std::string& Attributes::text(AttrKey key) const { return value_of<std::string>(*this, key); }

bool operator==(const Attributes& a, const Attributes& b) {
  return std::ranges::equal(a.entries_, b.entries_, [](const auto& x, const auto& y) {
    return x.first == y.first && same(x.second, y.second);
  });
}

}  // namespace foretell::ir
