// SPDX-License-Identifier: Apache-2.0
// A primitive of the library (oneDNN) as the stream's workers run it: each on its own thread, several at
// once, over memory that the caller names. For the sources that know the library; its exceptions pass
// through.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "fusion-engine/ir/dtype.hpp"

namespace foretell::runtime::cpu {

// undef for types that the library does not have.
dnnl::memory::data_type library_type(ir::DType dtype);
// Scratch memory is the caller's, since one primitive runs on several threads at once.
dnnl::primitive_attr with_own_scratch();

class LibraryCall {
 public:
  struct Argument {
    int name;  // DNNL_ARG_*
    dnnl::memory::desc layout;
  };
  LibraryCall(const dnnl::primitive& primitive, const dnnl::memory::desc& scratch,
              std::initializer_list<Argument> arguments, const dnnl::engine& engine, int team_size);

  // Memory each run needs, 64-byte aligned.
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  // On the worker `rank`; addresses in the order of the arguments, of which sources are only read.
  void run(int rank, std::initializer_list<const std::byte*> addresses, std::byte* scratch);

 private:
  // What a worker hands to the library: made once, only addresses change. As the C interface takes it, since
  // the other one allocates in each call.
  struct Lane {
    dnnl::stream stream;
    std::vector<dnnl::memory> memories;  // the scratch memory last
    std::vector<dnnl_exec_arg_t> arguments;
  };
  dnnl::primitive primitive_;
  std::size_t scratch_bytes_;
  std::vector<Lane> lanes_;
};

}  // namespace foretell::runtime::cpu
