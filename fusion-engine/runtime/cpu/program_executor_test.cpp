// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/program_executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "fusion-engine/codegen/generate.hpp"
#include "fusion-engine/codegen/test_directory.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/runtime/cpu/fused_kernels.hpp"

namespace foretell::runtime::cpu {
namespace {

// Values are small integers or a few roundings away from what the interpreter says.
constexpr double kTolerance = 1e-5;

// A graph, its inputs, and an executor over them; each with a kernel cache of its own.
class Fixture {
 public:
  explicit Fixture(std::string_view text, const ExecutionForm& form = kFused,
                   const DeviceOptions& options = {.stream = {.threads = 2, .pin = false}})
      : graph_(parse(text)), device_(open(options)) {
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      host_inputs_.push_back(ir::random_tensor(graph_.type(graph_.inputs()[i]), 17 + i));
    }
    first_inputs_ = host_inputs_;
    inputs_ = std::make_unique<InputSet>(InputSet::copy(graph_, device_, host_inputs_).value());
    std::shared_ptr<const codegen::KernelLibrary> library;
    if (form.fused) {
      program_ = build_fused_program(graph_, device_).value();
      library = load(program_, device_, cache_);
    } else {
      program_ = build_op_program(graph_);
    }
    auto executor = make_program_executor(program_, form, library, device_, *inputs_);
    EXPECT_TRUE(executor.has_value()) << executor.error().message;
    executor_ = *std::move(executor);
  }

  static std::shared_ptr<const codegen::KernelLibrary> load(Program& program, const CpuDevice& device,
                                                            const codegen::TestDirectory& cache) {
    Program* const programs[]{&program};
    return load_fused_kernels(programs, find_compiler(), {.directory = cache.path()}, device).value();
  }
  static codegen::Compiler find_compiler() { return codegen::find_compiler().value(); }

  Executor& executor() { return *executor_; }
  const Program& program() const { return program_; }
  InputSet& inputs() { return *inputs_; }
  CpuDevice& device() { return device_; }
  void destroy_executor() { executor_.reset(); }
  void destroy_inputs() { inputs_.reset(); }

  // To the states that the inputs began with.
  void reset() {
    executor_->reset();
    host_inputs_ = first_inputs_;
  }

  // Runs a step here and in the interpreter, whose states go on from step to step.
  void step_and_compare() {
    const auto want = interp::evaluate(graph_, host_inputs_);
    ASSERT_TRUE(want.has_value()) << want.error().message;
    auto done = executor_->step();
    ASSERT_TRUE(done.has_value()) << done.error().message;
    done = executor_->synchronize();
    ASSERT_TRUE(done.has_value()) << done.error().message;
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ir::Output& output = graph_.outputs()[i];
      const ir::HostTensor got = executor_->output(i);
      compare(got, (*want)[i], output.name);
      if (output.state_of) {
        const std::size_t input = input_index(*output.state_of);
        compare(inputs_->to_host(input), (*want)[i], output.name + "'s state");
        for (std::int64_t e = 0; e < ir::elements(got.type.shape); ++e) {
          ir::set(host_inputs_[input], e, reference((*want)[i], e));
        }
      }
    }
    for (std::size_t i = 0; i < inputs_->size(); ++i) {
      compare_bytes(i);
    }
  }

 private:
  static ir::Graph parse(std::string_view text) {
    auto graph = ir::parse(text);
    EXPECT_TRUE(graph.has_value()) << graph.error().where << ": " << graph.error().message;
    return graph ? *std::move(graph) : ir::Graph();
  }
  static CpuDevice open(const DeviceOptions& options) { return open_cpu_device(options).value(); }

  std::size_t input_index(ir::NodeId id) const {
    return static_cast<std::size_t>(std::ranges::find(graph_.inputs(), id) - graph_.inputs().begin());
  }
  static double reference(const interp::Value& value, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return value.reals.empty() ? static_cast<double>(value.integers[at]) : value.reals[at];
  }
  static void compare(const ir::HostTensor& got, const interp::Value& want, const std::string& name) {
    ASSERT_EQ(got.type, want.type) << name;
    for (std::int64_t i = 0; i < ir::elements(got.type.shape); ++i) {
      ASSERT_NEAR(ir::get(got, i), reference(want, i), kTolerance) << name << "[" << i << "]";
    }
  }
  // Inputs that no output updates are as they were.
  void compare_bytes(std::size_t input) const {
    const bool is_state = std::ranges::any_of(graph_.outputs(), [&](const ir::Output& output) {
      return output.state_of == graph_.inputs()[input];
    });
    if (!is_state) {
      EXPECT_EQ(inputs_->to_host(input).bytes, host_inputs_[input].bytes) << "input " << input;
    }
  }

