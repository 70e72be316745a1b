// SPDX-License-Identifier: Apache-2.0
// Kernel names for people: mangling noise, namespaces and template arguments left out.
#pragma once

#include <string>
#include <string_view>

namespace foretell::timeline {

// "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ...>" -> "add";
// "ampere_sgemm_128x64_nn" stays.
std::string short_kernel_name(std::string_view name);

}  // namespace foretell::timeline
