// SPDX-License-Identifier: Apache-2.0
// The values that attributes have when left out: filled in by inference, left out by the printer.
#pragma once

#include <optional>

#include "fusion-engine/ir/attributes.hpp"
#include "fusion-engine/ir/op_table.hpp"

namespace foretell::ir {

// nullopt: the attribute must be given. The default of slice's steps is the empty list, which stands for
// all 1.
std::optional<AttrValue> default_value(OpKind op, AttrKey key);

}  // namespace foretell::ir
