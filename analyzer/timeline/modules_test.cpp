// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/modules.hpp"

#include <gtest/gtest.h>

#include <map>

#include "analyzer/profile/profile_builder.hpp"
#include "analyzer/timeline/test_profile.hpp"

namespace foretell::timeline {
namespace {

using profile::HostOpKind;
using profile::kNoRow;

Modules modules_of(const profile::Profile& profile) {
  const Links links = link(profile);
  return compute_modules(profile, links, audit_durations(profile, links));
}

std::map<std::string, Module> by_path(const profile::Profile& profile, const Modules& modules) {
  std::map<std::string, Module> paths;
  for (std::uint32_t module = 0; module < modules.all.size(); ++module) {
    paths[module_path(profile, modules, module)] = modules.all[module];
  }
  return paths;
}

// Rows of two threads, 0 forward and 1 backward, with what an op carries for the link between them.
class TwoThreads {
 public:
  TwoThreads& frame(std::int64_t start, std::int64_t duration, std::string_view name, std::int64_t tid = 0) {
    return add(start, duration, name, tid, HostOpKind::PythonFunction, kNoRow);
  }
  TwoThreads& op(std::int64_t start, std::int64_t duration, std::string_view name, std::int64_t tid = 0) {
    return add(start, duration, name, tid, HostOpKind::Operator, kNoRow);
  }
  TwoThreads& linked(std::int64_t start, std::int64_t duration, std::string_view name, std::int64_t sequence,
                     std::int64_t forward_thread, std::int64_t tid, std::string_view hierarchy = "") {
    profile::OpDetails& details = builder_.profile().op_details;
    const auto detail = static_cast<std::uint32_t>(details.size());
    for (auto* column : {&details.input_dims, &details.input_types, &details.concrete_inputs,
                         &details.input_strides, &details.call_stack}) {
      column->push_back(StringId::Empty);
    }
    details.module_hierarchy.push_back(builder_.profile().strings.intern(hierarchy));
    details.sequence_number.push_back(sequence);
    details.forward_thread.push_back(forward_thread);
    return add(start, duration, name, tid, HostOpKind::Operator, detail);
  }
  profile::Profile finish() { return builder_.finish(); }

