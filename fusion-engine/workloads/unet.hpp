// SPDX-License-Identifier: Apache-2.0
// One denoising step of a small diffusion U-Net (Ho, Jain, Abbeel: Denoising diffusion probabilistic models,
// 2020): convolutions with group norm and SiLU, told the time by an embedding, attention at the lowest
// resolution, and the way down joined to the way up.
#pragma once

#include "fusion-engine/workloads/workload.hpp"

namespace foretell::workloads {

WorkloadInfo unet();

}  // namespace foretell::workloads
