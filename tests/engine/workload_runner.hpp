// SPDX-License-Identifier: Apache-2.0
// For tests: a workload's executors by name, on a device and a kernel cache of their own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fusion-engine/codegen/test_directory.hpp"
#include "fusion-engine/workloads/all.hpp"
#include "fusion-engine/workloads/workload.hpp"
#include "src/base/check.hpp"
#include "src/bridge/variants.hpp"

namespace foretell::tests {

class WorkloadRunner {
 public:
  // With `elements`: over so much less data, if it can be.
  explicit WorkloadRunner(const std::string& name, std::int64_t elements = 0,
                          std::span<const workloads::GivenParameter> given = {})
      : workload_(workloads::load_workload(name, given).value()),
        device_(runtime::cpu::open_cpu_device({.stream = {.threads = 1, .pin = false}}).value()),
        cache_{.directory = directory_.path()},
        factory_(device_, cache_) {
    if (elements > 0) {
      if (auto small = workloads::shrunk(workload_, elements)) {
        workload_ = *std::move(small);
      }
    }
  }

  const ir::Graph& graph() const { return workload_.graph; }

  // Over inputs of its own, random ones that are the same for every variant.
  struct Running {
    std::unique_ptr<runtime::cpu::InputSet> inputs;
    std::unique_ptr<runtime::Executor> executor;

    void step() {
      FORETELL_CHECK(executor->step().has_value());
      FORETELL_CHECK(executor->synchronize().has_value());
    }
  };
  Running start(std::string_view variant) {
    auto inputs =
        std::make_unique<runtime::cpu::InputSet>(runtime::cpu::InputSet::random(workload_.graph, device_, 1));
    auto executor = factory_.make(variant, workload_.graph, *inputs).value();
    return {.inputs = std::move(inputs), .executor = std::move(executor)};
  }

 private:
  workloads::Workload workload_;
  codegen::TestDirectory directory_;
  runtime::cpu::CpuDevice device_;
  codegen::CacheOptions cache_;
  bridge::VariantFactory factory_;
};

inline std::string workload_name(const testing::TestParamInfo<workloads::WorkloadInfo>& row) {
  std::string name(row.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace foretell::tests
