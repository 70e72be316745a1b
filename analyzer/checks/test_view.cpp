// SPDX-License-Identifier: Apache-2.0
#include "analyzer/checks/test_view.hpp"

#include <string>
#include <utility>

namespace foretell::checks {

cost::Device test_device() {
  const auto exactly = [](double value) {
    return cost::Quantity{
        .low = value, .expected = value, .high = value, .provenance = Provenance::Assumed, .source = {}};
  };
  cost::Device device;
  device.name = "Test GPU";
  device.sm_count = exactly(100);
  device.dram_achievable_gbps = exactly(1000);
  device.l2_bytes = exactly(1e6);
  device.kernel_floor_stream_ns = exactly(2000);
  device.kernel_floor_graph_ns = exactly(1000);
  device.fp32_tflops = exactly(20);
  device.tf32_dense_tflops = exactly(160);
  device.fp16_dense_tflops = exactly(320);
  return device;
}

cost::Constant test_constant(std::string_view name, double low, double expected, double high) {
  cost::Constant constant;
  constant.name = name;
  constant.low = low;
  constant.expected = expected;
  constant.high = high;
  return constant;
}

TestView::TestView()
    : device(test_device()),
      constants{test_constant("dram_achievable_gbps", 1000, 1000, 1000),
                test_constant("graph_launch_ns", 1000, 2500, 41000),
                test_constant("graph_node_launch_ns", 1, 1, 600),
                test_constant("cached_allocation_ns", 300, 1000, 2500),
                test_constant("profiler_step_ratio", 1.3, 1.6, 1.8)} {}

TestView::TestView(TestView&&) noexcept = default;

TestView::~TestView() = default;

View TestView::view() const {
  return {.profile = profile,
          .timeline = timeline,
          .work = work,
          .groups = groups,
          .device = device,
          .constants = constants,
          .wall_ns = wall_ns,
          .input_bytes = input_bytes};
}

TestView& TestView::idle(timeline::IdleClass idle_class, std::int64_t ns) & {
  timeline::Split& split = timeline.split;
  split.idle_ns = {};
  timeline::of(split.idle_ns, idle_class) = ns;
  timeline::of(split.idle_ns, timeline::IdleClass::Queue) += split.step_ns - split.busy_ns - ns;
  return *this;
}

TestView TestView::idle(timeline::IdleClass idle_class, std::int64_t ns) && {
  idle(idle_class, ns);
  return std::move(*this);
}

Finding TestView::run(std::string_view id) const {
  for (const Check* check : all_checks()) {
    if (check->id == id) {
      return check->run(view());
    }
  }
  return found(Verdict::Unknown, "no such check");
}

Diagnosis TestView::diagnose() const {
  return checks::diagnose({.profile = profile,
                           .timeline = timeline,
                           .device = device,
                           .constants = constants,
                           .wall_ns = wall_ns,
                           .input_bytes = input_bytes});
}

TestTrace& TestTrace::edit(Edit edit) {
  edits_.push_back(std::move(edit));
  return *this;
}

TestTrace& TestTrace::launch(std::int64_t at_ns, std::int64_t kernel_ns, std::int64_t duration_ns,
                             std::string_view name, std::int64_t stream) {
  ++last_;
  call(at_ns, 2 * kUs, last_);
  kernel(kernel_ns, duration_ns, last_, name, stream);
  return *this;
}

TestTrace& TestTrace::replay(std::int64_t at_ns, std::int64_t kernel_ns, std::int64_t duration_ns,
                             int kernels, std::string_view name) {
  ++last_;
  call(at_ns, 2 * kUs, last_, profile::ApiKind::GraphLaunch, -1, "cudaGraphLaunch");
  for (int i = 0; i < kernels; ++i) {
    kernel(kernel_ns + i * duration_ns, duration_ns, last_, name);
  }
  return *this;
}

TestTrace& TestTrace::copy(std::int64_t at_ns, std::int64_t until_ns, std::int64_t copy_ns,
                           std::int64_t duration_ns, std::string_view name, std::int64_t size_bytes) {
  ++last_;
  call(at_ns, until_ns - at_ns, last_, profile::ApiKind::Memcpy, -1, "cudaMemcpyAsync");
  kernel(copy_ns, duration_ns, last_, name, 7, profile::ActivityKind::Memcpy);
  return bytes(size_bytes);
}

TestTrace& TestTrace::bytes(std::int64_t size_bytes) {
  return edit_last(
      [size_bytes](profile::Profile& p, std::uint32_t row) { p.activities.bytes[row] = size_bytes; });
}

TestTrace& TestTrace::blocks(std::int32_t count) {
  return edit_last([count](profile::Profile& p, std::uint32_t row) {
    profile::KernelLaunches& rows = p.kernel_launches;
    p.activities.launch[row] = static_cast<std::uint32_t>(rows.size());
    rows.grid_x.push_back(count);
    rows.block_x.push_back(128);
    for (auto* one : {&rows.grid_y, &rows.grid_z, &rows.block_y, &rows.block_z}) {
      one->push_back(1);
    }
    rows.registers_per_thread.push_back(-1);
    rows.shared_memory_bytes.push_back(-1);
    rows.occupancy_ratio.push_back(-1);
  });
}

TestTrace& TestTrace::memory(std::int64_t time_ns, std::int64_t size_bytes) {
  return edit([=](profile::Profile& p) {
    profile::MemoryEvents& events = p.memory_events;
    events.time_ns.push_back(time_ns);
    events.bytes.push_back(size_bytes);
    events.total_allocated_bytes.push_back(-1);
    events.total_reserved_bytes.push_back(-1);
    events.address.push_back(0);
    events.device_id.push_back(0);
    events.thread.push_back(0);
  });
}

TestTrace& TestTrace::compile_event(profile::CompileKind kind, std::int64_t start_ns,
                                    std::int64_t duration_ns, const std::string& name) {
  return edit([=](profile::Profile& p) {
    profile::CompileEvents& events = p.compile_events;
    events.start_ns.push_back(start_ns);
    events.duration_ns.push_back(duration_ns);
    events.name.push_back(p.strings.intern(name));
    events.thread.push_back(0);
    events.kind.push_back(kind);
  });
}

TestTrace& TestTrace::region(std::int64_t start_ns, std::int64_t duration_ns, int frame) {
  return compile_event(profile::CompileKind::CompiledRegion, start_ns, duration_ns,
                       "Torch-Compiled Region: " + std::to_string(frame) + "/0");
}

TestTrace& TestTrace::shapes(std::int64_t start_ns, std::string_view dims) {
  return edit([=](profile::Profile& p) {
    for (std::uint32_t op = 0; op < p.host_ops.size(); ++op) {
      if (p.host_ops.start_ns[op] == start_ns && p.host_ops.kind[op] == profile::HostOpKind::Operator) {
        profile::OpDetails& details = p.op_details;
        p.host_ops.detail[op] = static_cast<std::uint32_t>(details.size());
        details.input_dims.push_back(p.strings.intern(dims));
        for (auto* text : {&details.input_types, &details.concrete_inputs, &details.input_strides,
                           &details.call_stack, &details.module_hierarchy}) {
          text->push_back(StringId::Empty);
        }
        details.sequence_number.push_back(profile::kNoId);
        details.forward_thread.push_back(profile::kNoId);
      }
    }
  });
}

TestTrace TestTrace::with_stacks() && {
  edit([](profile::Profile& p) { p.info.with_stack = true; });
  return std::move(*this);
}

TestTrace TestTrace::with_shapes() && {
  edit([](profile::Profile& p) { p.info.record_shapes = true; });
  return std::move(*this);
}

TestView TestTrace::view(std::optional<std::int64_t> wall_ns) {
  TestView view;
  view.profile = finish();
  for (const Edit& edit : edits_) {
    edit(view.profile);
  }
  view.wall_ns = wall_ns;
  view.timeline = timeline::compute_timeline(view.profile, {.wall_ns = wall_ns});
  view.work =
      whatif::compute_kernel_work(view.profile, view.timeline, view.device.dram_achievable_gbps->expected);
  view.groups = whatif::find_groups(view.profile, view.timeline, view.work, view.device);
  return view;
}

TestTrace& TestTrace::edit_last(std::function<void(profile::Profile&, std::uint32_t)> edit_row) {
  return edit([edit_row = std::move(edit_row), correlation = last_](profile::Profile& p) {
    for (std::uint32_t row = 0; row < p.activities.size(); ++row) {
      if (p.activities.correlation[row] == correlation) {
        edit_row(p, row);
      }
    }
  });
}

TestTrace steps_of(const std::function<void(TestTrace&, std::int64_t)>& fill, int steps) {
  TestTrace trace;
  for (int i = 0; i < steps; ++i) {
    trace.step(i * kStepNs, kStepNs, "ProfilerStep#" + std::to_string(i));
    fill(trace, i * kStepNs);
  }
  return trace;
}

void multiply(TestTrace& trace, std::int64_t begin_ns, std::int64_t busy_ns) {
  for (std::int64_t i = 0; i < 4; ++i) {
    trace.launch(begin_ns + i * 5 * kUs, begin_ns + 10 * kUs + i * busy_ns / 4, busy_ns / 4);
  }
}

TestTrace multiplying_steps(std::int64_t busy_ns, int steps) {
  return steps_of([&](TestTrace& trace, std::int64_t begin) { multiply(trace, begin, busy_ns); }, steps);
}

}  // namespace foretell::checks
