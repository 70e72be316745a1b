// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/recompiles.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "analyzer/timeline/test_profile.hpp"
#include "analyzer/timeline/test_steps.hpp"

namespace foretell::timeline {
namespace {

using profile::CompileKind;

struct Event {
  std::int64_t start_ns, duration_ns;
  const char* name;
  CompileKind kind;
};

profile::Profile with_events(std::initializer_list<Event> rows) {
  profile::Profile profile = TestProfile().op(0, 300, "train").finish();
  profile::CompileEvents& events = profile.compile_events;
  for (const Event& row : rows) {
    events.start_ns.push_back(row.start_ns);
    events.duration_ns.push_back(row.duration_ns);
    events.name.push_back(profile.strings.intern(row.name));
    events.thread.push_back(0);
    events.kind.push_back(row.kind);
  }
  return profile;
}

// Gives the ops of the profile their input shapes, in order of the rows.
profile::Profile with_shapes(TestProfile& rows, const std::vector<const char*>& shapes) {
  profile::Profile profile = rows.finish();
  profile::OpDetails& details = profile.op_details;
  for (const char* shape : shapes) {
    profile.host_ops.detail[details.size()] = static_cast<std::uint32_t>(details.size());
    for (auto* column : {&details.input_types, &details.concrete_inputs, &details.input_strides,
                         &details.call_stack, &details.module_hierarchy}) {
      column->push_back(StringId::Empty);
    }
    details.sequence_number.push_back(profile::kNoId);
    details.forward_thread.push_back(profile::kNoId);
    details.input_dims.push_back(profile.strings.intern(shape));
  }
  return profile;
}

TEST(Recompiles, NestedEventsOfAKindAreOne) {
  const profile::Profile profile =
      with_events({{10, 50, "Torch-Compiled Region: 0/0", CompileKind::CompiledRegion},
                   {20, 30, "CompiledFunction", CompileKind::CompiledRegion},
                   {5, 4, "TorchDynamo Cache Lookup", CompileKind::CacheLookup},
                   {120, 70, "_compile.compile_inner", CompileKind::Compilation},
                   {130, 40, "compile_fx_inner", CompileKind::Compilation},
                   {110, 5, "TorchDynamo Cache Lookup", CompileKind::CacheLookup}});
  const Recompiles out = compute_recompiles(profile, even_steps(2, 100));
  EXPECT_EQ(out.regions.total, 1);
  EXPECT_EQ(out.lookups, (StepSum{.per_step = 1, .steady = 2, .total = 2}));
  EXPECT_EQ(out.lookup_ns.total, 9);
  EXPECT_EQ(out.compilations, (StepSum{.per_step = 0, .steady = 1, .total = 1}));
  EXPECT_EQ(out.compile_ns.steady, 70);
  ASSERT_EQ(out.names.size(), 5U);
  EXPECT_EQ(out.names[0].kind, CompileKind::Compilation);
  EXPECT_EQ(profile.text(out.names[2].name), "TorchDynamo Cache Lookup") << "most often";
  EXPECT_EQ(out.names[2].count, (StepSum{.per_step = 1, .steady = 2, .total = 2}));
}

TEST(Recompiles, CompilationsOfWarmupAreNotThoseOfSteadySteps) {
  const profile::Profile profile = with_events({{10, 50, "compile_fx_inner", CompileKind::Compilation}});
  const Recompiles out = compute_recompiles(profile, even_steps(3, 100, 1));
  EXPECT_EQ(out.compilations, (StepSum{.per_step = 0, .steady = 0, .total = 1}));
}

struct ShapeCase {
  const char* name;
  std::vector<const char*> shapes;  // of mm, add per step
  std::uint64_t sets;
  std::size_t varying;
};

class ShapeTest : public testing::TestWithParam<ShapeCase> {};

TEST_P(ShapeTest, StepsCompareByTheirShapes) {
  TestProfile rows;
  for (int step = 0; step < 3; ++step) {
    rows.op(step * 100 + 10, 5, "aten::mm").op(step * 100 + 20, 5, "aten::add");
  }
  const Recompiles out = compute_recompiles(with_shapes(rows, GetParam().shapes), even_steps(3, 100));
  EXPECT_TRUE(out.shapes_recorded);
  EXPECT_EQ(out.shape_sets, GetParam().sets);
  EXPECT_EQ(out.varying_ops.size(), GetParam().varying);
}

INSTANTIATE_TEST_SUITE_P(
    Recompiles, ShapeTest,
    testing::Values(ShapeCase{"Equal", {"[[8]]", "[[4]]", "[[8]]", "[[4]]", "[[8]]", "[[4]]"}, 1, 0},
                    ShapeCase{"OneVaries", {"[[8]]", "[[4]]", "[[9]]", "[[4]]", "[[8]]", "[[4]]"}, 2, 1},
                    ShapeCase{"BothVary", {"[[8]]", "[[4]]", "[[9]]", "[[5]]", "[[7]]", "[[6]]"}, 3, 2},
                    ShapeCase{
                        "NotTheSameAsSwapped", {"[[8]]", "[[4]]", "[[4]]", "[[8]]", "[[8]]", "[[4]]"}, 2, 2}),
    [](const auto& row) { return row.param.name; });

TEST(Recompiles, OrderAndNumberOfCallsAndAnOpOfOneStepDoNotMakeShapesVary) {
  TestProfile rows;
  rows.op(10, 5, "aten::mm").op(20, 5, "aten::add");
  rows.op(110, 5, "aten::add").op(120, 5, "aten::mm").op(130, 5, "aten::mm");
  const auto same = with_shapes(rows, {"[[8]]", "[[4]]", "[[4]]", "[[8]]", "[[8]]"});
  EXPECT_EQ(compute_recompiles(same, even_steps(2, 100)).shape_sets, 1U);

  TestProfile more;
  more.op(10, 5, "aten::mm").op(110, 5, "aten::mm").op(120, 5, "aten::item");
  const Recompiles out =
      compute_recompiles(with_shapes(more, {"[[8]]", "[[8]]", "[[1]]"}), even_steps(2, 100));
  EXPECT_EQ(out.shape_sets, 2U);
  EXPECT_TRUE(out.varying_ops.empty());
}

TEST(Recompiles, CompilerKernelsAndGraphLaunches) {
  const auto profile = TestProfile()
                           .call(10, 1, 1, profile::ApiKind::GraphLaunch)
                           .call(20, 1, 2, profile::ApiKind::GraphLaunch)
                           .call(110, 1, 3, profile::ApiKind::GraphLaunch)
                           .kernel(30, 5, 1, "triton_poi_fused_add_0")
                           .kernel(40, 5, 1, "ampere_sgemm_128x64_nn")
                           .kernel(50, 5, 1, "Memset", 7, profile::ActivityKind::Memset)
                           .finish();
  const Recompiles out = compute_recompiles(profile, even_steps(3, 100));
  EXPECT_EQ(out.kernels, 2U);
  EXPECT_DOUBLE_EQ(out.compiler_kernel_share, 0.5);
  EXPECT_EQ(out.graph_launches, (StepSum{.per_step = 1, .steady = 3, .total = 3}));
  EXPECT_EQ(out.least_graph_launches, 0);
  EXPECT_EQ(out.most_graph_launches, 2);
  EXPECT_FALSE(out.shapes_recorded);
}

}  // namespace
}  // namespace foretell::timeline
