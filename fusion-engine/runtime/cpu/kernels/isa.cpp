// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernels/isa.hpp"

#include <string_view>

#include "fusion-engine/ir/op_table.hpp"
#include "fusion-engine/runtime/cpu/kernel.hpp"

namespace foretell::runtime::cpu::kernels {

namespace baseline {
const Isa& table();
}
#if defined(__x86_64__)
namespace avx2 {
const Isa& table();
}
namespace avx512 {
const Isa& table();
}
#endif

#define FORETELL_ELEMENTWISE(kind, ...) \
  static_assert(static_cast<int>(Row::kind) == static_cast<int>(ir::OpKind::kind));
#include "fusion-engine/ir/op_rows.inc"
static_assert(static_cast<int>(Element::F32) == static_cast<int>(ir::DType::F32) &&
              static_cast<int>(Element::F64) == static_cast<int>(ir::DType::F64) &&
              static_cast<int>(Element::BF16) == static_cast<int>(ir::DType::BF16) &&
              static_cast<int>(Element::F16) == static_cast<int>(ir::DType::F16) &&
              static_cast<int>(Element::I32) == static_cast<int>(ir::DType::I32) &&
              static_cast<int>(Element::I64) == static_cast<int>(ir::DType::I64) &&
              static_cast<int>(Element::Bool) == static_cast<int>(ir::DType::Bool));

const Isa* isa_at(int index) {
#if defined(__x86_64__)
  // What x86-64-v3 and -v4 let the compiler use, as far as compilers do so in vector code.
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                        __builtin_cpu_supports("f16c");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  switch (index) {
    case 0: return has_avx512 ? &avx512::table() : (has_avx2 ? &avx2::table() : &baseline::table());
    case 1: return has_avx512 ? &avx2::table() : (has_avx2 ? &baseline::table() : nullptr);
    case 2: return has_avx512 ? &baseline::table() : nullptr;
    default: return nullptr;
  }
#else
  return index == 0 ? &baseline::table() : nullptr;
#endif
}

const Isa& isa() {
  static const Isa& best = *isa_at(0);
  return best;
}

}  // namespace foretell::runtime::cpu::kernels

namespace foretell::runtime::cpu {

std::string_view kernel_isa() { return kernels::isa().name; }
int kernel_vector_bytes() { return kernels::isa().vector_bytes; }

}  // namespace foretell::runtime::cpu
