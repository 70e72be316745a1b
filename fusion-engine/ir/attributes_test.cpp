// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/attributes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace foretell::ir {
namespace {

TEST(Attributes, AreOrderedByKeyHoweverTheyWereSet) {
  Attributes a{{AttrKey::KeepDims, true}, {AttrKey::Axes, Ints{0, 2}}};
  Attributes b;
  b.set(AttrKey::Axes, Ints{1});
  b.set(AttrKey::KeepDims, true);
  EXPECT_NE(a, b);
  b.set(AttrKey::Axes, Ints{0, 2});
  EXPECT_EQ(a, b);
  EXPECT_EQ(b.entries().front().first, AttrKey::Axes);
  EXPECT_EQ(b.ints(AttrKey::Axes), (Ints{0, 2}));
  EXPECT_TRUE(b.flag(AttrKey::KeepDims));
  EXPECT_EQ(b.find(AttrKey::Axis), nullptr);
}

TEST(Attributes, RealsCompareByTheirBits) {
  const auto real = [](double value) { return Attributes{{AttrKey::Value, value}}; };
  EXPECT_EQ(real(std::nan("")), real(std::nan("")));
  EXPECT_NE(real(0.0), real(-0.0));
  EXPECT_EQ(real(0.5), real(0.5));
}

TEST(Attributes, AKeyOfAnotherTypeAborts) {
  const Attributes a{{AttrKey::Axis, std::int64_t{1}}};
  EXPECT_DEATH(static_cast<void>(a.real(AttrKey::Axis)), "typed != nullptr");
  EXPECT_DEATH(static_cast<void>(a.integer(AttrKey::Seed)), "value != nullptr");
}

}  // namespace
}  // namespace foretell::ir
