// SPDX-License-Identifier: Apache-2.0
// Outputs that update inputs, as the eager executor runs them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/eager_executor.hpp"
#include "fusion-engine/runtime/cpu/executor_test_support.hpp"

namespace foretell::runtime::cpu {
namespace {

struct StateProgram {
  std::string name;
  std::string text;
  std::int64_t launches;      // of a step: those of ops, plus those of copies into states
  std::int64_t written = -1;  // bytes of a step, where they say what was done
};
class EagerStates : public ::testing::TestWithParam<StateProgram> {};
INSTANTIATE_TEST_SUITE_P(
    Eager, EagerStates,
    ::testing::Values(StateProgram{"in_place", R"(s = input(to=f32, shape=[50])
g = input(to=f32, shape=[50])
t1 = add(s, g)
return s2=t1 updates s)",
                                   1},
                      StateProgram{"read_later", R"(s = input(to=f32, shape=[50])
n = neg(s)
t1 = exp(s)
return s2=n updates s, e=t1)",
                                   3},
                      StateProgram{"read_earlier", R"(s = input(to=f32, shape=[50])
e = exp(s)
t1 = neg(s)
return e=e, s2=t1 updates s)",
                                   2},
                      StateProgram{"old_value_shown", R"(s = input(to=f32, shape=[50])
t1 = neg(s)
return old=s, s2=t1 updates s)",
                                   3},
                      StateProgram{"old_value_seen_through_a_view", R"(s = input(to=f32, shape=[5,10])
t1 = permute(s, permutation=[1,0])
t2 = neg(s)
return old=t1, s2=t2 updates s)",
                                   3},
                      StateProgram{"read_at_other_places", R"(s = input(to=f32, shape=[8,8])
t1 = permute(s, permutation=[1,0])
t2 = add(s, t1)
return s2=t2 updates s)",
                                   2},
                      StateProgram{"swap", R"(a = input(to=f32, shape=[50])
b = input(to=f32, shape=[50])
return a2=b updates a, b2=a updates b)",
                                   4},
                      StateProgram{"rotate_three", R"(a = input(to=f32, shape=[50])
b = input(to=f32, shape=[50])
c = input(to=f32, shape=[50])
t1 = add(a, b)
t2 = add(t1, c)
return a2=b updates a, b2=c updates b, c2=a updates c, sum=t2)",
                                   8},
                      StateProgram{"unchanged", R"(a = input(to=f32, shape=[50])
return a2=a updates a)",
                                   0},
                      StateProgram{"one_value_for_two_states", R"(a = input(to=f32, shape=[50])
b = input(to=f32, shape=[50])
s = add(a, b)
return a2=s updates a, b2=s updates b, s=s)",
                                   2},
                      StateProgram{"shifted_window", R"(w = input(to=f32, shape=[6,4])
x = input(to=f32, shape=[1,4])
t1 = slice(w, starts=[1,0], limits=[6,4], steps=[1,1])
t2 = concat(t1, x, axis=0)
return w2=t2 updates w)",
                                   3},
                      StateProgram{"momentum", R"(w = input(to=f32, shape=[50])
m = input(to=f32, shape=[50])
g = input(to=f32, shape=[50])
d = constant(value=0.5, to=f32)
t1 = mul(m, d)
m2 = add(t1, g)
t2 = sub(w, m2)
return m2=m2 updates m, w2=t2 updates w)",
                                   3},
                      StateProgram{"new_state_read_on", R"(s = input(to=f32, shape=[4,4])
n = neg(s)
t1 = permute(n, permutation=[1,0])
t2 = exp(n)
return s2=n updates s, v=t1, e=t2)",
                                   2},
                      StateProgram{"append_to_cache", R"(k = input(to=f32, shape=[2,3,10,8])
at = input(to=i64, shape=[1])
row = input(to=f32, shape=[2,3,1,8])
t1 = index_copy(k, at, row, axis=2)
return k2=t1 updates k)",
                                   1, 2 * 3 * 8 * 4},
                      StateProgram{"append_and_read_on", R"(k = input(to=bf16, shape=[10,8])
at = input(to=i64, shape=[3])
rows = input(to=bf16, shape=[3,8])
t1 = index_copy(k, at, rows, axis=0)
t2 = exp(t1)
return k2=t1 updates k, e=t2)",
                                   2, (3 + 10) * 8 * 2},
                      StateProgram{"add_to_rows", R"(t = input(to=f16, shape=[10,8])
at = input(to=i32, shape=[4])
d = input(to=f16, shape=[4,8])
t1 = scatter_add(t, at, d, axis=0)
return t2=t1 updates t)",
                                   1, 4 * 8 * 2},
                      StateProgram{"no_rows", R"(t = input(to=f32, shape=[10,8])
at = input(to=i32, shape=[0])
d = input(to=f32, shape=[0,8])
t1 = index_copy(t, at, d, axis=0)
return t2=t1 updates t)",
                                   1, 0},
                      StateProgram{"rows_moved_within_the_state", R"(t = input(to=f32, shape=[4,8])
at = input(to=i64, shape=[4])
t1 = index_copy(t, at, t, axis=0)
return t2=t1 updates t)",
                                   2, 2 * 4 * 8 * 4},
                      StateProgram{"positions_that_change", R"(at = input(to=i64, shape=[8])
x = input(to=i64, shape=[8])
t1 = index_copy(at, at, x, axis=0)
return at2=t1 updates at)",
                                   2, 2 * 8 * 8},
                      StateProgram{"rows_of_a_turned_state", R"(s = input(to=f32, shape=[8,8])
at = input(to=i64, shape=[2])
u = input(to=f32, shape=[2,8])
t = permute(s, permutation=[1,0])
t1 = index_copy(t, at, u, axis=0)
return s2=t1 updates s)",
                                   2, 2 * 8 * 8 * 4}),
    [](const auto& test) { return test.param.name; });

TEST_P(EagerStates, StepsAreThoseOfTheInterpreter) {
  const ir::Graph graph = parse(GetParam().text);
  auto device = open_cpu_device({.stream = {.threads = 1}}).value();
  InputSet inputs = InputSet::random(graph, device, 5);
  const std::vector<ir::HostTensor> first = to_host(inputs);
  const auto executor = make_eager_executor(graph, device, inputs);
  for (int step = 0; step < 4; ++step) {
    const std::vector<ir::HostTensor> before = to_host(inputs);
    ASSERT_TRUE(executor->step().has_value());
    ASSERT_TRUE(executor->synchronize().has_value());
    expect_as_interpreted(graph, before, *executor);
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      if (graph.outputs()[i].state_of) {
        for (std::size_t input = 0; input < graph.inputs().size(); ++input) {
          if (graph.inputs()[input] == *graph.outputs()[i].state_of) {
            EXPECT_EQ(inputs.to_host(input).bytes, executor->output(i).bytes);
          }
        }
      }
    }
    EXPECT_EQ(executor->counters().launches, GetParam().launches);
    if (GetParam().written >= 0) {
      EXPECT_EQ(executor->counters().bytes_written, GetParam().written);
    }
  }
  inputs.restore_state();
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(inputs.to_host(i).bytes, first[i].bytes);
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
