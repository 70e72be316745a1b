// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/eager_executor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusion-engine/runtime/cpu/executor_test_support.hpp"

namespace foretell::runtime::cpu {
namespace {

struct Program {
  std::string name;
  std::string text;
};

const std::vector<Program>& programs() {
  static const std::vector<Program> kPrograms{
      {"broadcast", R"(x = input(to=f32, shape=[5,1,7])
y = input(to=f32, shape=[3,7])
c = constant(value=0.25, to=f32)
t1 = add(x, y)
t2 = mul(x, c)
return s=t1, p=t2)"},
      {"compare_select", R"(x = input(to=f64, shape=[130])
y = input(to=f64, shape=[130])
m = lt(x, y)
t1 = where(m, y, x)
return big=t1, mask=m)"},
      {"views", R"(x = input(to=f32, shape=[4,6,10])
t = permute(x, permutation=[2,0,1])
s = slice(t, starts=[1,0,1], limits=[9,4,6], steps=[2,1,2])
t1 = slice(x, starts=[0,0,0], limits=[4,6,1], steps=[1,1,1])
e = expand(t1, shape=[4,6,10])
t2 = add(x, e)
t3 = reshape(x, shape=[24,10])
t4 = exp(s)
return a=s, b=t2, c=t3, d=t4)"},
      {"reshape_that_copies", R"(x = input(to=f32, shape=[8,16])
t = permute(x, permutation=[1,0])
r = reshape(t, shape=[128])
t1 = neg(r)
return y=t1, z=r)"},
      {"reductions", R"(x = input(to=f32, shape=[33,65])
t1 = sum(x, axes=[1])
t2 = mean(x, axes=[0], keep_dims=true)
t3 = var(x, axes=[1], correction=1)
t4 = argmax(x, axis=1)
t5 = amax(x, axes=[0,1])
return s=t1, m=t2, v=t3, a=t4, all=t5)"},
      {"concat_pad", R"(x = input(to=bf16, shape=[3,5])
y = input(to=bf16, shape=[2,5])
t1 = reshape(y, shape=[5,2])
t2 = permute(t1, permutation=[1,0])
c = concat(x, y, x, t2, y, axis=0)
t3 = pad(c, before=[1,2], after=[0,1], value=0.5)
return c=c, p=t3)"},
      {"indexing", R"(x = input(to=f32, shape=[11,6])
i = input(to=i64, shape=[4])
u = input(to=f32, shape=[4,6])
g = gather(x, i, axis=0)
t1 = scatter_add(x, i, u, axis=0)
return g=g, s=t1)"},
      {"sources", R"(x = input(to=f32, shape=[40])
n = iota(shape=[40], axis=0, to=f32)
r = random_uniform(shape=[40], to=f32, seed=3, counter=1)
d = dropout(x, probability=0.25, seed=1, counter=2)
t1 = mul(x, n)
t2 = add(t1, r)
return a=t2, d=d)"},
      {"perceptron", R"(x = input(to=f32, shape=[3,64])
w = input(to=f32, shape=[48,64])
b = input(to=f32, shape=[48])
t1 = matmul(x, w, transpose_b=true)
t2 = add(t1, b)
h = gelu(t2)
n = layer_norm(h)
t3 = softmax(n, axis=-1)
return y=t3)"},
      {"attention", R"(q = input(to=f32, shape=[2,3,9,16])
k = input(to=f32, shape=[2,3,9,16])
v = input(to=f32, shape=[2,3,9,16])
t1 = attention(q, k, v, causal=true)
return y=t1)"},
      {"batched_products", R"(a = input(to=f32, shape=[3,1,20,17])
b = input(to=f32, shape=[2,17,33])
c = input(to=f32, shape=[33,4])
p = matmul(a, b)
t1 = matmul(p, c)
return y=t1)"},
      {"narrow_products", R"(a = input(to=bf16, shape=[20,40])
b = input(to=bf16, shape=[40,12])
h = input(to=f16, shape=[20,40])
k = input(to=f16, shape=[12,40])
t1 = matmul(a, b)
t2 = matmul(h, k, transpose_b=true)
return y=t1, z=t2)"},
      {"exact_products", R"(a = input(to=f64, shape=[2,37,300])
b = input(to=f64, shape=[300,41])
t1 = matmul(a, b)
t2 = matmul(b, a, transpose_a=true, transpose_b=true)
return y=t1, z=t2)"},
      {"product_of_views", R"(a = input(to=f32, shape=[30,40])
s = slice(a, starts=[0,1], limits=[30,39], steps=[3,2])
t1 = matmul(s, s, transpose_b=true)
t2 = slice(a, starts=[0,0], limits=[30,1], steps=[1,1])
t3 = expand(t2, shape=[30,40])
t4 = matmul(t3, a, transpose_b=true)
return y=t1, o=t4)"},
      {"dead_and_shared", R"(x = input(to=f32, shape=[100])
unused = input(to=f32, shape=[7])
dead = exp(unused)
y = exp(x)
z = add(y, y)
w = mul(z, y)
return a=w, b=w, c=x, d=y)"},
      {"casts", R"(x = input(to=f32, shape=[70])
h = cast(x, to=f16)
t1 = constant(value=10, to=f32)
t2 = mul(x, t1)
i = cast(t2, to=i32)
t3 = cast(i, to=bool)
t4 = cast(h, to=f64)
return h=h, i=i, b=t3, back=t4)"},
  };
  return kPrograms;
}

struct Setting {
  std::string name;
  DeviceOptions device;
};
class EagerPrograms : public ::testing::TestWithParam<std::tuple<Program, Setting>> {};
INSTANTIATE_TEST_SUITE_P(
    Eager, EagerPrograms,
    ::testing::Combine(
        ::testing::ValuesIn(programs()),
        ::testing::Values(Setting{"one", {.stream = {.threads = 1}}},
                          Setting{"two", {.stream = {.threads = 2}}},
                          Setting{"three_system", {.stream = {.threads = 3}, .allocator = "system"}},
                          Setting{"one_lane", {.stream = {.one_lane = true}}},
                          Setting{"one_system", {.stream = {.threads = 1}, .allocator = "system"}})),
    [](const auto& test) { return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name; });

TEST_P(EagerPrograms, GiveWhatTheInterpreterGives) {
  const ir::Graph graph = parse(std::get<0>(GetParam()).text);
  auto device = open_cpu_device(std::get<1>(GetParam()).device);
  ASSERT_TRUE(device.has_value());
  {
    InputSet inputs = InputSet::random(graph, *device, 7);
    const auto executor = make_eager_executor(graph, *device, inputs);
    const std::vector<ir::HostTensor> host = to_host(inputs);
    for (int step = 0; step < 3; ++step) {  // the later ones in memory that was used before
      const auto enqueued = executor->step();
      ASSERT_TRUE(enqueued.has_value()) << enqueued.error().message;
      ASSERT_TRUE(executor->synchronize().has_value());
      expect_as_interpreted(graph, host, *executor);
    }
    const auto times = executor->time_ops();
    ASSERT_TRUE(times.has_value());
    expect_as_interpreted(graph, host, *executor);
  }
  EXPECT_EQ(device->allocator->counters().live_bytes, 0);
}

class Eager : public ::testing::Test {
 protected:
  void open(const std::string& text, const DeviceOptions& options = {.stream = {.threads = 1}}) {
    graph_ = parse(text);
    device_ = std::make_unique<CpuDevice>(open_cpu_device(options).value());
    inputs_ = std::make_unique<InputSet>(InputSet::random(graph_, *device_, 3));
    executor_ = make_eager_executor(graph_, *device_, *inputs_);
  }
  void run() {
    ASSERT_TRUE(executor_->step().has_value());
    ASSERT_TRUE(executor_->synchronize().has_value());
  }
  ir::Graph graph_;
  std::unique_ptr<CpuDevice> device_;
  std::unique_ptr<InputSet> inputs_;
  std::unique_ptr<Executor> executor_;
};

TEST_F(Eager, CountsWhatAStepDid) {
  open(R"(x = input(to=f32, shape=[1000])
a = exp(x)
b = reshape(a, shape=[10,100])
c = add(b, b)
t1 = sum(c, axes=[1])
return y=t1)");
  run();
  run();
  const StepCounters counters = executor_->counters();
  EXPECT_EQ(counters.dispatches, 4);
  EXPECT_EQ(counters.launches, 3);  // a view launches nothing
  EXPECT_EQ(counters.bytes_read, 4000 + 8000 + 4000);
  EXPECT_EQ(counters.bytes_written, 4000 + 4000 + 40);
  EXPECT_EQ(counters.bytes_converted, 0);
  EXPECT_GE(counters.allocations, 3);
  EXPECT_EQ(counters.system_allocations, 0);  // all from the second step on
}

TEST_F(Eager, BroadcastOperandsAreReadOnce) {
  open(R"(x = input(to=f32, shape=[100,100])
y = input(to=f32, shape=[100])
t1 = expand(y, shape=[100,100])
t2 = add(x, t1)
return z=t2)");
  run();
  EXPECT_EQ(executor_->counters().bytes_read, 40000 + 400);
}

TEST_F(Eager, SystemAllocatorGoesToTheSystemEachTime) {
  open("x = input(to=f32, shape=[1000])\nn = neg(x)\ne = exp(n)\nreturn y=e",
       {.stream = {.threads = 1}, .allocator = "system"});
  run();
  run();
  EXPECT_EQ(executor_->counters().system_allocations, executor_->counters().allocations);
  EXPECT_EQ(executor_->counters().allocations, 2);
}

TEST_F(Eager, AChainNeedsTwoIntermediates) {
  open(R"(x = input(to=f32, shape=[4096])
repeat 50 {
  t1 = neg(x)
  x = exp(t1)
}
return y=x)");
  run();
  device_->allocator->reset_counters();
  run();
  // Beside the input and the last step's result, which is released first: what an op reads and what it
  // writes.
  EXPECT_LE(device_->allocator->counters().peak_bytes, 3 * 16384);
}

TEST_F(Eager, TimesEveryOp) {
  open("x = input(to=f32, shape=[64,64])\na = matmul(x, x)\nr = relu(a)\nreturn y=r");
  const auto times = executor_->time_ops();
  ASSERT_TRUE(times.has_value());
  ASSERT_EQ(times->size(), 2U);
  EXPECT_EQ((*times)[0].name, "matmul");
  EXPECT_EQ((*times)[1].name, "relu");
  EXPECT_EQ((*times)[1].bytes, 2 * 64 * 64 * 4);
  for (const OpTime& time : *times) {
    EXPECT_GT(time.device_ns, 0);
    EXPECT_GT(time.host_ns, 0);
  }
}

TEST_F(Eager, CopiesIntoStatesAreTimedAsOneRow) {
  open(R"(a = input(to=f32, shape=[500])
b = input(to=f32, shape=[500])
t1 = neg(a)
return a2=b updates a, b2=a updates b, y=t1)");
  const auto times = executor_->time_ops();
  ASSERT_TRUE(times.has_value());
  ASSERT_EQ(times->size(), 2U);
  EXPECT_EQ((*times)[1].name, "state copies");
  EXPECT_EQ((*times)[1].bytes, 4 * 2 * 2000);  // both put aside, then both written
  EXPECT_GT((*times)[1].device_ns, 0);
  EXPECT_GT((*times)[1].host_ns, 0);
}

TEST_F(Eager, ResetGivesTheFirstStatesAgain) {
  open(R"(s = input(to=f32, shape=[300])
t1 = neg(s)
return s2=t1 updates s)");
  run();
  const ir::HostTensor first = executor_->output(0);
  run();
  EXPECT_NE(executor_->output(0).bytes, first.bytes);
  executor_->reset();
  run();
  EXPECT_EQ(executor_->output(0).bytes, first.bytes);
}

TEST_F(Eager, OutputNeedsAStepBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  open("x = input(to=f32, shape=[10])\nt1 = neg(x)\nreturn y=t1");
  EXPECT_DEATH(executor_->output(0), "shown_");
}

TEST_F(Eager, IndexOutOfRangeIsReportedBySynchronizeOnce) {
  graph_ = parse(
      "x = input(to=f32, shape=[5,2])\ni = input(to=i64, shape=[3])\ng = gather(x, i, axis=0)\nreturn y=g");
  device_ = std::make_unique<CpuDevice>(open_cpu_device({.stream = {.threads = 1}}).value());
  std::vector<ir::HostTensor> host{ir::random_tensor(graph_.type(graph_.inputs()[0]), 1),
                                   ir::make_tensor(graph_.type(graph_.inputs()[1]))};
  ir::set(host[1], 1, 5);
  inputs_ = std::make_unique<InputSet>(InputSet::copy(graph_, *device_, host).value());
  executor_ = make_eager_executor(graph_, *device_, *inputs_);
  ASSERT_TRUE(executor_->step().has_value());
  const auto done = executor_->synchronize();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::BadInput);
  EXPECT_EQ(done.error().where, "test: %2");
  EXPECT_EQ(done.error().message, "gather: index out of range at element 1 of its index operand");
  EXPECT_TRUE(executor_->synchronize().has_value());
}

}  // namespace
}  // namespace foretell::runtime::cpu
