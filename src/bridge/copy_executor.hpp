// SPDX-License-Identifier: Apache-2.0
// A copy as a variant: measured in turn with the others, by the same team, it is what their bytes are
// compared with.
#pragma once

#include <memory>

#include "fusion-engine/probe/copy.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "fusion-engine/runtime/executor.hpp"

namespace foretell::bridge {

// Memory that copies go between: 64-byte aligned, its pages first touched by the device's workers.
class CopyBuffers {
 public:
  CopyBuffers(runtime::cpu::CpuDevice& device, std::int64_t size_bytes);
  ~CopyBuffers();
  CopyBuffers(const CopyBuffers&) = delete;
  CopyBuffers& operator=(const CopyBuffers&) = delete;

  std::byte* from() const { return from_; }
  std::byte* to() const { return to_; }
  std::int64_t size_bytes() const { return size_bytes_; }

 private:
  runtime::cpu::CpuDevice& device_;
  std::int64_t size_bytes_;
  std::byte* from_;
  std::byte* to_;
};

// A step is one copy. It has no outputs. Device and buffers outlive it.
std::unique_ptr<runtime::Executor> make_copy_executor(probe::CopyKind kind, runtime::cpu::CpuDevice& device,
                                                      const CopyBuffers& buffers);

}  // namespace foretell::bridge
