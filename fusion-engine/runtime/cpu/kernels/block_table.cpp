// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernels/block_tables.hpp"

namespace foretell::runtime::cpu::kernels::FORETELL_ISA {

const Isa& table() {
  static Isa isa;  // zeros before it is filled
  static const bool filled = [] {
    isa.name = kVectorBytes == 64 ? "avx512" : (kVectorBytes == 32 ? "avx2" : "sse2");
    isa.vector_bytes = kVectorBytes;
    fill_casts(isa);
    fill_elementwise(isa);
    fill_gradients(isa);
    fill_random(isa);
    fill_reductions(isa);
    fill_rows(isa);
    return true;
  }();
  (void)filled;
  return isa;
}

}  // namespace foretell::runtime::cpu::kernels::FORETELL_ISA