  codegen::TestDirectory cache_;
  ir::Graph graph_;
  CpuDevice device_;
  std::vector<ir::HostTensor> first_inputs_;
  std::vector<ir::HostTensor> host_inputs_;
  std::unique_ptr<InputSet> inputs_;
  Program program_;
  std::unique_ptr<Executor> executor_;
};

struct Case {
  std::string_view name;
  std::string_view text;
};
class ProgramExecutor : public testing::TestWithParam<std::tuple<Case, ExecutionForm>> {};
TEST_P(ProgramExecutor, GivesWhatTheInterpreterGives) {
  Fixture fixture(std::get<0>(GetParam()).text, std::get<1>(GetParam()));
  for (int step = 0; step < 3; ++step) {
    SCOPED_TRACE(step);
    fixture.step_and_compare();
  }
}

const Case kCases[] = {
    {"chain",
     "graph g\nx = input(to=f32, shape=[33,70])\na = relu(x)\nb = mul(a, x)\nc = add(b, a)\nreturn y=c\n"},
    {"kernel_and_library",
     "graph g\nx = input(to=f32, shape=[8,16])\nw = input(to=f32, shape=[16,4])\nm = matmul(x, w)\nr = "
     "relu(m)\n"
     "return y=r, m=m\n"},
    {"reduction",
     "graph g\nx = input(to=f32, shape=[5,300])\nm = mean(x, axes=[1], keep_dims=true)\nd = sub(x, "
     "m)\nreturn y=d, m=m\n"},
    {"reduction_of_all",
     "graph g\nx = input(to=f32, shape=[50,300])\ns = square(x)\nm = mean(s, axes=[0,1])\nreturn y=m\n"},
    {"views",
     "graph g\nx = input(to=f32, shape=[6,10])\np = permute(x, permutation=[1,0])\n"
     "s = slice(p, starts=[2,1], limits=[9,5], steps=[2,1])\ny = input(to=f32, shape=[4,4])\n"
     "m = matmul(s, y)\na = add(m, s)\nreturn out=a, view=s, flat=p\n"},
    {"reshape_that_copies",
     "graph g\nx = input(to=f32, shape=[6,10])\np = permute(x, permutation=[1,0])\nr = reshape(p, "
     "shape=[60])\n"
     "n = neg(r)\nreturn y=n, r=r\n"},
    {"output_is_an_input",
     "graph g\nx = input(to=f32, shape=[3])\ny = input(to=i64, shape=[2])\nreturn a=x, b=y, c=x\n"},
    {"output_is_a_constant",
     "graph g\nx = input(to=f32, shape=[3])\nc = constant(value=2.5, to=f32)\ne = expand(c, shape=[2,3])\n"
     "return a=c, b=e, x=x\n"},
    {"constant_into_an_op",
     "graph g\nx = input(to=f32, shape=[2,3])\nc = constant(value=2, to=f32)\ne = expand(c, shape=[3,2])\n"
     "m = matmul(x, e)\nreturn y=m\n"},
    {"same_output_twice", "graph g\nx = input(to=f32, shape=[3])\na = neg(x)\nreturn p=a, q=a\n"},
    {"equal_kernels",
     "graph g\nx = input(to=f32, shape=[4,4])\na = relu(x)\nm = matmul(a, x)\nb = relu(m)\nn = matmul(b, x)\n"
     "c = relu(n)\nreturn y=c\n"},
    {"gather",
     "graph g\nx = input(to=f32, shape=[8,4])\ni = input(to=i64, shape=[5])\ng = gather(x, i, axis=0)\n"
     "r = relu(g)\nreturn y=r\n"},
    {"empty", "graph g\nx = input(to=f32, shape=[0,4])\na = relu(x)\nreturn y=a\n"},
    {"state_in_place",
     "graph g\ns = input(to=f32, shape=[40])\nx = input(to=f32, shape=[40])\nt = add(s, x)\n"
     "u = mul(t, x)\nreturn s2=t updates s, y=u\n"},
    {"state_and_old_value",
     "graph g\ns = input(to=f32, shape=[40])\nx = input(to=f32, shape=[40])\nt = add(s, x)\n"
     "return s2=t updates s, old=s\n"},
    {"state_and_old_view",
     "graph g\ns = input(to=f32, shape=[4,6])\nt = neg(s)\nv = permute(s, permutation=[1,0])\n"
     "return s2=t updates s, old=v\n"},
    {"states_swapped",
     "graph g\na = input(to=f32, shape=[7])\nb = input(to=f32, shape=[7])\nreturn a2=b updates a, b2=a "
     "updates b\n"},
    {"states_swapped_and_changed",
     "graph g\na = input(to=f32, shape=[7])\nb = input(to=f32, shape=[7])\nn = neg(a)\n"
     "return a2=b updates a, b2=n updates b\n"},
    {"states_rotated",
     "graph g\na = input(to=f32, shape=[7])\nb = input(to=f32, shape=[7])\nc = input(to=f32, shape=[7])\n"
     "return a2=b updates a, b2=c updates b, c2=a updates c\n"},
    {"states_crossed_in_one_kernel",
     "graph g\na = input(to=f32, shape=[70])\nb = input(to=f32, shape=[70])\nm = neg(b)\nn = sub(a, b)\n"
     "return a2=m updates a, b2=n updates b\n"},
    {"state_is_itself",
     "graph g\ns = input(to=f32, shape=[7])\nx = input(to=f32, shape=[7])\nt = add(s, x)\n"
     "return s2=s updates s, y=t\n"},
    {"state_is_its_own_transpose",
     "graph g\ns = input(to=f32, shape=[5,5])\nt = permute(s, permutation=[1,0])\nreturn s2=t updates s\n"},
    {"state_from_an_op",
     "graph g\ns = input(to=f32, shape=[4,4])\nx = input(to=f32, shape=[4,4])\nm = matmul(s, x)\nt = "
     "tanh(m)\n"
     "return s2=m updates s, y=t\n"},
    {"state_read_by_a_later_op",
     "graph g\ns = input(to=f32, shape=[4,4])\nx = input(to=f32, shape=[4,4])\nt = tanh(x)\nm = matmul(t, "
     "s)\n"
     "return s2=t updates s, y=m\n"},
    {"one_value_for_two_states",
     "graph g\na = input(to=f32, shape=[7])\nb = input(to=f32, shape=[7])\nx = input(to=f32, shape=[7])\n"
     "t = sub(x, a)\nreturn a2=t updates a, b2=t updates b, y=t\n"},
};
INSTANTIATE_TEST_SUITE_P(All, ProgramExecutor,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values(kReplay, kFused, kPlanned, kFull)),
                         [](const auto& row) {
                           return std::string(std::get<1>(row.param).name) + "_" +
                                  std::string(std::get<0>(row.param).name);
                         });

