// SPDX-License-Identifier: Apache-2.0
// Memory for the rows at hand, kept by its thread from one command to the next: a step that is repeated
// allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

namespace foretell::runtime::cpu::kernels {

class BlockPool {
 public:
  struct Delete {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{kCacheLine}); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Delete> data;
    std::size_t bytes = 0;
  };

  // The calling thread's.
  static BlockPool& local() {
    thread_local BlockPool pool;
    return pool;
  }

  // The smallest kept block that is large enough, or a new one.
  Block take(std::size_t bytes) {
    auto best = blocks_.end();
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
      if (block->bytes >= bytes && (best == blocks_.end() || block->bytes < best->bytes)) {
        best = block;
      }
    }
    if (best == blocks_.end()) {
      Block made;
      made.data.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kCacheLine})));
      made.bytes = bytes;
      return made;
    }
    Block taken = std::move(*best);
    blocks_.erase(best);
    return taken;
  }
  void give(Block block) {
    if (block.data) {
      blocks_.push_back(std::move(block));
    }
  }

 private:
  std::vector<Block> blocks_;  // nobody uses them
};

}  // namespace foretell::runtime::cpu::kernels
