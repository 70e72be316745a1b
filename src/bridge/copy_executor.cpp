// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/copy_executor.hpp"

#include "src/base/check.hpp"

namespace foretell::bridge {
namespace {

class CopyExecutor final : public runtime::Executor {
 public:
  CopyExecutor(probe::CopyKind kind, runtime::cpu::CpuDevice& device, const CopyBuffers& buffers)
      : kind_(kind), device_(device), buffers_(buffers) {}

  std::string_view name() const override { return probe::to_string(kind_); }
  Result<void> step() override {
    probe::launch_copy(*device_.stream, kind_, buffers_.to(), buffers_.from(), buffers_.size_bytes());
    return {};
  }
  Result<void> synchronize() override {
    device_.stream->synchronize();
    return {};
  }
  ir::HostTensor output(std::size_t index) const override {
    FORETELL_CHECK(index < output_count());
    return {};
  }
  runtime::StepCounters counters() const override {
    runtime::StepCounters counters;
    counters.dispatches = counters.launches = 1;
    counters.bytes_read = counters.bytes_written = buffers_.size_bytes();
    return counters;
  }
  Result<std::vector<runtime::OpTime>> time_ops() override { return std::vector<runtime::OpTime>(); }

 private:
  static constexpr std::size_t output_count() { return 0; }

  probe::CopyKind kind_;
  runtime::cpu::CpuDevice& device_;
  const CopyBuffers& buffers_;
};

}  // namespace

CopyBuffers::CopyBuffers(runtime::cpu::CpuDevice& device, std::int64_t size_bytes)
    : device_(device),
      size_bytes_(size_bytes),
      from_(device.allocator->allocate(static_cast<std::size_t>(size_bytes))),
      to_(device.allocator->allocate(static_cast<std::size_t>(size_bytes))) {
  // reading fresh memory would map one page of zeros again and again
  probe::launch_copy(*device.stream, probe::CopyKind::Plain, from_, to_, size_bytes);
  probe::launch_copy(*device.stream, probe::CopyKind::Plain, to_, from_, size_bytes);
  device.stream->synchronize();
}

CopyBuffers::~CopyBuffers() {
  device_.stream->synchronize();
  device_.allocator->release(from_, static_cast<std::size_t>(size_bytes_));
  device_.allocator->release(to_, static_cast<std::size_t>(size_bytes_));
}

std::unique_ptr<runtime::Executor> make_copy_executor(probe::CopyKind kind, runtime::cpu::CpuDevice& device,
                                                      const CopyBuffers& buffers) {
  return std::make_unique<CopyExecutor>(kind, device, buffers);
}

}  // namespace foretell::bridge