std::string_view text_of(std::string_view name) { return std::ranges::find(kCases, name, &Case::name)->text; }

TEST(ProgramExecutorTest, CountsOneLaunchPerKernelAndLibraryOp) {
  Fixture fixture(text_of("kernel_and_library"));
  fixture.step_and_compare();
  const StepCounters counters = fixture.executor().counters();
  EXPECT_EQ(counters.dispatches, 2);
  EXPECT_EQ(counters.launches, 2);
  EXPECT_EQ(counters.bytes_read, 4 * (8 * 16 + 16 * 4 + 8 * 4));
  EXPECT_EQ(counters.bytes_written, 4 * (8 * 4 + 8 * 4));
}

TEST(ProgramExecutorTest, AllocatesOnlyWhatLeavesAKernel) {
  Fixture fixture(text_of("chain"));
  fixture.step_and_compare();
  EXPECT_EQ(fixture.executor().counters().allocations, 1);
}

TEST(ProgramExecutorTest, WritesAStateInPlaceWithoutAllocation) {
  Fixture fixture("graph g\ns = input(to=f32, shape=[40])\nt = neg(s)\nreturn s2=t updates s\n");
  fixture.step_and_compare();
  EXPECT_EQ(fixture.executor().counters().allocations, 0);
  EXPECT_EQ(fixture.executor().counters().launches, 1);
}

TEST(ProgramExecutorTest, AsksTheSystemForNoMemoryOnceItRuns) {
  Fixture fixture(text_of("views"));
  fixture.step_and_compare();
  fixture.step_and_compare();
  EXPECT_GT(fixture.executor().counters().allocations, 0);
  EXPECT_EQ(fixture.executor().counters().system_allocations, 0);
}

