// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/random_graph.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "src/base/hash.hpp"
#include "tests/engine/graph_builder.hpp"

namespace foretell::tests {

namespace {

constexpr std::int64_t kDefaultBound = 8;

std::int64_t bound_of(const std::string& name) {
  constexpr std::string_view kPrefix = "index_";
  std::int64_t bound = kDefaultBound;
  if (name.starts_with(kPrefix)) {
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), bound);
  }
  return bound;
}

// Zeros, infinities, NaN, values next to the edges of the formats, ties of rounding, and plain numbers
// between them.
constexpr double kSpecialReals[]{0.0,    -0.0, INFINITY, -INFINITY, NAN,   1.0,    -1.0, 0.5,
                                 1.5,    2.5,  -0.5,     1e-30,     -1e-3, 3.0,    -2.0, 20.0,
                                 -100.0, 88.0, 0.25,     7e-5,      600.0, 1.0e-40};
constexpr double kSpecialIntegers[]{0, 1, -1, 2, -2, 7, -7, 2147483647, -2147483648, 100, 65536};

ir::HostTensor special_tensor(const ir::Type& type, std::uint64_t seed) {
  Choices choose(seed);
  ir::HostTensor tensor = ir::make_tensor(type);
  for (std::int64_t i = 0; i < ir::elements(type.shape); ++i) {
    const bool is_real = ir::is_float(type.dtype);
    ir::set(tensor, i,
            is_real ? kSpecialReals[choose.below(std::size(kSpecialReals))]
                    : kSpecialIntegers[choose.below(std::size(kSpecialIntegers))]);
  }
  return tensor;
}

}  // namespace

ir::OpKind random_op(Choices& choose) {
  static const std::vector<std::vector<ir::OpKind>> kByCategory = [] {
    std::vector<std::vector<ir::OpKind>> result(static_cast<std::size_t>(ir::Category::Composite) + 1);
    for (const ir::OpInfo& op : ir::all_ops()) {
      result[static_cast<std::size_t>(op.category)].push_back(op.kind);
    }
    return result;
  }();
  using enum ir::Category;
  const ir::Category category =
      choose.of({Elementwise, Elementwise, Elementwise, Elementwise, Elementwise, Elementwise, Elementwise,
                 Elementwise, Cast,        Source,      Reduction,   Reduction,   Reduction,   Matmul,
                 Convolution, View,        View,        Movement,    Composite,   Composite});
  return choose.of(kByCategory[static_cast<std::size_t>(category)]);
}

ir::Graph random_graph(std::uint64_t seed) {
  Choices choose(seed ^ 0x9E3779B97F4A7C15U);  // another stream than the builder's
  GraphBuilder builder(seed, seed);
  const std::size_t wanted = 3 + choose.below(38);
  std::size_t added = 0;
  // Refusals are common (a logarithm of a negative number); some graphs stay smaller, none stays empty.
  for (std::size_t attempt = 0; added < wanted && (attempt < 10 * wanted || added == 0); ++attempt) {
    added += builder.try_add(random_op(choose)) ? 1 : 0;
  }
  return builder.finish();
}

std::vector<ir::HostTensor> inputs_for(const ir::Graph& graph, std::uint64_t seed) {
  std::vector<ir::HostTensor> tensors;
  for (const ir::NodeId id : graph.inputs()) {
    const std::string& name = graph.node(id).attributes.text(ir::AttrKey::Name);
    const std::uint64_t own_seed = seed ^ fnv1a(name);
    tensors.push_back(name.starts_with("special_")
                          ? special_tensor(graph.type(id), own_seed)
                          : ir::random_tensor(graph.type(id), own_seed, {.bound = bound_of(name)}));
  }
  return tensors;
}

}  // namespace foretell::tests