 private:
  TwoThreads& add(std::int64_t start, std::int64_t duration, std::string_view name, std::int64_t tid,
                  HostOpKind kind, std::uint32_t detail) {
    builder_.profile().host_ops.append({.start_ns = start,
                                        .duration_ns = duration,
                                        .name = builder_.profile().strings.intern(name),
                                        .thread = builder_.thread({.number = 1}, {.number = tid}),
                                        .detail = detail,
                                        .kind = kind});
    return *this;
  }
  profile::ProfileBuilder builder_;
};

TEST(Modules, EveryOpBelongsToTheInnermostModuleOnce) {
  const auto profile = TestProfile()
                           .op(0, 100, "nn.Module: Net_0", -1, HostOpKind::PythonFunction)
                           .op(5, 90, "torch/nn/modules/module.py(1): _call", -1, HostOpKind::PythonFunction)
                           .op(10, 40, "nn.Module: Linear_0", -1, HostOpKind::PythonFunction)
                           .op(15, 30, "aten::linear")
                           .op(20, 20, "aten::addmm")
                           .op(60, 10, "aten::relu")
                           .op(150, 10, "aten::sum")  // in no module
                           .op(200, 40, "nn.Module: Linear_0", -1, HostOpKind::PythonFunction)
                           .call(25, 5, 1)
                           .call(62, 5, 2)
                           .call(152, 5, 3)
                           .call(210, 5, 4)  // in no op, but in the module
                           .kernel(300, 7, 1)
                           .kernel(310, 8, 2)
                           .kernel(320, 9, 3)
                           .kernel(330, 4, 4)
                           .finish();
  const Modules modules = modules_of(profile);
  const auto paths = by_path(profile, modules);
  ASSERT_EQ(paths.size(), 3U);
  EXPECT_EQ(paths.at("Net_0/Linear_0").self_cpu_ns, 30);
  EXPECT_EQ(paths.at("Net_0/Linear_0").device_ns, 7);
  EXPECT_EQ(paths.at("Net_0/Linear_0").calls, 1U);
  EXPECT_EQ(paths.at("Net_0").self_cpu_ns, 10);
  EXPECT_EQ(paths.at("Net_0").kernels, 1U);
  EXPECT_EQ(paths.at("Linear_0").launches, 1U);
  EXPECT_EQ(paths.at("Linear_0").device_ns, 4);
  EXPECT_EQ(module_path(profile, modules, 0), "Net_0/Linear_0") << "the dearest is first";
  ASSERT_EQ(modules.module_of_activity.size(), 4U);
  EXPECT_EQ(modules.module_of_activity[0], 0U);
  EXPECT_EQ(modules.module_of_activity[2], kNoRow);
  EXPECT_EQ(modules.module_of_op.size(), profile.host_ops.size());
  EXPECT_EQ(modules.module_of_call[2], kNoRow);
}

TEST(Modules, BackwardOpsBelongToTheModuleOfTheirForwardOp) {
  const auto profile = TwoThreads()
                           // the backward thread may come first in the tables
                           .linked(100, 50, "autograd::engine::evaluate_function: AddmmBackward0", 7, 1, 9)
                           .linked(105, 40, "AddmmBackward0", 7, 1, 9)
                           .op(110, 20, "aten::mm", 9)
                           .linked(160, 5, "SumBackward0", 8, 1, 9)
                           .linked(170, 5, "Unknown", 99, 1, 9)
                           .frame(0, 50, "nn.Module: Net_0")
                           .frame(5, 40, "nn.Module: Linear_0")
                           .linked(10, 20, "aten::linear", 7, 0, 0)
                           .linked(12, 10, "aten::addmm", 7, 0, 0)
                           .linked(32, 5, "aten::detach", 8, 0, 0)  // only saw the number of the op below
                           .linked(60, 10, "aten::sum", 8, 0, 0)
                           .finish();
  const Modules modules = modules_of(profile);
  const auto paths = by_path(profile, modules);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths.at("Net_0/Linear_0").self_cpu_ns, 20 + 5 + 50);
  EXPECT_EQ(paths.at("Net_0").self_cpu_ns, 0);
}

TEST(Modules, WhatABackwardOpRunsAnewStaysWhereItWas) {
  const auto profile = TwoThreads()
                           .frame(0, 50, "nn.Module: Net_0")
                           .linked(1, 45, "CheckpointFunction", 3, 0, 0)
                           .frame(5, 30, "nn.Module: Block_0")
                           .op(10, 20, "aten::mm")
                           .linked(100, 50, "CheckpointFunctionBackward", 3, 1, 9)
                           .frame(105, 30, "nn.Module: Block_0", 9)
                           .op(110, 20, "aten::mm", 9)
                           .finish();
  const Modules modules = modules_of(profile);
  const auto paths = by_path(profile, modules);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths.at("Net_0/Block_0").calls, 2U);
  EXPECT_EQ(paths.at("Net_0/Block_0").self_cpu_ns, 40);
}

TEST(Modules, ARecordedHierarchyWhereThereAreNoFrames) {
  const auto profile = TwoThreads()
                           .linked(0, 20, "aten::linear", 1, 0, 0, "top(Net)::forward.fc(Linear)::forward")
                           .op(5, 10, "aten::addmm")
                           .finish();
  const Modules modules = modules_of(profile);
  const auto paths = by_path(profile, modules);
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths.at("top(Net)::forward.fc(Linear)::forward").self_cpu_ns, 20);
  EXPECT_EQ(paths.at("top(Net)::forward.fc(Linear)::forward").calls, 1U);
}

TEST(Modules, NoModulesNoTable) {
  const auto profile = TestProfile().op(0, 10, "nn.Module: an operator").call(1, 1, 1).finish();
  const Modules modules = modules_of(profile);
  EXPECT_TRUE(modules.all.empty());
  EXPECT_TRUE(modules.module_of_op.empty());
  EXPECT_EQ(module_path(profile, modules, 0), "");
}

TEST(Modules, AModuleWithinItselfIsOneAndADeepPathIsCut) {
  TestProfile rows;
  rows.op(0, 9000, "nn.Module: Net_0", -1, HostOpKind::PythonFunction);
  rows.op(1, 8998, "nn.Module: Net_0", -1, HostOpKind::PythonFunction);
  for (int depth = 0; depth < 600; ++depth) {
    rows.op(2 + depth, 8000 - 2 * depth, "nn.Module: Layer_" + std::to_string(depth), -1,
            HostOpKind::PythonFunction);
  }
  const profile::Profile profile = rows.finish();
  const Modules modules = modules_of(profile);
  EXPECT_EQ(modules.all.size(), 601U);
  const std::uint32_t deepest = modules.module_of_op[profile.host_ops.size() - 1];
  const std::string path = module_path(profile, modules, deepest);
  EXPECT_TRUE(path.starts_with(".../")) << path.substr(0, 40);
  EXPECT_TRUE(path.ends_with("/Layer_599"));
  EXPECT_LT(path.size(), 4200U);
}

}  // namespace
}  // namespace foretell::timeline
