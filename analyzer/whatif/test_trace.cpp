// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/test_trace.hpp"

#include <algorithm>

#include "analyzer/cost/device_table.hpp"

namespace foretell::whatif {

using namespace profile;

TestTrace& TestTrace::kernel(const TestKernel& kernel) {
  Profile& p = builder_.profile();
  now_ += kernel.gap_ns;
  const std::int64_t correlation = graph_ > 0 ? graph_ : ++last_;
  last_op_ += kernel.of_last_op ? 0 : 1;
  const std::int64_t launched = now_ - lead_ns_;
  if (graph_ == 0) {
    if (!kernel.dims.empty() && !kernel.of_last_op) {
      p.op_details.input_dims.push_back(intern(kernel.dims));
      p.op_details.input_types.push_back(intern(kernel.types));
      for (auto* text : {&p.op_details.concrete_inputs, &p.op_details.input_strides, &p.op_details.call_stack,
                         &p.op_details.module_hierarchy}) {
        text->push_back(StringId::Empty);
      }
      p.op_details.sequence_number.push_back(kNoId);
      p.op_details.forward_thread.push_back(kNoId);
      const HostOp op{.start_ns = launched,
                      .duration_ns = 2,
                      .external_id = kernel.inner_op ? kNoId : last_op_,
                      .name = intern(kernel.op),
                      .thread = thread(),
                      .detail = static_cast<std::uint32_t>(p.op_details.size() - 1)};
      p.host_ops.append(op);
      if (kernel.inner_op) {
        p.host_ops.append({.start_ns = launched,
                           .duration_ns = 1,
                           .external_id = last_op_,
                           .name = intern("inner"),
                           .thread = thread()});
      }
    }
    p.api_calls.append({.start_ns = launched,
                        .duration_ns = 1,
                        .correlation = correlation,
                        .external_id = kernel.dims.empty() ? kNoId : last_op_,
                        .name = intern("cudaLaunchKernel"),
                        .thread = thread(),
                        .kind = ApiKind::KernelLaunch});
  }
  std::uint32_t launch = kNoRow;
  if (kernel.blocks > 0) {
    KernelLaunches& rows = p.kernel_launches;
    launch = static_cast<std::uint32_t>(rows.size());
    rows.grid_x.push_back(kernel.blocks);
    rows.block_x.push_back(128);
    for (auto* one : {&rows.grid_y, &rows.grid_z, &rows.block_y, &rows.block_z}) {
      one->push_back(1);
    }
    rows.registers_per_thread.push_back(-1);
    rows.shared_memory_bytes.push_back(-1);
    rows.occupancy_ratio.push_back(-1);
  }
  p.activities.append({.start_ns = now_,
                       .duration_ns = kernel.duration_ns,
                       .correlation = correlation,
                       .name = intern(kernel.name),
                       .stream = builder_.stream(0, kernel.stream),
                       .launch = launch,
                       .kind = kernel.kind});
  kernels_.push_back(kernel);
  now_ += std::max<std::int64_t>(kernel.duration_ns, 0);
  builder_.cover(launched, now_);
  return *this;
}

TestTrace& TestTrace::replay() {
  graph_ = ++last_;
  builder_.profile().api_calls.append({.start_ns = now_ - lead_ns_,
                                       .duration_ns = 1,
                                       .correlation = graph_,
                                       .name = intern("cudaGraphLaunch"),
                                       .thread = thread(),
                                       .kind = ApiKind::GraphLaunch});
  return *this;
}

TestTrace& TestTrace::range(std::string_view name) {
  builder_.profile().host_ops.append({.start_ns = now_ - lead_ns_ - 1,
                                      .duration_ns = 1'000'000'000,
                                      .name = intern(name),
                                      .thread = thread(),
                                      .kind = HostOpKind::UserAnnotation});
  return *this;
}

TestTrace& TestTrace::end_step() {
  StepMarkers& markers = builder_.profile().step_markers;
  markers.start_ns.push_back(step_begin_);
  markers.duration_ns.push_back(now_ - lead_ns_ - step_begin_);
  markers.name.push_back(intern(step_name_));
  markers.thread.push_back(thread());
  return *this;
}

FusionGroups TestTrace::find(double l2_bytes, bool device_time_known) {
  profile_ = builder_.finish();
  timeline_.links = timeline::link(profile_);
  timeline_.audit = timeline::audit_durations(profile_, timeline_.links);
  timeline_.steps = timeline::find_steps(profile_, timeline_.links, timeline_.audit);
  timeline_.steps.device_time_known = device_time_known;
  // finish() sorts by stream, then start; equal names have equal facts in these tests
  KernelWork work;
  for (std::size_t row = 0; row < profile_.activities.size(); ++row) {
    const auto at = std::ranges::find_if(kernels_, [&](const TestKernel& kernel) {
      return kernel.name == profile_.text(profile_.activities.name[row]);
    });
    timeline_.classes.push_back(at->kernel_class);
    work.bytes.push_back(at->bytes);
    work.flops.push_back(0);
    work.bytes_source.push_back(at->source);
  }
  cost::Device device;
  if (l2_bytes > 0) {
    device.l2_bytes = cost::Quantity{l2_bytes, l2_bytes, l2_bytes, Provenance::Assumed, "test"};
  }
  return find_groups(profile_, timeline_, work, device);
}

std::vector<std::vector<std::uint32_t>> rows_of(const FusionGroups& found) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (const FusionGroup& group : found.groups) {
    rows.push_back(group.activities);
  }
  return rows;
}

}  // namespace foretell::whatif
