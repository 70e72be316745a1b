// SPDX-License-Identifier: Apache-2.0
// A generated kernel as a command of the stream.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fusion-engine/codegen/kernel.hpp"
#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::runtime::cpu {

struct StageCall {
  codegen::KernelEntry entry = nullptr;
  std::int64_t units = 0;
};

// Stages one after the other; within one, each lane takes its share of the units.
inline void run_stages(std::span<const StageCall> stages, void* const* buffers, const Lane& lane) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (i > 0) {
      lane.barrier();
    }
    const std::int64_t begin = lane.begin(stages[i].units);
    const std::int64_t end = lane.end(stages[i].units);
    if (begin < end) {
      stages[i].entry(buffers, begin, end);
    }
  }
}

// Launches a kernel over addresses that change from step to step. They travel in the command; a kernel with
// more of them than a command holds keeps them here, and waits for its last run before it is launched again.
class KernelCommand {
 public:
  explicit KernelCommand(std::vector<StageCall> stages, std::size_t buffers)
      : stages_(std::move(stages)), buffers_(buffers) {}

  // To be filled before each launch: inputs, outputs, scratch.
  std::span<void*> buffers() { return buffers_; }

  void launch(Stream& stream) {
    if (buffers_.size() <= kFew) {
      stream.launch(copy_into<kFew>());
    } else if (buffers_.size() <= kMany) {
      stream.launch(copy_into<kMany>());
    } else {
      stream.wait(last_);
      kept_ = buffers_;
      stream.launch(ByReference{.stages = stages_, .buffers = kept_.data()});
      last_ = stream.record();
    }
  }

 private:
  template <std::size_t N>
  struct ByValue {
    std::span<const StageCall> stages;
    std::array<void*, N> buffers;
    void operator()(const Lane& lane) const { run_stages(stages, buffers.data(), lane); }
  };
  struct ByReference {
    std::span<const StageCall> stages;
    void* const* buffers;
    void operator()(const Lane& lane) const { run_stages(stages, buffers, lane); }
  };
  // A command's payload is copied as a whole, and most kernels have few buffers: those that fit two lines of
  // the cache with all of the command.
  static constexpr std::size_t kFew =
      (128 - Stream::kHeadBytes - sizeof(std::span<const StageCall>)) / sizeof(void*);
  static constexpr std::size_t kMany =
      (Stream::kPayloadBytes - sizeof(std::span<const StageCall>)) / sizeof(void*);

  template <std::size_t N>
  ByValue<N> copy_into() const {
    ByValue<N> work{.stages = stages_, .buffers = {}};
    std::ranges::copy(buffers_, work.buffers.begin());
    return work;
  }

  std::vector<StageCall> stages_;
  std::vector<void*> buffers_;
  std::vector<void*> kept_;
  Event last_;
};

}  // namespace foretell::runtime::cpu
