// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/kernel_class.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>

#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::ActivityKind;

struct Labelled {
  KernelClass kernel_class;
  std::string_view name;
};

constexpr Labelled kRecorded[] = {
#include "analyzer/timeline/kernel_class_names.inc"
};

TEST(KernelClass, RecordedNamesGetTheClassGivenByHand) {
  ASSERT_GE(std::size(kRecorded), 200U);
  for (const Labelled& each : kRecorded) {
    EXPECT_EQ(to_string(classify_kernel(each.name)), to_string(each.kernel_class)) << each.name;
  }
}

// Names that no recorded trace at hand holds, or that only one rule keeps apart.
constexpr Labelled kConfusable[] = {
    {KernelClass::Gemm, "triton_tem_fused_addmm_relu_3"},
    {KernelClass::Attention, "triton_tem_fused_flex_attention_0"},
    {KernelClass::Fused, "triton_poi_fused_all_reduce_add_0"},
    {KernelClass::Fused, "triton_per_fused__softmax_bmm_4"},
    {KernelClass::Fused, "nvfuser_pointwise_f0_c1_r0_g0"},
    {KernelClass::Fused, "loop_add_fusion_12"},
    {KernelClass::Fused, "input_reduce_fusion"},
    {KernelClass::Gemm, "gemm_fusion_dot_7"},
    {KernelClass::Attention, "_attn_fwd"},
    {KernelClass::Attention, "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::Params)"},
    {KernelClass::Attention,
     "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<...> > >"},
    {KernelClass::Gemm, "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<...> >(Params)"},
    {KernelClass::Elementwise, "void apply<ncclDevComm>(silu_kernel)"},
    {KernelClass::Communication, "_Z29ncclKernel_AllReduce_RING_LL_Sum_bf16P11ncclDevComm"},
    {KernelClass::Communication, "void rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)"},
    {KernelClass::Communication, "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)"},
    {KernelClass::Gather, "void embedding_bag_kernel<float>(long*, float*)"},
    {KernelClass::Elementwise, "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)"},
    {KernelClass::Optimizer, "void at::native::fused_adam_kernel<float>(float*)"},
    {KernelClass::Gather, "void vllm::moe::moe_align_block_size_kernel<int>(int*)"},
    {KernelClass::Gemm, "fused_moe_kernel"},
    {KernelClass::Copy, "per_token_group_quant_8bit_kernel"},
    {KernelClass::Unknown, ""},
    {KernelClass::Unknown, "void "},
    {KernelClass::Unknown, "_ZN"},
    {KernelClass::Unknown, "_Z12"},
    {KernelClass::Unknown, "my_kernel(float*)"},
};

TEST(KernelClass, ConfusableNames) {
  for (const Labelled& each : kConfusable) {
    EXPECT_EQ(to_string(classify_kernel(each.name)), to_string(each.kernel_class)) << each.name;
  }
}

TEST(KernelClass, CaseAndTextFarBehindDoNotMatter) {
  EXPECT_EQ(classify_kernel("AMPERE_SGEMM_128X64_NN"), KernelClass::Gemm);
  EXPECT_EQ(classify_kernel("my_kernel<" + std::string(4096, 'x') + "gemm>"), KernelClass::Unknown);
}

TEST(KernelClass, CopiesAndSetsAreClassedByTheirKindOfRecord) {
  const auto profile = TestProfile()
                           .kernel(0, 5, 1, "gemm", 7, ActivityKind::Kernel)
                           .kernel(10, 5, 2, "gemm", 7, ActivityKind::Memcpy)
                           .kernel(20, 5, 3, "gemm", 7, ActivityKind::Memset)
                           .kernel(30, 5, 4, "gemm", 7, ActivityKind::Sync)
                           .kernel(40, 5, 5, "gemm", 7, ActivityKind::Kernel)
                           .finish();
  const Column<KernelClass> classes = classify_activities(profile);
  ASSERT_EQ(classes.size(), 5U);
  EXPECT_EQ(classes[0], KernelClass::Gemm);
  EXPECT_EQ(classes[1], KernelClass::Copy);
  EXPECT_EQ(classes[2], KernelClass::Fill);
  EXPECT_EQ(classes[3], KernelClass::Unknown);
  EXPECT_EQ(classes[4], KernelClass::Gemm);
}

TEST(KernelClass, EveryClassHasItsOwnName) {
  std::set<std::string_view> names;
  for (std::size_t each = 0; each < kKernelClasses; ++each) {
    names.insert(to_string(static_cast<KernelClass>(each)));
  }
  EXPECT_EQ(names.size(), kKernelClasses);
}

TEST(KernelClass, NoKernelIsBothALibrarysAndFusible) {
  std::size_t fusible = 0;
  for (std::size_t each = 0; each < kKernelClasses; ++each) {
    const auto kernel_class = static_cast<KernelClass>(each);
    fusible += is_fusible(kernel_class) ? 1 : 0;
    EXPECT_FALSE(is_fusible(kernel_class) && is_compute_library(kernel_class)) << to_string(kernel_class);
  }
  EXPECT_EQ(fusible, 7U);
  EXPECT_TRUE(is_compute_library(KernelClass::Gemm));
  EXPECT_TRUE(is_compute_library(KernelClass::Attention));
  EXPECT_FALSE(is_fusible(KernelClass::Communication));
}

}  // namespace
}  // namespace foretell::timeline
