// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/conversion.hpp"

#include <algorithm>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/copy_command.hpp"
#include "fusion-engine/runtime/cpu/kernel_launch.hpp"

namespace foretell::runtime::cpu {
namespace {

// The attributes of a cast to `dtype`; commands point to them.
const ir::Attributes& cast_to(ir::DType dtype) {
  static const std::array<ir::Attributes, std::size(ir::kAllDTypes)> kCasts = [] {
    std::array<ir::Attributes, std::size(ir::kAllDTypes)> casts;
    for (const ir::DType each : ir::kAllDTypes) {
      casts[static_cast<std::size_t>(each)] = ir::Attributes{{ir::AttrKey::To, each}};
    }
    return casts;
  }();
  return kCasts[static_cast<std::size_t>(dtype)];
}

}  // namespace

Tensor launch_conversion(CpuDevice& device, const Tensor& from, ir::DType dtype, std::byte* to,
                         StepCounters& counters) {
  const Tensor result = dense_tensor(to, dtype, from.shape);
  const bool past_caches = device.streams(result.size_bytes());
  if (dtype == from.dtype) {
    launch_copy(device, from, to, past_caches);
  } else {
    KernelCall call;
    call.op = ir::OpKind::Cast;
    call.attributes = &cast_to(dtype);
    call.inputs[0] = from;
    call.input_count = 1;
    call.output = result;
    call.stream_output = past_caches;
    launch_kernel(device, *find_kernel(call.op), call);
  }
  ++counters.launches;
  counters.bytes_read += bytes_read(from);
  counters.bytes_written += result.size_bytes();
  counters.bytes_converted += dtype == from.dtype ? 0 : bytes_read(from) + result.size_bytes();
  return result;
}

void launch_zeros(CpuDevice& device, const Tensor& to) {
  device.stream->launch([data = to.data, size = to.size_bytes()](const Lane& lane) {
    std::fill(data + lane.begin(size), data + lane.end(size), std::byte{0});
  });
}

}  // namespace foretell::runtime::cpu
