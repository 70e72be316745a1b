// SPDX-License-Identifier: Apache-2.0
// Bytes that an elementwise kernel of ATen can move at most, from its name and its launch geometry:
//   vectorized_elementwise_kernel<4, FUNCTOR, std::array<char*, 3ul> >   three tensors
//   elementwise_kernel<128, 2, gpu_kernel_impl<FUNCTOR> >                two elements a thread
// An upper bound: the last block may be part empty, and tensors are taken as large as the result.
#pragma once

#include <string_view>

namespace foretell::whatif {

struct ElementwiseTraits {
  double elements_per_thread = 0;  // 0: take threads_per_block x kElementsPerThreadOfBlock
  double bytes_per_element = 0;    // of all tensors; 0: not such a kernel
};
ElementwiseTraits read_elementwise_traits(std::string_view kernel_name);

double bound_bytes(const ElementwiseTraits& traits, double blocks, double threads_per_block);

}  // namespace foretell::whatif
