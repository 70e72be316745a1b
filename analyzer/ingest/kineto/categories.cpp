// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/categories.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "src/base/text.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::ApiKind;
using profile::CompileKind;

struct CategoryName {
  std::string_view text;
  Category category;
};
constexpr std::array kCategories{
    CategoryName{"cpu_op", Category::CpuOp},
    CategoryName{"operator", Category::CpuOp},  // until 2022
    CategoryName{"user_annotation", Category::UserAnnotation},
    CategoryName{"python_function", Category::PythonFunction},
    CategoryName{"cuda_runtime", Category::Runtime},  // ROCm says so too
    CategoryName{"hip_runtime", Category::Runtime},
    CategoryName{"privateuse1_runtime", Category::Runtime},
    CategoryName{"runtime", Category::Runtime},  // until 2022
    CategoryName{"cuda_driver", Category::Driver},
    CategoryName{"hip_driver", Category::Driver},
    CategoryName{"driver", Category::Driver},
    CategoryName{"privateuse1_driver", Category::Driver},
    CategoryName{"kernel", Category::Kernel},
    CategoryName{"gpu_memcpy", Category::Memcpy},
    CategoryName{"memcpy", Category::Memcpy},
    CategoryName{"gpu_memset", Category::Memset},
    CategoryName{"memset", Category::Memset},
    CategoryName{"cuda_sync", Category::Sync},
    CategoryName{"hip_sync", Category::Sync},
    CategoryName{"gpu_user_annotation", Category::DeviceAnnotation},
    CategoryName{"overhead", Category::Overhead},
    CategoryName{"cuda_profiler_range", Category::CounterRange},
    CategoryName{"trace", Category::Trace},
};

struct AcceleratorPrefix {
  std::string_view prefix;
  std::string_view name;
};
constexpr std::array kAccelerators{
    AcceleratorPrefix{"mtia_", "MTIA"},       AcceleratorPrefix{"xpu_", "Intel XPU"},
    AcceleratorPrefix{"hpu_", "Intel Gaudi"}, AcceleratorPrefix{"npu_", "Ascend NPU"},
    AcceleratorPrefix{"tpu_", "TPU"},         AcceleratorPrefix{"glow_", "Glow"},
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

struct ApiPattern {
  std::string_view part;    // contained in the lower-case name
  std::string_view behind;  // contained behind `part`; may be empty
  ApiKind kind;
};
// First match wins.
constexpr std::array kApiPatterns{
    ApiPattern{"graphlaunch", "", ApiKind::GraphLaunch},
    ApiPattern{"launch", "kernel", ApiKind::KernelLaunch},
    ApiPattern{"culaunchgrid", "", ApiKind::KernelLaunch},  // and cuLaunchGridAsync
    ApiPattern{"synchronize", "", ApiKind::Synchronize},
    ApiPattern{"memcpy", "", ApiKind::Memcpy},
    ApiPattern{"memset", "", ApiKind::Memset},
    ApiPattern{"malloc", "", ApiKind::Allocate},
    ApiPattern{"memalloc", "", ApiKind::Allocate},
    ApiPattern{"hostalloc", "", ApiKind::Allocate},
    ApiPattern{"memfree", "", ApiKind::Free},
    ApiPattern{"cudafree", "", ApiKind::Free},
    ApiPattern{"hipfree", "", ApiKind::Free},
};
// Whole names too short for a pattern.
constexpr std::array<std::string_view, 4> kPlainLaunches{"culaunch", "cudalaunch", "culaunch_ptsz",
                                                         "hiplaunchbyptr"};

struct CompilePattern {
  std::string_view part;
  CompileKind kind;
};
constexpr std::array kCompilePatterns{
    CompilePattern{"Torch-Compiled Region", CompileKind::CompiledRegion},
    CompilePattern{"Call CompiledFxGraph", CompileKind::CompiledRegion},
    CompilePattern{"CompiledFunction", CompileKind::CompiledRegion},
    CompilePattern{"TorchDynamo Cache Lookup", CompileKind::CacheLookup},
    CompilePattern{"Pregraph bytecode", CompileKind::CacheLookup},
    CompilePattern{"CUDAGraphNode.record", CompileKind::Compilation},
    CompilePattern{"_compile.compile_inner", CompileKind::Compilation},
    CompilePattern{"compile_fx_inner", CompileKind::Compilation},
};

}  // namespace

Category category_of(std::string_view text) {
  for (const CategoryName& row : kCategories) {
    if (equals_ignore_case(row.text, text)) {
      return row.category;
    }
  }
  return accelerator_of(text).empty() ? Category::Unknown : Category::UnsupportedAccelerator;
}

std::string_view accelerator_of(std::string_view category) {
  for (const AcceleratorPrefix& row : kAccelerators) {
    if (category.size() > row.prefix.size() &&
        equals_ignore_case(category.substr(0, row.prefix.size()), row.prefix)) {
      return row.name;
    }
  }
  return {};
}

ApiKind api_kind_of(std::string_view name) {
  const std::string lower = lower_case(name);
  if (std::ranges::find(kPlainLaunches, std::string_view(lower)) != kPlainLaunches.end()) {
    return ApiKind::KernelLaunch;
  }
  for (const ApiPattern& row : kApiPatterns) {
    const std::size_t at = lower.find(row.part);
    if (at != std::string::npos && lower.find(row.behind, at + row.part.size()) != std::string::npos) {
      return row.kind;
    }
  }
  return ApiKind::Other;
}

std::optional<CompileKind> compile_kind_of(std::string_view name) {
  for (const CompilePattern& row : kCompilePatterns) {
    if (name.find(row.part) != std::string_view::npos) {
      return row.kind;
    }
  }
  return std::nullopt;
}

}  // namespace foretell::ingest::kineto
