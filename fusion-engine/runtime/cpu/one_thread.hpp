// SPDX-License-Identifier: Apache-2.0
// Makes OpenMP, if the process has it loaded, run parallel regions of this thread without threads of its own.
#pragma once

namespace foretell::runtime::cpu {

class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace foretell::runtime::cpu
