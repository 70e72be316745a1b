// SPDX-License-Identifier: Apache-2.0
// Shape and dtype rules: the type of `r`, or the whole error.
#include "fusion-engine/ir/infer.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fusion-engine/ir/infer_cases.hpp"
#include "fusion-engine/ir/infer_gradient_cases.hpp"
#include "fusion-engine/ir/infer_image_cases.hpp"
#include "fusion-engine/ir/text.hpp"

namespace foretell::ir {
namespace {

class Infer : public testing::TestWithParam<InferCase> {};

TEST_P(Infer, GivesTheTypeOrTellsWhatDoesNotFit) {
  const std::string text = std::string(kInputs) + std::string(kMore) + std::string(kImages) +
                           "r = " + GetParam().statement + "\nreturn out=r\n";
  const Result<Graph> graph = parse(text);
  EXPECT_EQ(graph.has_value() ? to_string(graph->type(graph->outputs()[0].node)) : graph.error().message,
            GetParam().want);
}

std::string name(const testing::TestParamInfo<InferCase>& row) { return row.param.name; }
INSTANTIATE_TEST_SUITE_P(Elementwise, Infer, testing::ValuesIn(kElementwise), name);
INSTANTIATE_TEST_SUITE_P(Sources, Infer, testing::ValuesIn(kSources), name);
INSTANTIATE_TEST_SUITE_P(Reductions, Infer, testing::ValuesIn(kReductions), name);
INSTANTIATE_TEST_SUITE_P(Matmuls, Infer, testing::ValuesIn(kMatmuls), name);
INSTANTIATE_TEST_SUITE_P(Views, Infer, testing::ValuesIn(kViews), name);
INSTANTIATE_TEST_SUITE_P(Movements, Infer, testing::ValuesIn(kMovements), name);
INSTANTIATE_TEST_SUITE_P(Composites, Infer, testing::ValuesIn(kComposites), name);
INSTANTIATE_TEST_SUITE_P(Gradients, Infer, testing::ValuesIn(kGradients), name);
INSTANTIATE_TEST_SUITE_P(Convolutions, Infer, testing::ValuesIn(kConvolutions), name);
INSTANTIATE_TEST_SUITE_P(ImageComposites, Infer, testing::ValuesIn(kImageComposites), name);

// Elementwise ops follow from their row alone: by type rule, for every row and type.
TEST(InferElementwise, EveryRowTakesTheTypesOfItsRule) {
  for (const OpInfo& row : all_ops()) {
    for (const DType dtype : kAllDTypes) {
      const Type type{.dtype = dtype, .shape = {2, 3}};
      std::vector<Type> operands(row.max_arity, type);
      bool fits = true;
      DType gives = dtype;
      switch (row.types) {
        case TypeRule::None: continue;
        case TypeRule::Numeric: fits = dtype != DType::Bool; break;
        case TypeRule::Float: fits = is_float(dtype); break;
        case TypeRule::Logical: fits = dtype == DType::Bool; break;
        case TypeRule::Compare: gives = DType::Bool; break;
        case TypeRule::Select: operands[0].dtype = DType::Bool; break;
      }
      Attributes attributes;
      const Result<Type> type_of = infer(row.kind, operands, attributes);
      ASSERT_EQ(type_of.has_value(), fits) << row.name << " of " << to_string(dtype);
      EXPECT_TRUE(!fits || *type_of == (Type{.dtype = gives, .shape = {2, 3}})) << row.name;
    }
  }
}

TEST(InferAttributes, EachHasItsType) {
  const Type type{.dtype = DType::F32, .shape = {2, 3}};
  Attributes attributes{{AttrKey::Axes, 0.5}};
  const Result<Type> sum = infer(OpKind::Sum, std::span(&type, 1), attributes);
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().message,
            "sum: expected a list of integers for attribute 'axes', found a real number");
}

TEST(InferAttributes, EveryStructuralOpHasAGoodAndABadCase) {
  std::set<std::string> good;
  std::set<std::string> bad;
  const auto count = [&](std::span<const InferCase> rows) {
    for (const InferCase& row : rows) {
      const std::string statement = row.statement;
      const std::string op = statement.substr(0, statement.find('('));
      (std::string_view(row.want).starts_with(op + ":") ? bad : good).insert(op);
    }
  };
  for (const std::span<const InferCase> rows :
       {std::span<const InferCase>(kElementwise), std::span<const InferCase>(kSources),
        std::span<const InferCase>(kReductions), std::span<const InferCase>(kMatmuls),
        std::span<const InferCase>(kViews), std::span<const InferCase>(kMovements),
        std::span<const InferCase>(kComposites), std::span<const InferCase>(kConvolutions),
        std::span<const InferCase>(kImageComposites), std::span<const InferCase>(kGradients)}) {
    count(rows);
  }
  good.insert("input");  // above every case
  for (const OpInfo& row : all_ops()) {
    if (!is_elementwise(row.kind)) {
      EXPECT_TRUE(good.contains(std::string(row.name))) << row.name;
      EXPECT_TRUE(bad.contains(std::string(row.name))) << row.name;
    }
  }
}

}  // namespace
}  // namespace foretell::ir
