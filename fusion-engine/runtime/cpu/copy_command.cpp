// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/copy_command.hpp"

#include <cstring>

#include "fusion-engine/runtime/cpu/kernel.hpp"

namespace foretell::runtime::cpu {
namespace {

struct CopyCommand {
  KernelCall call;
  void operator()(const Lane& lane) const {
    const CpuKernel& kernel = copy_kernel();
    for (int stage = 0; stage < kernel.stages(call); ++stage) {
      if (stage > 0) {
        lane.barrier();
      }
      const std::int64_t units = kernel.units(call, stage);
      kernel.run(call, stage, lane.begin(units), lane.end(units));
    }
  }
};

}  // namespace

void launch_copy(Stream& stream, const Tensor& from, std::byte* to, bool past_caches) {
  KernelCall call{.op = ir::OpKind::Reshape};
  call.inputs[0] = from;
  call.input_count = 1;
  call.output = from;
  call.output.data = to;
  call.output.strides = ir::dense_strides(from.shape);
  call.stream_output = past_caches;
  stream.launch(CopyCommand{call});
}

ir::HostTensor copy_to_host(const Tensor& from) {
  ir::HostTensor result = ir::make_tensor({.dtype = from.dtype, .shape = from.shape});
  if (from.is_dense()) {
    std::memcpy(result.bytes.data(), from.data, result.bytes.size());
    return result;
  }
  const auto size = static_cast<std::int64_t>(ir::size_bytes(from.dtype));
  for (std::int64_t i = 0; i < from.elements(); ++i) {
    std::int64_t rest = i;
    std::int64_t element = 0;
    for (std::size_t axis = from.shape.rank(); axis-- > 0;) {
      element += rest % from.shape[axis] * from.strides[axis];
      rest /= from.shape[axis];
    }
    std::memcpy(result.bytes.data() + i * size, from.data + element * size, static_cast<std::size_t>(size));
  }
  return result;
}

}  // namespace foretell::runtime::cpu
