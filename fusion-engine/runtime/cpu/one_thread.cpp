// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/one_thread.hpp"

#include <dlfcn.h>

namespace foretell::runtime::cpu {
namespace {

// Looked up rather than linked: which OpenMP runtime there is, if any, is the matrix library's choice.
struct OpenMp {
  int (*max_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
};
const OpenMp& open_mp() {
  static const OpenMp kFunctions{
      .max_threads = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_max_threads")),
      .set_threads = reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"))};
  return kFunctions;
}

}  // namespace

OneThread::OneThread() {
  if (open_mp().max_threads != nullptr && open_mp().set_threads != nullptr) {
    before_ = open_mp().max_threads();
    open_mp().set_threads(1);  // of this thread only (OpenMP 5.2, section 2.2: nthreads-var is per task)
  }
}

OneThread::~OneThread() {
  if (before_ > 0) {
    open_mp().set_threads(before_);
  }
}

}  // namespace foretell::runtime::cpu
