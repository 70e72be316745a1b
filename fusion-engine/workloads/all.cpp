// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/all.hpp"

#include <array>

#include "fusion-engine/workloads/chain.hpp"
#include "fusion-engine/workloads/churn.hpp"
#include "fusion-engine/workloads/decode.hpp"
#include "fusion-engine/workloads/gemm.hpp"
#include "fusion-engine/workloads/mlp_b1.hpp"
#include "fusion-engine/workloads/mlp_train.hpp"
#include "fusion-engine/workloads/norm_act.hpp"
#include "fusion-engine/workloads/transformer_train.hpp"
#include "fusion-engine/workloads/unet.hpp"

namespace foretell::workloads {

std::span<const WorkloadInfo> all_workloads() {
  static const std::array kWorkloads{chain(),     norm_act(),          gemm(), mlp_b1(), churn(), decode(),
                                     mlp_train(), transformer_train(), unet()};
  return kWorkloads;
}

}  // namespace foretell::workloads
