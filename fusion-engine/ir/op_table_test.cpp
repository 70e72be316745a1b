// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/op_table.hpp"

#include <gtest/gtest.h>

#include <set>

namespace foretell::ir {
namespace {

TEST(OpTable, EveryRowIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const OpInfo& row : all_ops()) {
    EXPECT_EQ(find_op(row.name), row.kind) << row.name;
    EXPECT_EQ(&info(row.kind), &row) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_LE(row.min_arity, row.max_arity) << row.name;
    EXPECT_EQ(is_elementwise(row.kind), row.types != TypeRule::None) << row.name;
    EXPECT_EQ(is_elementwise(row.kind), !row.expression.empty()) << row.name;
    EXPECT_EQ(is_elementwise(row.kind), row.evaluation != Evaluation::None) << row.name;
    EXPECT_EQ(row.evaluation == Evaluation::Rounded || row.evaluation == Evaluation::Routine, row.ulp > 0)
        << row.name;
  }
  EXPECT_EQ(find_op("no_such_op"), std::nullopt);
}

TEST(OpTable, RowsReadAsWritten) {
  EXPECT_EQ(info(OpKind::And).name, "and");
  EXPECT_EQ(info(OpKind::Clamp).expression, "minimum(maximum(a, b), c)");
  EXPECT_EQ(info(OpKind::Clamp).max_arity, 3);
  EXPECT_EQ(info(OpKind::Exp).flops, 12);
  EXPECT_EQ(info(OpKind::Slice).attributes().size(), 3U);
  EXPECT_EQ(info(OpKind::Slice).attributes()[1], AttrKey::Limits);
  EXPECT_TRUE(info(OpKind::Add).attributes().empty());
}

TEST(OpTable, EveryAttributeIsFoundByItsName) {
  for (const OpInfo& row : all_ops()) {
    for (const AttrKey key : row.attributes()) {
      EXPECT_EQ(find_attr_key(info(key).name), key) << row.name;
    }
  }
  EXPECT_EQ(find_attr_key("no_such_key"), std::nullopt);
}

}  // namespace
}  // namespace foretell::ir