// In no form but `fused` a step asks anybody for memory; a replay is one launch.
TEST(ProgramExecutorTest, ReplaysAsOneLaunchWithoutAllocation) {
  for (const ExecutionForm& form : {kReplay, kFull}) {
    Fixture fixture(text_of("views"), form);
    fixture.step_and_compare();
    fixture.step_and_compare();
    const StepCounters counters = fixture.executor().counters();
    EXPECT_EQ(counters.launches, 1) << form.name;
    EXPECT_EQ(counters.dispatches, 1) << form.name;
    EXPECT_EQ(counters.allocations, 0) << form.name;
    EXPECT_GT(counters.bytes_read, 0) << form.name;
  }
}

TEST(ProgramExecutorTest, PlansAnArenaInsteadOfAllocating) {
  Fixture fixture(text_of("reshape_that_copies"), kPlanned);
  fixture.step_and_compare();
  EXPECT_EQ(fixture.executor().counters().allocations, 0);
  EXPECT_GT(fixture.executor().counters().launches, 1);
  const MemoryLayout* const layout = fixture.executor().memory();
  ASSERT_NE(layout, nullptr);
  EXPECT_GE(layout->plan.arena_bytes, layout->plan.max_live_bytes);
  EXPECT_EQ(layout->steps, (std::vector<std::string>{"reshape", "neg", "state copies"}));
}

TEST(ProgramExecutorTest, TimesReplayedOpsAndReplaysOn) {
  for (const ExecutionForm& form : {kReplay, kFull}) {
    Fixture fixture(text_of("state_in_place"), form);
    fixture.step_and_compare();
    const auto times = fixture.executor().time_ops();
    ASSERT_TRUE(times.has_value()) << times.error().message;
    EXPECT_EQ(times->size(), form.fused ? 1U : 2U) << form.name;
    for (const OpTime& time : *times) {
      EXPECT_GT(time.device_ns, 0) << form.name << " " << time.name;
    }
    fixture.reset();
    fixture.step_and_compare();
  }
}

TEST(ProgramExecutorTest, GivesBackAllMemory) {
  for (const char* allocator : {"caching", "system"}) {
    Fixture fixture(text_of("views"), kFused,
                    DeviceOptions{.stream = {.threads = 2, .pin = false}, .allocator = allocator});
    const std::int64_t before = fixture.device().allocator->counters().live_bytes;
    for (int step = 0; step < 4; ++step) {
      fixture.step_and_compare();
    }
    const std::int64_t results = fixture.device().allocator->counters().live_bytes - before;
    EXPECT_LE(results, 4 * (16 + 16)) << "more than an output is kept";
    fixture.destroy_executor();
    EXPECT_EQ(fixture.device().allocator->counters().live_bytes, before);
    fixture.destroy_inputs();
    EXPECT_EQ(fixture.device().allocator->counters().live_bytes, 0);
  }
}

TEST(ProgramExecutorTest, ResetGivesTheFirstStatesAgain) {
  Fixture fixture("graph g\ns = input(to=f32, shape=[40])\nt = neg(s)\nreturn s2=t updates s\n");
  fixture.step_and_compare();
  const ir::HostTensor first = fixture.executor().output(0);
  fixture.step_and_compare();
  EXPECT_NE(fixture.executor().output(0).bytes, first.bytes);
  fixture.executor().reset();
  ASSERT_TRUE(fixture.executor().step().has_value());
  ASSERT_TRUE(fixture.executor().synchronize().has_value());
  EXPECT_EQ(fixture.executor().output(0).bytes, first.bytes);
}

TEST(ProgramExecutorTest, CopiesReadOperandsThatAreRepeatedOnce) {
  Fixture fixture(
      "graph g\nx = input(to=f32, shape=[1,8])\ns = input(to=f32, shape=[16,8])\ne = expand(x, "
      "shape=[16,8])\nreturn s2=e updates s\n");
  fixture.step_and_compare();
  EXPECT_EQ(fixture.executor().counters().bytes_read, 4 * 8);
  EXPECT_EQ(fixture.executor().counters().bytes_written, 4 * 16 * 8);
}

// Kernels write states in place: their text must not promise that memories are apart.
TEST(ProgramExecutorTest, KernelsDoNotRestrictTheirBuffers) {
  const CpuDevice device = open_cpu_device({.stream = {.threads = 1, .pin = false}}).value();
  for (const Case& each : kCases) {
    const Program program = build_fused_program(ir::parse(each.text).value(), device).value();
    if (!program.kernels.empty()) {
      EXPECT_EQ(codegen::translation_unit(program.kernels).find("restrict"), std::string::npos) << each.name;
    }
  }
}

