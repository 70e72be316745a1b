// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernel_launch.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "src/base/check.hpp"

namespace foretell::runtime::cpu {
namespace {

void lay_out(const CpuKernel& kernel, KernelCall& call, std::span<std::byte> layout) {
  if (kernel.lay_out != nullptr) {
    kernel.lay_out(call, layout.data());
    call.layout = layout.data();
  }
}

void run_kernel(const CpuKernel& kernel, const KernelCall& call, const Lane& lane) {
  const int stages = kernel.stages(call);
  for (int stage = 0; stage < stages; ++stage) {
    if (stage > 0) {
      lane.barrier();
    }
    const std::int64_t units = kernel.units(call, stage);
    const std::int64_t begin = lane.begin(units);
    const std::int64_t end = lane.end(units);
    if (begin < end) {
      kernel.run(call, stage, begin, end);
    }
  }
}

// The call with no more inputs than it has: what travels to the workers is what enqueueing costs.
template <std::size_t kInputs>
class KernelWork {
 public:
  KernelWork(const CpuKernel& kernel, const KernelCall& call)
      : kernel_(&kernel), head_(static_cast<const KernelHead&>(call)) {
    std::copy_n(call.inputs.begin(), kInputs, inputs_.begin());
  }

  void operator()(const Lane& lane) const {
    KernelCall call{head_, {}};
    std::ranges::copy(inputs_, call.inputs.begin());
    run_kernel(*kernel_, call, lane);
  }

 private:
  const CpuKernel* kernel_;
  KernelHead head_;
  std::array<Tensor, kInputs> inputs_;
};

// The same of one input, with the kernel's layout.
class LaidOutWork {
 public:
  LaidOutWork(const CpuKernel& kernel, const KernelCall& call)
      : kernel_(&kernel), head_(static_cast<const KernelHead&>(call)), input_(call.inputs[0]) {
    std::copy_n(call.layout, kMaxLayoutBytes, layout_.begin());
  }

  void operator()(const Lane& lane) const {
    KernelCall call{head_, {input_}};
    call.layout = layout_.data();
    run_kernel(*kernel_, call, lane);
  }

 private:
  const CpuKernel* kernel_;
  KernelHead head_;
  Tensor input_;
  alignas(16) std::array<std::byte, kMaxLayoutBytes> layout_;
};

// A call of which nothing is left to be worked out: what a recording keeps.
struct RecordedWork {
  void (*run)(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end) = nullptr;
  int stages = 0;
  std::array<std::int64_t, kMaxKernelStages> units{};
  KernelCall call;
  alignas(16) std::array<std::byte, kMaxLayoutBytes> layout;

  void operator()(const Lane& lane) const {
    for (int stage = 0; stage < stages; ++stage) {
      if (stage > 0) {
        lane.barrier();
      }
      const std::int64_t of_stage = units[static_cast<std::size_t>(stage)];
      const std::int64_t begin = lane.begin(of_stage);
      const std::int64_t end = lane.end(of_stage);
      if (begin < end) {
        run(call, stage, begin, end);
      }
    }
  }
};

void record(Recording& recording, const CpuKernel& kernel, const KernelCall& call) {
  RecordedWork work{.run = kernel.run, .stages = kernel.stages(call), .call = call};
  FORETELL_CHECK(work.stages <= kMaxKernelStages);
  for (int stage = 0; stage < work.stages; ++stage) {
    work.units[static_cast<std::size_t>(stage)] = kernel.units(call, stage);
  }
  RecordedWork& recorded = recording.add(work);
  if (call.layout != nullptr) {
    std::copy_n(call.layout, kMaxLayoutBytes, recorded.layout.begin());
    recorded.call.layout = recorded.layout.data();
  }
}

void launch(Stream& stream, const CpuKernel& kernel, const KernelCall& call) {
  static_assert(kMaxKernelInputs == 5);
  if (stream.recording() != nullptr) {
    return record(*stream.recording(), kernel, call);
  }
  if (call.layout != nullptr) {
    return stream.launch(LaidOutWork(kernel, call));
  }
  switch (call.input_count) {
    case 0: return stream.launch(KernelWork<0>(kernel, call));
    case 1: return stream.launch(KernelWork<1>(kernel, call));
    case 2: return stream.launch(KernelWork<2>(kernel, call));
    case 3: return stream.launch(KernelWork<3>(kernel, call));
    case 4: return stream.launch(KernelWork<4>(kernel, call));
    default: return stream.launch(KernelWork<5>(kernel, call));
  }
}

}  // namespace

void run_kernel(const CpuKernel& kernel, KernelCall& call) {
  alignas(16) std::array<std::byte, kMaxLayoutBytes> layout;
  lay_out(kernel, call, layout);
  FORETELL_CHECK(kernel.scratch_bytes(call) == 0);
  run_kernel(kernel, call, Lane{});
}

void launch_kernel(CpuDevice& device, const CpuKernel& kernel, KernelCall& call) {
  alignas(16) std::array<std::byte, kMaxLayoutBytes> layout;
  lay_out(kernel, call, layout);
  const auto scratch_bytes = static_cast<std::size_t>(kernel.scratch_bytes(call));
  if (scratch_bytes > 0) {
    call.scratch = device.allocator->allocate(scratch_bytes);
  }
  launch(*device.stream, kernel, call);
  if (scratch_bytes > 0) {
    device.allocator->release(call.scratch, scratch_bytes);
  }
}

}  // namespace foretell::runtime::cpu
