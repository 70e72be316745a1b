// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/weights.hpp"

#include <algorithm>
#include <cmath>

namespace foretell::workloads {

Weights::Weights(GraphBuilder& b, ir::DType dtype, const Weights& apart)
    : b_(b),
      dtype_(dtype),
      flat_(b.input("weights", {dtype, {apart.elements_}},
                    {{ir::AttrKey::Low, -apart.narrowest_}, {ir::AttrKey::High, apart.narrowest_}})) {}

ir::Term Weights::take(std::string_view name, const ir::Shape& shape, double middle, double half_width) {
  const std::int64_t begin = elements_;
  elements_ += ir::elements(shape);
  ir::Term value;
  if (flat_) {
    const ir::Term part =
        apply(ir::OpKind::Slice, *flat_,
              {{ir::AttrKey::Starts, ir::Ints{begin}}, {ir::AttrKey::Limits, ir::Ints{elements_}}});
    value = reshape(part, shape);
  } else {
    value = b_.input(name, {dtype_, shape},
                     {{ir::AttrKey::Low, middle - half_width}, {ir::AttrKey::High, middle + half_width}});
  }
  all_.push_back({std::string(name), value});
  return flat_ && middle != 0 ? value + middle : value;
}

ir::Term Weights::uniform(std::string_view name, const ir::Shape& shape, std::int64_t fan_in) {
  const double half_width = 1 / std::sqrt(static_cast<double>(fan_in));
  narrowest_ = std::min(narrowest_, half_width);
  return take(name, shape, 0, half_width);
}

ir::Term Weights::filled(std::string_view name, std::int64_t extent, double value) {
  return take(name, {extent}, value, 0);
}

}  // namespace foretell::workloads
