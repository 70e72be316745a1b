// SPDX-License-Identifier: Apache-2.0
// Traces of kernels in a row for the tests of groups. Times in ns.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "analyzer/profile/profile_builder.hpp"
#include "analyzer/timeline/timeline.hpp"
#include "analyzer/whatif/groups.hpp"
#include "analyzer/whatif/kernel_work.hpp"

namespace foretell::whatif {

struct TestKernel {
  std::string_view name = "mul";
  timeline::KernelClass kernel_class = timeline::KernelClass::Elementwise;
  std::int64_t duration_ns = 2000;
  double bytes = 0;
  WorkSource source = WorkSource::None;
  std::string_view dims;  // of its op; empty: no op is recorded
  std::string_view types = R"(["float"])";
  std::string_view op = "aten::mul";
  std::int32_t blocks = 0;  // of 128 threads; 0: no geometry
  std::int64_t gap_ns = 0;  // idle before it
  bool inner_op = false;    // the op's shapes are recorded, but an op inside it launches
  bool of_last_op = false;  // launched by the op of the kernel before
  std::int64_t stream = 7;
  profile::ActivityKind kind = profile::ActivityKind::Kernel;
};

// Kernels of one stream after another, each launched by its own call and op, `lead_ns` before it starts.
class TestTrace {
 public:
  TestTrace& kernel(const TestKernel& kernel);
  TestTrace& kernels(std::initializer_list<TestKernel> rows) {
    for (const TestKernel& row : rows) {
      kernel(row);
    }
    return *this;
  }
  // What follows is launched so long before it runs; below 0 for a host that comes late.
  TestTrace& lead(std::int64_t ns) {
    lead_ns_ = ns;
    return *this;
  }
  // What follows belongs to one replay; end_replay() ends it.
  TestTrace& replay();
  TestTrace& end_replay() {
    graph_ = 0;
    return *this;
  }
  // A range of the host around all that follows.
  TestTrace& range(std::string_view name);
  // Whatever is launched until end_step().
  TestTrace& step(std::string_view name) {
    step_name_ = name;
    step_begin_ = now_ - lead_ns_;
    return *this;
  }
  TestTrace& end_step();

  FusionGroups find(double l2_bytes = 0, bool device_time_known = true);
  [[nodiscard]] const timeline::Timeline& timeline() const { return timeline_; }

 private:
  StringId intern(std::string_view text) { return builder_.profile().strings.intern(text); }
  std::uint32_t thread() { return builder_.thread({.number = 42}, {.number = 1}); }

  profile::ProfileBuilder builder_;
  profile::Profile profile_;
  timeline::Timeline timeline_;
  std::vector<TestKernel> kernels_;
  std::string_view step_name_;
  std::int64_t step_begin_ = 0;
  std::int64_t now_ = 1'000'000;
  std::int64_t lead_ns_ = 100'000;
  std::int64_t last_ = 0;
  std::int64_t last_op_ = 0;
  std::int64_t graph_ = 0;
};

inline constexpr TestKernel kGemm{
    .name = "gemm", .kernel_class = timeline::KernelClass::Gemm, .duration_ns = 30'000};

// The activities of each group.
std::vector<std::vector<std::uint32_t>> rows_of(const FusionGroups& found);

}  // namespace foretell::whatif
