// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_geometry.hpp"

#include <gtest/gtest.h>

namespace foretell::whatif {
namespace {

struct Case {
  std::string_view name;
  double threads;
  double per_block;  // bytes; 0: no such kernel
};

constexpr Case kCases[] = {
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "at::detail::Array<char*, 3> >(int)",
     64, 64 * 4 * 12},
    {"void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, 3ul> >(int)",
     256, 256 * 16 * 6},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<long>, std::array<char*, "
     "1ul> >",
     128, 128 * 8 * 8},
    {"void at::native::vectorized_elementwise_kernel<4, "
     "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, "
     "2ul> >",
     128, 128 * 8 * 6},
    {"void "
     "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)"
     "::{lambda()#3}::operator()() const::{lambda(double)#1}, at::detail::Array<char*, 2> >",
     64, 64 * 4 * 16},
    {"void at::native::elementwise_kernel<128, 2, "
     "at::native::gpu_kernel_impl<at::native::BinaryFunctor<float, "
     "float, float, at::native::binary_internal::MulFunctor<float> > "
     ">(at::TensorIteratorBase&)::{lambda(int)#1}>",
     128, 128 * 2 * 12},
    {"void at::native::elementwise_kernel_manual_unroll<128, 8, at::native::gpu_kernel_impl_nocast<"
     "at::native::where_kernel_impl(at::TensorIterator&)::{lambda()#1}::operator()() const::{lambda(bool, "
     "c10::BFloat16, c10::BFloat16)#1}>",
     128, 128 * 8 * 7},
    {"void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<float>", 128, 0},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >", 512, 0},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::f()::{lambda(", 128, 0},
    {"void at::native::elementwise_kernel<", 128, 0},
    {"volta_sgemm_64x64_nt", 128, 0},
    {"", 128, 0},
};

TEST(KernelGeometry, BytesOfOneBlock) {
  for (const Case& each : kCases) {
    EXPECT_EQ(bound_bytes(read_elementwise_traits(each.name), 1, each.threads), each.per_block) << each.name;
  }
}

TEST(KernelGeometry, NoBlocksNoBytes) {
  const ElementwiseTraits traits = read_elementwise_traits(kCases[0].name);
  EXPECT_EQ(bound_bytes(traits, 0, 64), 0);
  EXPECT_EQ(bound_bytes(traits, -1, 64), 0);
  EXPECT_EQ(bound_bytes(traits, 10, 64), 10 * 64 * 4 * 12);
}

}  // namespace
}  // namespace foretell::whatif
