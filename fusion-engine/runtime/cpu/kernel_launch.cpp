// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernel_launch.hpp"

#include <array>

namespace foretell::runtime::cpu {
namespace {

// The call with no more inputs than it has: what travels to the workers is what enqueueing costs.
template <std::size_t kInputs>
class KernelWork {
 public:
  KernelWork(const CpuKernel& kernel, const KernelCall& call) : kernel_(&kernel), rest_(call) {
    for (std::size_t i = 0; i < kInputs; ++i) {
      inputs_[i] = call.inputs[i];
    }
  }

  void operator()(const Lane& lane) const {
    KernelCall call = rest_.call();
    for (std::size_t i = 0; i < kInputs; ++i) {
      call.inputs[i] = inputs_[i];
    }
    call.input_count = kInputs;
    const int stages = kernel_->stages(call);
    for (int stage = 0; stage < stages; ++stage) {
      if (stage > 0) {
        lane.barrier();
      }
      const std::int64_t units = kernel_->units(call, stage);
      const std::int64_t begin = lane.begin(units);
      const std::int64_t end = lane.end(units);
      if (begin < end) {
        kernel_->run(call, stage, begin, end);
      }
    }
  }

 private:
  struct Rest {
    explicit Rest(const KernelCall& from)
        : op(from.op),
          attributes(from.attributes),
          output(from.output),
          stream_output(from.stream_output),
          scratch(from.scratch),
          error(from.error) {}
    KernelCall call() const {
      KernelCall to;
      to.op = op;
      to.attributes = attributes;
      to.output = output;
      to.stream_output = stream_output;
      to.scratch = scratch;
      to.error = error;
      return to;
    }
    ir::OpKind op;
    const ir::Attributes* attributes;
    Tensor output;
    bool stream_output;
    std::byte* scratch;
    std::int64_t* error;
  };

  const CpuKernel* kernel_;
  Rest rest_;
  std::array<Tensor, kInputs> inputs_;
};

}  // namespace

void launch_kernel(Stream& stream, const CpuKernel& kernel, const KernelCall& call) {
  static_assert(kMaxKernelInputs == 4);
  switch (call.input_count) {
    case 0: return stream.launch(KernelWork<0>(kernel, call));
    case 1: return stream.launch(KernelWork<1>(kernel, call));
    case 2: return stream.launch(KernelWork<2>(kernel, call));
    case 3: return stream.launch(KernelWork<3>(kernel, call));
    default: return stream.launch(KernelWork<4>(kernel, call));
  }
}

}  // namespace foretell::runtime::cpu
