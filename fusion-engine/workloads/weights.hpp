// SPDX-License-Identifier: Apache-2.0
// Where the layers of a model get their weights from: inputs of their own, or parts of one flat input, as
// optimizers have them that work on all at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion-engine/workloads/graph_builder.hpp"

namespace foretell::workloads {

class Weights {
 public:
  struct Weight {
    std::string name;
    ir::Term value;  // an input, or a view of the flat one
  };

  // Each an input.
  Weights(GraphBuilder& b, ir::DType dtype) : b_(b), dtype_(dtype) {}
  // Slices of the input "weights", which has as many elements, and contents, as those of `apart` together.
  Weights(GraphBuilder& b, ir::DType dtype, const Weights& apart);

  // Of this shape, uniform around zero, so narrow that sums over `fan_in` products keep the size of what goes
  // in: 1 / sqrt(fan_in) to both sides, as frameworks begin (He et al.: Delving deep into rectifiers, 2015).
  ir::Term uniform(std::string_view name, const ir::Shape& shape, std::int64_t fan_in);
  // One value everywhere; of the flat input what it has is added to that.
  ir::Term filled(std::string_view name, std::int64_t extent, double value);

  std::span<const Weight> all() const { return all_; }
  std::optional<ir::Term> flat() const { return flat_; }

 private:
  ir::Term take(std::string_view name, const ir::Shape& shape, double middle, double half_width);

  GraphBuilder& b_;
  ir::DType dtype_;
  std::optional<ir::Term> flat_;
  std::vector<Weight> all_;
  std::int64_t elements_ = 0;  // of all
  double narrowest_ = 1;       // half width of those that are not filled
};

}  // namespace foretell::workloads