TEST(BuildProgram, StreamsFromTheSizeThatTheDeviceSays) {
  CpuDevice device = open_cpu_device({.stream = {.threads = 1, .pin = false}}).value();
  const ir::Graph graph = ir::parse(text_of("chain")).value();
  const auto text = [&](std::int64_t streaming_bytes) {
    device.streaming_bytes = streaming_bytes;
    return build_fused_program(graph, device).value().kernels.at(0).text;
  };
  EXPECT_NE(text(1), text(1 << 30));
}

TEST(ProgramExecutorTest, TimesItsOps) {
  Fixture fixture(text_of("kernel_and_library"));
  const auto times = fixture.executor().time_ops();
  ASSERT_TRUE(times.has_value()) << times.error().message;
  ASSERT_EQ(times->size(), 2);
  EXPECT_EQ((*times)[0].name, "matmul");
  EXPECT_EQ((*times)[1].name, "fused0(relu)");
  for (const OpTime& time : *times) {
    EXPECT_GT(time.device_ns, 0);
    EXPECT_GT(time.host_ns, 0);
  }
  EXPECT_EQ((*times)[1].bytes, 4 * 2 * 8 * 4);
}

TEST(ProgramExecutorTest, SharesEqualKernels) {
  const Fixture fixture(text_of("equal_kernels"));
  ASSERT_EQ(fixture.program().kernels.size(), 3);
  EXPECT_EQ(fixture.program().kernels[0].name, fixture.program().kernels[2].name);
  EXPECT_EQ(fixture.program().report.kernels, 1);
  EXPECT_TRUE(fixture.program().kernels[0].name.starts_with("fused_relu_"))
      << fixture.program().kernels[0].name;
}

TEST(ProgramExecutorTest, ReportsAnIndexOutOfRange) {
  Fixture fixture(
      "graph g\nx = input(to=f32, shape=[2,4])\ni = input(to=i64, shape=[64])\ng = gather(x, i, "
      "axis=0)\nreturn y=g\n");
  ASSERT_TRUE(fixture.executor().step().has_value());
  const auto done = fixture.executor().synchronize();  // random indices go up to 7
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::BadInput);
}

TEST(ProgramExecutorTest, RefusesInputsOfAnotherGraph) {
  Fixture fixture(text_of("chain"));
  const ir::Graph other = ir::parse("graph h\nx = input(to=f32, shape=[3])\nreturn y=x\n").value();
  InputSet inputs = InputSet::random(other, fixture.device(), 1);
  Program program = build_fused_program(ir::parse(text_of("chain")).value(), fixture.device()).value();
  const codegen::TestDirectory cache;
  const auto executor = make_program_executor(
      program, kFused, Fixture::load(program, fixture.device(), cache), fixture.device(), inputs);
  ASSERT_FALSE(executor.has_value());
  EXPECT_EQ(executor.error().message, "the inputs belong to another graph");
}

TEST(LoadFusedKernels, CompilesTheKernelsOfAllProgramsTogether) {
  CpuDevice device = open_cpu_device({.stream = {.threads = 2, .pin = false}}).value();
  std::vector<ir::Graph> graphs;
  for (const Case& each : kCases) {
    graphs.push_back(ir::parse(each.text).value());
  }
  std::vector<Program> programs;
  std::vector<InputSet> inputs;
  for (const ir::Graph& graph : graphs) {
    programs.push_back(build_fused_program(graph, device).value());
    inputs.push_back(InputSet::random(graph, device, 3));
  }
  std::vector<Program*> program_pointers;
  for (Program& program : programs) {
    program_pointers.push_back(&program);
  }
  const codegen::TestDirectory cache;
  for (const bool warm : {false, true}) {
    auto library =
        load_fused_kernels(program_pointers, Fixture::find_compiler(), {.directory = cache.path()}, device);
    ASSERT_TRUE(library.has_value()) << library.error().message;
    EXPECT_EQ(programs[0].report.library.from_cache, warm);
    std::vector<std::unique_ptr<Executor>> executors;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      executors.push_back(make_program_executor(programs[i], kFused, *library, device, inputs[i]).value());
    }
    library->reset();
    for (auto& executor : executors) {
      const auto done = executor->step();
      EXPECT_TRUE(done.has_value()) << done.error().message;
    }
    // In any order: the code is there as long as one needs it.
    executors[0].reset();
    EXPECT_TRUE(executors[1]->step().has_value());
  }
}

}  // namespace
}  // namespace foretell::runtime::cpu
