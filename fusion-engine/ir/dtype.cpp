// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/dtype.hpp"

#include <algorithm>
#include <array>

namespace foretell::ir {
namespace {

// Unit roundoff is 2^-p with p the precision in bits, the implicit one included.
constexpr std::array kTypes{
    DTypeInfo{DType::F32, "f32", 4, DType::F32, 0x1p-24},
    DTypeInfo{DType::F64, "f64", 8, DType::F64, 0x1p-53},
    DTypeInfo{DType::BF16, "bf16", 2, DType::F32, 0x1p-8},
    DTypeInfo{DType::F16, "f16", 2, DType::F32, 0x1p-11},
    DTypeInfo{DType::I32, "i32", 4, DType::I32, 0.0},
    DTypeInfo{DType::I64, "i64", 8, DType::I64, 0.0},
    DTypeInfo{DType::Bool, "bool", 1, DType::Bool, 0.0},
};

}  // namespace

const DTypeInfo& info(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)]; }

std::optional<DType> find_dtype(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &DTypeInfo::name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->dtype);
}

}  // namespace foretell::ir
