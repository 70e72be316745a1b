// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/copy_command.hpp"

#include "fusion-engine/runtime/cpu/kernel_launch.hpp"
#include "src/base/check.hpp"

namespace foretell::runtime::cpu {

KernelCall copy_call(const Tensor& from, const Tensor& to, bool past_caches) {
  FORETELL_CHECK(from.dtype == to.dtype && from.shape == to.shape);
  KernelCall call;
  call.op = ir::OpKind::Reshape;
  call.inputs[0] = from;
  call.input_count = 1;
  call.output = to;
  call.stream_output = past_caches;
  return call;
}

void launch_copy(CpuDevice& device, const Tensor& from, std::byte* to, bool past_caches) {
  KernelCall call = copy_call(from, dense_tensor(to, from.dtype, from.shape), past_caches);
  launch_kernel(device, copy_kernel(), call);
}

ir::HostTensor copy_to_host(const Tensor& from) {
  ir::HostTensor result = ir::make_tensor({.dtype = from.dtype, .shape = from.shape});
  const Tensor to = dense_tensor(result.bytes.data(), from.dtype, from.shape);
  KernelCall call = copy_call(from, to, false);
  run_kernel(copy_kernel(), call);
  return result;
}

}  // namespace foretell::runtime::cpu
