// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/categories.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace foretell::ingest::kineto {
namespace {

using profile::ApiKind;
using profile::CompileKind;

TEST(Categories, SpellingsOfEveryGeneration) {
  struct Case {
    std::string_view text;
    Category want;
  };
  for (const auto& [text, want] : {
           Case{"cpu_op", Category::CpuOp},
           Case{"Operator", Category::CpuOp},
           Case{"user_annotation", Category::UserAnnotation},
           Case{"python_function", Category::PythonFunction},
           Case{"cuda_runtime", Category::Runtime},
           Case{"Runtime", Category::Runtime},
           Case{"hip_runtime", Category::Runtime},
           Case{"cuda_driver", Category::Driver},
           Case{"kernel", Category::Kernel},
           Case{"Kernel", Category::Kernel},
           Case{"gpu_memcpy", Category::Memcpy},
           Case{"Memcpy", Category::Memcpy},
           Case{"gpu_memset", Category::Memset},
           Case{"Memset", Category::Memset},
           Case{"cuda_sync", Category::Sync},
           Case{"gpu_user_annotation", Category::DeviceAnnotation},
           Case{"overhead", Category::Overhead},
           Case{"cuda_profiler_range", Category::CounterRange},
           Case{"Trace", Category::Trace},
           Case{"mtia_runtime", Category::UnsupportedAccelerator},
           Case{"xpu_driver", Category::UnsupportedAccelerator},
           Case{"something new", Category::Unknown},
           Case{"", Category::Unknown},
           Case{"mtia_", Category::Unknown},
           Case{"kernels", Category::Unknown},
       }) {
    EXPECT_EQ(category_of(text), want) << text;
  }
}

TEST(Categories, AcceleratorsThatAreDeclinedHaveAName) {
  EXPECT_EQ(accelerator_of("mtia_ccp_events"), "MTIA");
  EXPECT_EQ(accelerator_of("xpu_runtime"), "Intel XPU");
  EXPECT_EQ(accelerator_of("cuda_runtime"), "");
}

TEST(Categories, ApiCallsWhateverVendorSuffixOrVersion) {
  struct Case {
    std::string_view name;
    ApiKind want;
  };
  for (const auto& [name, want] : {
           Case{"cudaLaunchKernel", ApiKind::KernelLaunch},
           Case{"cudaLaunchKernel_v7000", ApiKind::KernelLaunch},
           Case{"cudaLaunchKernelExC_v11060", ApiKind::KernelLaunch},
           Case{"cuLaunchKernel", ApiKind::KernelLaunch},
           Case{"cuLaunchKernel_ptsz", ApiKind::KernelLaunch},
           Case{"cuLaunchKernelEx", ApiKind::KernelLaunch},
           Case{"cuLaunchKernelEx_ptsz", ApiKind::KernelLaunch},
           Case{"cuLaunchCooperativeKernel", ApiKind::KernelLaunch},
           Case{"cuLaunchCooperativeKernel_ptsz", ApiKind::KernelLaunch},
           Case{"cudaLaunchCooperativeKernel", ApiKind::KernelLaunch},
           Case{"cuLaunch", ApiKind::KernelLaunch},
           Case{"cuLaunchGrid", ApiKind::KernelLaunch},
           Case{"cuLaunchGridAsync", ApiKind::KernelLaunch},
           Case{"hipLaunchKernel", ApiKind::KernelLaunch},
           Case{"hipExtModuleLaunchKernel", ApiKind::KernelLaunch},
           Case{"hipModuleLaunchKernel", ApiKind::KernelLaunch},
           Case{"cudaGraphLaunch", ApiKind::GraphLaunch},
           Case{"cudaGraphLaunch_v10000", ApiKind::GraphLaunch},
           Case{"cuGraphLaunch", ApiKind::GraphLaunch},
           Case{"hipGraphLaunch", ApiKind::GraphLaunch},
           Case{"cudaLaunchHostFunc", ApiKind::Other},
           Case{"cudaGraphInstantiate", ApiKind::Other},
           Case{"cudaMemcpyAsync", ApiKind::Memcpy},
           Case{"cuMemcpyHtoDAsync_v2", ApiKind::Memcpy},
           Case{"hipMemcpyWithStream", ApiKind::Memcpy},
           Case{"cudaMemsetAsync", ApiKind::Memset},
           Case{"cuMemsetD32Async", ApiKind::Memset},
           Case{"cudaDeviceSynchronize", ApiKind::Synchronize},
           Case{"cudaStreamSynchronize", ApiKind::Synchronize},
           Case{"cudaEventSynchronize", ApiKind::Synchronize},
           Case{"cudaMalloc", ApiKind::Allocate},
           Case{"cudaMallocAsync", ApiKind::Allocate},
           Case{"cudaHostAlloc", ApiKind::Allocate},
           Case{"cuMemAlloc_v2", ApiKind::Allocate},
           Case{"cudaFree", ApiKind::Free},
           Case{"hipFree", ApiKind::Free},
           Case{"cuMemFree_v2", ApiKind::Free},
           Case{"cudaEventRecord", ApiKind::Other},
           Case{"cudaStreamIsCapturing", ApiKind::Other},
           Case{"", ApiKind::Other},
       }) {
    EXPECT_EQ(api_kind_of(name), want) << name;
  }
}

TEST(Categories, CompilerMarkers) {
  EXPECT_EQ(compile_kind_of("Torch-Compiled Region: 0/1"), CompileKind::CompiledRegion);
  EXPECT_EQ(compile_kind_of("TorchDynamo Cache Lookup"), CompileKind::CacheLookup);
  EXPECT_EQ(compile_kind_of("CUDAGraphNode.record (dynamo_timed)"), CompileKind::Compilation);
  EXPECT_EQ(compile_kind_of("aten::mul"), std::nullopt);
}

}  // namespace
}  // namespace foretell::ingest::kineto
