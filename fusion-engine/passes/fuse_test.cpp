// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/passes/fuse.hpp"

#include <gtest/gtest.h>

#include "fusion-engine/passes/fuse_test_plan.hpp"

namespace foretell::passes {
namespace {

struct Case {
  std::string_view name;
  std::string_view text;
  std::vector<std::string> steps;
  std::vector<std::string> refusals;
};

const Case kCases[] = {
    {"chain_is_one_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(a)\n"
     "c = add(b, x)\n"
     "return y=c\n",
     {"relu exp add"},
     {}},
    {"value_needed_outside_is_written_too",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(a)\n"
     "return a=a, b=b\n",
     {"relu exp"},
     {}},
    {"several_consumers",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(a)\n"
     "c = tanh(a)\n"
     "d = add(b, c)\n"
     "return y=d\n",
     {"relu exp tanh add"},
     {}},
    {"readers_of_one_input",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = sum(x, axes=[1])\n"
     "return a=a, b=b\n",
     {"relu sum"},
     {}},
    {"library_op_is_refused",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "w = input(to=f32, shape=[16,16])\n"
     "a = neg(x)\n"
     "m = matmul(a, w)\n"
     "b = relu(m)\n"
     "return y=b\n",
     {"neg", "op matmul", "relu"},
     {"library-op: matmul %3 runs in a library; it reads the result of neg %2 from memory",
      "library-op: matmul %3 runs in a library; relu %4 reads its result from memory"}},
    {"convolution_is_the_librarys",
     "graph g\n"
     "x = input(to=f32, shape=[1,2,4,4])\n"
     "w = input(to=f32, shape=[2,2,3,3])\n"
     "a = neg(x)\n"
     "c = conv2d(a, w, padding=[1,1])\n"
     "b = add(c, x)\n"
     "return y=b\n",
     {"neg", "op conv2d", "add"},
     {"library-op: conv2d %3 runs in a library; it reads the result of neg %2 from memory",
      "library-op: conv2d %3 runs in a library; add %4 reads its result from memory"}},
    {"no_cycle_through_an_op_outside",
     // relu and add may not be one kernel: matmul needs relu first, and add needs matmul.
     "graph g\n"
     "x = input(to=f32, shape=[16,16])\n"
     "a = relu(x)\n"
     "m = matmul(a, a)\n"
     "b = add(a, m)\n"
     "return y=b\n",
     {"relu", "op matmul", "add"},
     {"library-op: matmul %2 runs in a library; it reads the result of relu %1 from memory",
      "cycle: relu %1 and add %3 stay apart: a value of one reaches the other through an op outside both",
      "library-op: matmul %2 runs in a library; add %3 reads its result from memory"}},
    {"layer_norm_is_one_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "w = input(to=f32, shape=[16])\n"
     "e = constant(value=1e-5, to=f32)\n"
     "m = mean(x, axes=[1], keep_dims=true)\n"
     "v = var(x, axes=[1], keep_dims=true)\n"
     "d = sub(x, m)\n"
     "f = add(v, e)\n"
     "r = rsqrt(f)\n"
     "n = mul(d, r)\n"
     "y = mul(n, w)\n"
     "return y=y\n",
     {"mean var sub add rsqrt mul mul"},
     {}},
    {"axes_dropped_by_a_reduction_line_up",
     "graph g\n"
     "x = input(to=f32, shape=[8,8])\n"
     "z = input(to=f32, shape=[8])\n"
     "a = exp(z)\n"
     "s = sum(x, axes=[1])\n"
     "y = add(s, a)\n"
     "return y=y\n",
     {"exp sum add"},
     {}},
    {"dropped_axis_against_a_row_is_refused",
     // s[8] lies along axis 0 of x, and is then added along axis 1.
     "graph g\n"
     "x = input(to=f32, shape=[8,8])\n"
     "s = sum(x, axes=[1])\n"
     "y = add(x, s)\n"
     "return y=y\n",
     {"sum", "add"},
     {"shape: sum %1 and add %2 stay apart: add %2 reads the result of sum %1 along other axes"}},
    {"different_reductions_stay_apart",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = sum(x, axes=[1], keep_dims=true)\n"
     "b = div(x, a)\n"
     "c = sum(b, axes=[0])\n"
     "return y=c\n",
     {"sum div", "sum"},
     {"reduction-shape: div %2 and sum %3 stay apart: sum %1 reduces [8,16] over [1] and sum %3 reduces "
      "[8,16] over [0]"}},
    {"axes_that_are_not_adjacent_run_by_themselves",
     "graph g\n"
     "x = input(to=f32, shape=[4,5,6])\n"
     "a = relu(x)\n"
     "b = sum(a, axes=[0,2])\n"
     "return y=b\n",
     {"relu", "op sum"},
     {"reduction-axes: sum %2 reduces axes that aren't adjacent; it reads the result of relu %1 from "
      "memory"}},
    {"views_are_readings_of_memory",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "p = permute(a, permutation=[1,0])\n"
     "b = exp(p)\n"
     "return y=b\n",
     {"relu", "view", "exp"},
     {"view-between: exp %3 reads relu %1 through permute %2, which stays a reading of memory"}},
    {"reshape_that_strides_cannot_express_is_a_copy",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "p = permute(x, permutation=[1,0])\n"
     "r = reshape(p, shape=[128])\n"
     "b = exp(r)\n"
     "return y=b\n",
     {"view", "op reshape", "exp"},
     {"layout-copy: reshape %2 has to copy, since no strides express it; exp %3 reads its result from "
      "memory"}},
    {"reshape_that_copies_stands_between",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "p = permute(a, permutation=[1,0])\n"
     "r = reshape(p, shape=[128])\n"
     "b = exp(r)\n"
     "return y=b\n",
     {"relu", "view", "op reshape", "exp"},
     {"layout-copy: reshape %3 has to copy, since no strides express it; it reads the result of relu %1 from "
      "memory",
      "layout-copy: reshape %3 has to copy, since no strides express it; exp %4 reads its result from "
      "memory"}},
    {"readings_of_a_copy",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "p = permute(x, permutation=[1,0])\n"
     "r = reshape(p, shape=[128])\n"
     "q = reshape(r, shape=[4,32])\n"
     "b = exp(q)\n"
     "return y=b\n",
     {"view", "op reshape", "view", "exp"},
     {"layout-copy: reshape %2 has to copy, since no strides express it; exp %4 reads its result from "
      "memory"}},
    {"sources_are_computed_where_they_are_read",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "w = input(to=f32, shape=[16,16])\n"
     "u = random_uniform(shape=[8,16], to=f32, seed=1, counter=2)\n"
     "a = mul(x, u)\n"
     "m = matmul(a, w)\n"
     "b = mul(m, u)\n"
     "return y=b\n",
     {"random_uniform mul", "op matmul", "random_uniform mul"},
     {"library-op: matmul %4 runs in a library; it reads the result of mul %3 from memory",
      "library-op: matmul %4 runs in a library; mul %5 reads its result from memory"}},
    {"source_that_one_reader_needs_from_memory_is_read_by_all",
     // add could compute its numbers again, mul in the same kernel would take each four times.
     "graph g\n"
     "x = input(to=f32, shape=[8])\n"
     "y = input(to=f32, shape=[4,8])\n"
     "u = random_uniform(shape=[8], to=f32, counter=0)\n"
     "a = add(x, u)\n"
     "b = mul(y, u)\n"
     "c = add(b, a)\n"
     "return c=c\n",
     {"random_uniform", "add mul add"},
     {}},
    {"random_numbers_are_not_repeated_along_axes_they_lack",
     "graph g\n"
     "x = input(to=f32, shape=[8])\n"
     "y = input(to=f32, shape=[4096,8])\n"
     "u = random_uniform(shape=[8], to=f32, counter=0)\n"
     "a = add(x, u)\n"
     "c = mul(y, a)\n"
     "return c=c\n",
     {"random_uniform add", "mul"},
     {"recompute: add %3 and mul %4 stay apart: random_uniform %2 would be computed again along the axes it "
      "lacks"}},
    {"source_of_an_op_without_kernel_is_in_memory",
     "graph g\n"
     "i = iota(shape=[8,3,2], axis=0, to=i64)\n"
     "y = amax(i, axes=[0,2])\n"
     "return y=y\n",
     {"iota", "op amax"},
     {}},
    {"costly_op_is_not_repeated_along_axes_it_lacks",
     "graph g\n"
     "x = input(to=f32, shape=[64,16])\n"
     "z = input(to=f32, shape=[16])\n"
     "a = tanh(z)\n"
     "y = add(x, a)\n"
     "return y=y\n",
     {"tanh", "add"},
     {"recompute: tanh %2 and add %3 stay apart: tanh %2 would be computed again along the axes it lacks"}},
    {"one_number_is_computed_in_the_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[64,16])\n"
     "z = input(to=f32, shape=[])\n"
     "a = tanh(z)\n"
     "y = mul(x, a)\n"
     "return y=y\n",
     {"tanh mul"},
     {}},
    {"small_value_needed_by_itself_has_its_own_kernel",
     "graph g\n"
     "x = input(to=f32, shape=[64,16])\n"
     "z = input(to=f32, shape=[16])\n"
     "a = neg(z)\n"
     "y = mul(x, a)\n"
     "return a=a, y=y\n",
     {"neg", "mul"},
     {"broadcast: neg %2 and mul %3 stay apart: neg %2 is also needed by itself, and these loops would write "
      "each element repeatedly"}},
    {"independent_kernels_of_one_space_share_a_launch",
     "graph g\n"
     "x = input(to=f32, shape=[8,16])\n"
     "z = input(to=f32, shape=[8,16])\n"
     "a = relu(x)\n"
     "b = exp(z)\n"
     "return a=a, b=b\n",
     {"relu exp"},
     {}},
    {"large_independent_kernels_stay_apart",
     "graph g\n"
     "x = input(to=f32, shape=[1024,1024])\n"
     "z = input(to=f32, shape=[1024,1024])\n"
     "a = relu(x)\n"
     "b = exp(z)\n"
     "return a=a, b=b\n",
     {"relu", "exp"},
     {}},
};

class Fuse : public testing::TestWithParam<Case> {};

TEST_P(Fuse, GroupsAndReasons) {
  const Case& row = GetParam();
  const ir::Graph graph = parse(row.text);
  const FusionPlan plan = fuse(graph);
  EXPECT_EQ(steps(graph, plan), row.steps);
  EXPECT_EQ(sentences(plan), row.refusals);
}

INSTANTIATE_TEST_SUITE_P(Cases, Fuse, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace foretell::passes
