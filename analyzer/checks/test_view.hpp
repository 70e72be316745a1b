// SPDX-License-Identifier: Apache-2.0
// What a check looks at, for the tests beside this file: a trace of a few rows, and what is computed of it.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/checks/diagnosis.hpp"
#include "analyzer/checks/measure.hpp"
#include "analyzer/timeline/test_profile.hpp"

namespace foretell::checks {

inline constexpr std::int64_t kUs = 1'000;
inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::string_view kGemm = "sm80_xmma_gemm_bf16bf16";
inline constexpr std::string_view kAdd = "void at::native::vectorized_elementwise_kernel<4, add>";

// A device with round numbers: tensor cores eight times as fast as fp32.
inline cost::Device test_device() {
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

inline cost::Constant test_constant(std::string_view name, double low, double expected, double high) {
  cost::Constant constant;
  constant.name = name;
  constant.low = low;
  constant.expected = expected;
  constant.high = high;
  return constant;
}

// Owns what a View refers to.
struct TestView {
  profile::Profile profile;
  timeline::Timeline timeline;
  whatif::KernelWork work;
  whatif::FusionGroups groups;
  cost::Device device = test_device();
  std::vector<cost::Constant> constants{test_constant("dram_achievable_gbps", 1000, 1000, 1000),
                                        test_constant("graph_launch_ns", 1000, 2500, 41000),
                                        test_constant("graph_node_launch_ns", 1, 1, 600),
                                        test_constant("cached_allocation_ns", 300, 1000, 2500),
                                        test_constant("profiler_step_ratio", 1.3, 1.6, 1.8)};
  std::optional<std::int64_t> wall_ns;
  std::optional<double> input_bytes;

  [[nodiscard]] View view() const {
    return {.profile = profile,
            .timeline = timeline,
            .work = work,
            .groups = groups,
            .device = device,
            .constants = constants,
            .wall_ns = wall_ns,
            .input_bytes = input_bytes};
  }
  // As if `ns` of the typical step were idle for that reason, and the rest of its idle time for none of the
  // host's making.
  TestView& idle(timeline::IdleClass idle_class, std::int64_t ns) & {
    timeline::Split& split = timeline.split;
    split.idle_ns = {};
    timeline::of(split.idle_ns, idle_class) = ns;
    timeline::of(split.idle_ns, timeline::IdleClass::Queue) += split.step_ns - split.busy_ns - ns;
    return *this;
  }
  TestView idle(timeline::IdleClass idle_class, std::int64_t ns) && {
    idle(idle_class, ns);
    return std::move(*this);
  }
  [[nodiscard]] Finding run(std::string_view id) const {
    for (const Check* check : all_checks()) {
      if (check->id == id) {
        return check->run(view());
      }
    }
    return found(Verdict::Unknown, "no such check");
  }
  [[nodiscard]] Diagnosis diagnose() const {
    return checks::diagnose({.profile = profile,
                             .timeline = timeline,
                             .device = device,
                             .constants = constants,
                             .wall_ns = wall_ns,
                             .input_bytes = input_bytes});
  }
};

// A trace, row by row; what TestProfile has no word for is noted and put in when the tables are sorted.
class TestTrace : public timeline::TestProfile {
 public:
  using Edit = std::function<void(profile::Profile&)>;

  TestTrace& edit(Edit edit) {
    edits_.push_back(std::move(edit));
    return *this;
  }
  // A kernel and its launch call, which takes 2 us.
  TestTrace& launch(std::int64_t at_ns, std::int64_t kernel_ns, std::int64_t duration_ns,
                    std::string_view name = kGemm, std::int64_t stream = 7) {
    ++last_;
    call(at_ns, 2 * kUs, last_);
    kernel(kernel_ns, duration_ns, last_, name, stream);
    return *this;
  }
  // A graph launch, then `kernels` back to back.
  TestTrace& replay(std::int64_t at_ns, std::int64_t kernel_ns, std::int64_t duration_ns, int kernels,
                    std::string_view name = kGemm) {
    ++last_;
    call(at_ns, 2 * kUs, last_, profile::ApiKind::GraphLaunch, -1, "cudaGraphLaunch");
    for (int i = 0; i < kernels; ++i) {
      kernel(kernel_ns + i * duration_ns, duration_ns, last_, name);
    }
    return *this;
  }
  // A copy and the call that holds the host from `at_ns` to `until_ns`.
  TestTrace& copy(std::int64_t at_ns, std::int64_t until_ns, std::int64_t copy_ns, std::int64_t duration_ns,
                  std::string_view name, std::int64_t size_bytes) {
    ++last_;
    call(at_ns, until_ns - at_ns, last_, profile::ApiKind::Memcpy, -1, "cudaMemcpyAsync");
    kernel(copy_ns, duration_ns, last_, name, 7, profile::ActivityKind::Memcpy);
    return bytes(size_bytes);
  }
  // Of the last activity.
  TestTrace& bytes(std::int64_t size_bytes) {
    return edit_last(
        [size_bytes](profile::Profile& p, std::uint32_t row) { p.activities.bytes[row] = size_bytes; });
  }
  // Launch geometry of the last kernel.
  TestTrace& blocks(std::int32_t count) {
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
  // A record of the framework's allocator on device 0.
  TestTrace& memory(std::int64_t time_ns, std::int64_t size_bytes) {
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
  TestTrace& compile_event(profile::CompileKind kind, std::int64_t start_ns, std::int64_t duration_ns,
                           const std::string& name) {
    return edit([=](profile::Profile& p) {
      profile::CompileEvents& events = p.compile_events;
      events.start_ns.push_back(start_ns);
      events.duration_ns.push_back(duration_ns);
      events.name.push_back(p.strings.intern(name));
      events.thread.push_back(0);
      events.kind.push_back(kind);
    });
  }
  // Code object `frame` at its first compilation.
  TestTrace& region(std::int64_t start_ns, std::int64_t duration_ns, int frame = 0) {
    return compile_event(profile::CompileKind::CompiledRegion, start_ns, duration_ns,
                         "Torch-Compiled Region: " + std::to_string(frame) + "/0");
  }
  // Input shapes of the ops that start then.
  TestTrace& shapes(std::int64_t start_ns, std::string_view dims) {
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
  TestTrace with_stacks() && {
    edit([](profile::Profile& p) { p.info.with_stack = true; });
    return std::move(*this);
  }
  TestTrace with_shapes() && {
    edit([](profile::Profile& p) { p.info.record_shapes = true; });
    return std::move(*this);
  }

  // `wall_ns`: bare time of a step, given.
  TestView view(std::optional<std::int64_t> wall_ns = {}) {
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

 private:
  // `edit` with the row of the last activity that launch(), replay() or copy() made.
  TestTrace& edit_last(std::function<void(profile::Profile&, std::uint32_t)> edit_row) {
    return edit([edit_row = std::move(edit_row), correlation = last_](profile::Profile& p) {
      for (std::uint32_t row = 0; row < p.activities.size(); ++row) {
        if (p.activities.correlation[row] == correlation) {
          edit_row(p, row);
        }
      }
    });
  }

  std::vector<Edit> edits_;
  std::int64_t last_ = 0;
};

// Steps of 1 ms that are marked by the profiler; `fill(trace, begin)` says what is in each.
inline constexpr std::int64_t kStepNs = kMs;
inline constexpr int kSteps = 4;
inline TestTrace steps_of(const std::function<void(TestTrace&, std::int64_t)>& fill, int steps = kSteps) {
  TestTrace trace;
  for (int i = 0; i < steps; ++i) {
    trace.step(i * kStepNs, kStepNs, "ProfilerStep#" + std::to_string(i));
    fill(trace, i * kStepNs);
  }
  return trace;
}

// Four matrix products back to back, `busy_ns` in all, launched at once; then the host does nothing.
inline void multiply(TestTrace& trace, std::int64_t begin_ns, std::int64_t busy_ns = 600 * kUs) {
  for (std::int64_t i = 0; i < 4; ++i) {
    trace.launch(begin_ns + i * 5 * kUs, begin_ns + 10 * kUs + i * busy_ns / 4, busy_ns / 4);
  }
}
inline TestTrace multiplying_steps(std::int64_t busy_ns = 600 * kUs, int steps = kSteps) {
  return steps_of([&](TestTrace& trace, std::int64_t begin) { multiply(trace, begin, busy_ns); }, steps);
}

}  // namespace foretell::checks
