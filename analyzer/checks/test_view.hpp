// SPDX-License-Identifier: Apache-2.0
// What a check looks at, for the tests beside this file: a trace of a few rows, and what is computed of it.
#pragma once

#include <cstdint>
#include <functional>
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
cost::Device test_device();

cost::Constant test_constant(std::string_view name, double low, double expected, double high);

// Owns what a View refers to.
struct TestView {
  profile::Profile profile;
  timeline::Timeline timeline;
  whatif::KernelWork work;
  whatif::FusionGroups groups;
  cost::Device device;
  std::vector<cost::Constant> constants;
  std::optional<std::int64_t> wall_ns;
  std::optional<double> input_bytes;

  // test_device(), and constants with round numbers.
  TestView();
  TestView(TestView&&) noexcept;
  TestView(const TestView&) = delete;
  TestView& operator=(TestView&&) = delete;
  TestView& operator=(const TestView&) = delete;
  ~TestView();

  [[nodiscard]] View view() const;
  // As if `ns` of the typical step were idle for that reason, and the rest of its idle time for none of the
  // host's making.
  TestView& idle(timeline::IdleClass idle_class, std::int64_t ns) &;
  TestView idle(timeline::IdleClass idle_class, std::int64_t ns) &&;
  [[nodiscard]] Finding run(std::string_view id) const;
  [[nodiscard]] Diagnosis diagnose() const;
};

// A trace, row by row; what TestProfile has no word for is noted and put in when the tables are sorted.
class TestTrace : public timeline::TestProfile {
 public:
  using Edit = std::function<void(profile::Profile&)>;

  TestTrace& edit(Edit edit);
  // A kernel and its launch call, which takes 2 us.
  TestTrace& launch(std::int64_t at_ns, std::int64_t kernel_ns, std::int64_t duration_ns,
                    std::string_view name = kGemm, std::int64_t stream = 7);
  // A graph launch, then `kernels` back to back.
  TestTrace& replay(std::int64_t at_ns, std::int64_t kernel_ns, std::int64_t duration_ns, int kernels,
                    std::string_view name = kGemm);
  // A copy and the call that holds the host from `at_ns` to `until_ns`.
  TestTrace& copy(std::int64_t at_ns, std::int64_t until_ns, std::int64_t copy_ns, std::int64_t duration_ns,
                  std::string_view name, std::int64_t size_bytes);
  // Of the last activity.
  TestTrace& bytes(std::int64_t size_bytes);
  // Launch geometry of the last kernel.
  TestTrace& blocks(std::int32_t count);
  // A record of the framework's allocator on device 0.
  TestTrace& memory(std::int64_t time_ns, std::int64_t size_bytes);
  TestTrace& compile_event(profile::CompileKind kind, std::int64_t start_ns, std::int64_t duration_ns,
                           const std::string& name);
  // Code object `frame` at its first compilation.
  TestTrace& region(std::int64_t start_ns, std::int64_t duration_ns, int frame = 0);
  // Input shapes of the ops that start then.
  TestTrace& shapes(std::int64_t start_ns, std::string_view dims);
  TestTrace with_stacks() &&;
  TestTrace with_shapes() &&;

  // `wall_ns`: bare time of a step, given.
  TestView view(std::optional<std::int64_t> wall_ns = {});

 private:
  // `edit` with the row of the last activity that launch(), replay() or copy() made.
  TestTrace& edit_last(std::function<void(profile::Profile&, std::uint32_t)> edit_row);

  std::vector<Edit> edits_;
  std::int64_t last_ = 0;
};

// Steps of 1 ms that are marked by the profiler; `fill(trace, begin)` says what is in each.
inline constexpr std::int64_t kStepNs = kMs;
inline constexpr int kSteps = 4;
TestTrace steps_of(const std::function<void(TestTrace&, std::int64_t)>& fill, int steps = kSteps);

// Four matrix products back to back, `busy_ns` in all, launched at once; then the host does nothing.
void multiply(TestTrace& trace, std::int64_t begin_ns, std::int64_t busy_ns = 600 * kUs);
TestTrace multiplying_steps(std::int64_t busy_ns = 600 * kUs, int steps = kSteps);

}  // namespace foretell::checks
