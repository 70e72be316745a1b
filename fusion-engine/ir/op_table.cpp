// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/op_table.hpp"

#include <algorithm>
#include <initializer_list>

namespace foretell::ir {
namespace {

consteval OpInfo row(OpInfo info, std::initializer_list<AttrKey> keys) {
  for (const AttrKey key : keys) {
    info.attr_keys[info.attr_count++] = key;
  }
  return info;
}

#define FORETELL_UNWRAP(...) __VA_ARGS__
constexpr std::array kOps{
#define FORETELL_ELEMENTWISE(op, text, arity, rule, formula, flop_count, most_ulp, how, graph) \
  row({.kind = OpKind::op,                                                                     \
       .name = #text,                                                                          \
       .category = Category::Elementwise,                                                      \
       .min_arity = arity,                                                                     \
       .max_arity = arity,                                                                     \
       .types = TypeRule::rule,                                                                \
       .expression = #formula,                                                                 \
       .flops = flop_count,                                                                    \
       .ulp = most_ulp,                                                                        \
       .evaluation = Evaluation::how,                                                          \
       .course = Course::graph,                                                                \
       .attr_keys = {},                                                                        \
       .attr_count = 0},                                                                       \
      {}),
#define FORETELL_OP(op, text, group, least, most, keys) \
  row({.kind = OpKind::op,                              \
       .name = #text,                                   \
       .category = Category::group,                     \
       .min_arity = least,                              \
       .max_arity = most,                               \
       .types = TypeRule::None,                         \
       .expression = {},                                \
       .flops = 0,                                      \
       .ulp = 0,                                        \
       .evaluation = Evaluation::None,                  \
       .course = Course::Plain,                         \
       .attr_keys = {},                                 \
       .attr_count = 0},                                \
      FORETELL_UNWRAP keys),
#include "fusion-engine/ir/op_rows.inc"
};
#undef FORETELL_UNWRAP

consteval bool rows_are_in_order() {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].kind != static_cast<OpKind>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(kOps.size() == static_cast<std::size_t>(OpKind::CrossEntropyGrad) + 1,
              "the last row is cross_entropy_grad");
static_assert(rows_are_in_order(), "info() indexes rows by kind");

}  // namespace

const OpInfo& info(OpKind kind) { return kOps[static_cast<std::size_t>(kind)]; }

std::span<const OpInfo> all_ops() { return kOps; }

std::optional<OpKind> find_op(std::string_view name) {
  const auto found = std::ranges::find(kOps, name, &OpInfo::name);
  return found == kOps.end() ? std::nullopt : std::optional(found->kind);
}

}  // namespace foretell::ir
