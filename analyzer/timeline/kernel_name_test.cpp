// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/kernel_name.hpp"

#include <gtest/gtest.h>

namespace foretell::timeline {
namespace {

struct NameCase {
  std::string_view name, want;
};

TEST(ShortKernelName, KeepsWhatTheKernelDoes) {
  for (const NameCase& row : {
           NameCase{"void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::CUDAFunctor_add<c10::BFloat16>, "
                    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>)",
                    "add"},
           NameCase{"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
                    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int)",
                    "direct_copy"},
           NameCase{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                    "at::native::MeanOps<float> > >()",
                    "MeanOps"},
           NameCase{
               "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
               "namespace)::TensorListMetadata<2>, at::native::(anonymous "
               "namespace)::BinaryOpScalarFunctor<float> >",
               "BinaryOpScalar"},
           NameCase{"void (anonymous namespace)::softmax_warp_forward<float, float, 8>(float*)",
                    "softmax_warp_forward"},
           NameCase{"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
           NameCase{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)",
                    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"},
           NameCase{"void at::native::vectorized_elementwise_kernel<4>", "vectorized_elementwise_kernel"},
           NameCase{"<", "<"},
           NameCase{"", ""},
       }) {
    EXPECT_EQ(short_kernel_name(row.name), row.want) << row.name;
  }
}

}  // namespace
}  // namespace foretell::timeline
