// SPDX-License-Identifier: Apache-2.0
// What one call of an op must move and compute, from its recorded arguments: a table of ops with a rule each
// (op_work.cpp). Bytes are those of inputs and outputs once each, whatever the kernels cache or read twice: a
// lower bound of the traffic.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/timeline/kernel_class.hpp"
#include "analyzer/whatif/op_shapes.hpp"

namespace foretell::whatif {

struct OpWork {
  double bytes = 0;              // 0: unknown
  double flops = 0;              // 0: unknown, or not counted
  DType dtype = DType::Unknown;  // of the first operand
  bool of_library_only = false;  // belongs to the op's gemm and attention kernels alone
};

// `kernel_class` decides where the table does not name the op; `fallback` is taken for tensors without a
// recorded type. Flops are counted for matrix products, convolutions and attention only.
OpWork compute_op_work(std::string_view op, const std::vector<Argument>& arguments,
                       timeline::KernelClass kernel_class, DType fallback);

}  // namespace foretell::whatif
