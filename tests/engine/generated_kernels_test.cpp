// SPDX-License-Identifier: Apache-2.0
// Each generated kernel by itself, over the reference's own inputs, for every vector width.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion-engine/codegen/generate.hpp"
#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/codegen/test_directory.hpp"
#include "fusion-engine/interp/drift.hpp"
#include "fusion-engine/interp/interpreter.hpp"
#include "fusion-engine/ir/host_tensor.hpp"
#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/passes/fuse.hpp"

namespace foretell {
namespace {

// A body over "{}", the element type.
struct Case {
  std::string_view name;
  std::string_view body;
};

const Case kCases[] = {
    {"rows",
     "x = input(to={0}, shape=[9,77])\n"
     "e = square(x)\n"
     "s = sum(x, axes=[1], keep_dims=true)\n"
     "m = mean(e, axes=[1])\n"
     "h = amax(x, axes=[1])\n"
     "l = amin(e, axes=[1], keep_dims=true)\n"
     "v = var(x, axes=[1], correction=1)\n"
     "q = sub(x, s)\n"
     "t = neg(m)\n"
     "return s=s, h=h, l=l, v=v, q=q, t=t\n"},
    {"columns",
     "x = input(to={0}, shape=[3,30,77])\n"
     "h = amax(x, axes=[1], keep_dims=true)\n"
     "d = sub(x, h)\n"
     "e = exp(d)\n"
     "s = sum(e, axes=[1], keep_dims=true)\n"
     "y = div(e, s)\n"
     "v = var(x, axes=[1])\n"
     "return y=y, v=v\n"},
    {"chunks_of_rows",
     "x = input(to={0}, shape=[3,70001])\n"
     "h = amax(x, axes=[1], keep_dims=true)\n"
     "a = argmax(x, axis=1)\n"
     "d = sub(x, h)\n"
     "v = var(d, axes=[1])\n"
     "return d=d, a=a, v=v\n"},
    {"chunks_of_columns",
     "x = input(to={0}, shape=[2,3000,50])\n"
     "a = argmax(x, axis=1, keep_dims=true)\n"
     "m = mean(x, axes=[1], keep_dims=true)\n"
     "d = sub(x, m)\n"
     "return a=a, d=d\n"},
    {"rows_kept_for_later_walks",
     "x = input(to={0}, shape=[20,133])\n"
     "t = tanh(x)\n"
     "m = mean(t, axes=[1], keep_dims=true)\n"
     "d = sub(t, m)\n"
     "g = sigmoid(d)\n"
     "n = mean(g, axes=[1], keep_dims=true)\n"
     "y = mul(g, n)\n"
     "z = add(y, t)\n"
     "return z=z\n"},
    {"sources",
     "x = input(to={0}, shape=[13,37])\n"
     "u = random_uniform(shape=[13,37], to={0}, seed=5, counter=3)\n"
     "i = iota(shape=[13,37], axis=0, to={0})\n"
     "j = iota(shape=[37], axis=0, to={0})\n"
     "a = add(x, u)\n"
     "b = mul(a, i)\n"
     "c = add(b, j)\n"
     "k = sum(c, axes=[1])\n"
     "return c=c, k=k, u=u\n"},
    {"readings",
     "x = input(to={0}, shape=[13,37])\n"
     "y = input(to={0}, shape=[37,13])\n"
     "b = input(to=bool, shape=[1,13])\n"
     "p = permute(x, permutation=[1,0])\n"
     "s = slice(y, starts=[0,0], limits=[37,13], steps=[1,2])\n"
     "e = expand(s, shape=[3,37,7])\n"
     "z = where(b, p, y)\n"
     "q = exp(e)\n"
     "k = sum(p, axes=[1])\n"
     "return z=z, q=q, k=k\n"},
    {"columns_of_one_element",
     "x = input(to={0}, shape=[63,1,13])\n"
     "e = exp(x)\n"
     "s = sum(e, axes=[1], keep_dims=true)\n"
     "y = div(e, s)\n"
     "return y=y\n"},
    {"one_element_and_none",
     "x = input(to={0}, shape=[])\n"
     "e = input(to={0}, shape=[5,0])\n"
     "o = input(to={0}, shape=[40,1])\n"
     "y = relu(x)\n"
     "s = sum(e, axes=[1])\n"
     "n = neg(e)\n"
     "f = exp(o)\n"
     "t = sum(f, axes=[1])\n"
     "return y=y, s=s, n=n, t=t\n"},
};

constexpr std::size_t kGuardBytes = 256;
constexpr std::byte kGuard{0x77};

struct Program {
  ir::Graph graph;
  std::vector<interp::Value> values;  // of all nodes
  passes::FusionPlan plan;
  std::vector<codegen::KernelSource> kernels;
};

void run(const Program& program, std::size_t group, const codegen::KernelLibrary& library) {
  const passes::FusionGroup& fused = program.plan.groups[group];
  const codegen::KernelSource& kernel = program.kernels[group];
  std::vector<std::vector<std::byte>> memory;
  for (const passes::Operand& input : fused.inputs) {
    memory.push_back(interp::to_tensor(program.values[ir::index(input.buffer)]).bytes);
  }
  for (const ir::NodeId output : fused.outputs) {
    memory.push_back(ir::make_tensor(program.graph.type(output)).bytes);
    memory.back().resize(memory.back().size() + kGuardBytes, kGuard);
  }
  memory.emplace_back(static_cast<std::size_t>(kernel.scratch_bytes));
  std::vector<void*> buffers;
  for (auto& bytes : memory) {
    buffers.push_back(bytes.data());
  }
  for (const codegen::KernelStage& stage : kernel.stages) {
    const codegen::KernelEntry entry = library.find(stage.symbol);
    ASSERT_NE(entry, nullptr) << stage.symbol;
    for (std::int64_t unit = 0; unit < stage.units; unit += 3) {
      entry(buffers.data(), unit, std::min(unit + 3, stage.units));
    }
  }
  for (std::size_t i = 0; i < fused.outputs.size(); ++i) {
    std::vector<std::byte>& bytes = memory[fused.inputs.size() + i];
    const std::vector<std::byte> guard(bytes.end() - kGuardBytes, bytes.end());
    EXPECT_EQ(guard, std::vector<std::byte>(kGuardBytes, kGuard)) << "written past the end\n" << kernel.text;
    bytes.resize(bytes.size() - kGuardBytes);
    const interp::Value& reference = program.values[ir::index(fused.outputs[i])];
    const ir::HostTensor result{.type = reference.type, .bytes = bytes};
    const interp::Drift drift = interp::compare(result, reference);
    ASSERT_TRUE(drift.nonfinite_mismatches == 0 && drift.max_of_bound <= 1)
        << "output " << i << ": " << drift.max_of_bound << " of the bound, " << drift.nonfinite_mismatches
        << " non-finite\n"
        << ir::print(program.graph) << kernel.text;
  }
}

class GeneratedKernels : public testing::TestWithParam<int> {};

TEST_P(GeneratedKernels, GiveTheReferencesValues) {
  const auto compiler = codegen::find_compiler();
  if (!compiler) {
    // Generated code needs the system's compiler, which a machine may lack; the build's own may be elsewhere.
    GTEST_SKIP() << "no C++ compiler on this machine: " << compiler.error().message;
  }
  std::vector<Program> programs;
  std::vector<codegen::KernelSource> all;
  for (const Case& row : kCases) {
    for (const std::string_view dtype : {"f32", "f64", "bf16", "f16"}) {
      auto graph = ir::parse("graph g\n" + fmt::format(fmt::runtime(row.body), dtype));
      ASSERT_TRUE(graph.has_value()) << row.name << ": " << graph.error().message;
      std::vector<ir::HostTensor> inputs;
      for (const ir::NodeId input : graph->inputs()) {
        inputs.push_back(ir::random_tensor(graph->type(input), inputs.size() + 1));
      }
      auto values = interp::evaluate_all(*graph, inputs, {.bounds = true});
      ASSERT_TRUE(values.has_value()) << values.error().message;
      Program& program = programs.emplace_back(
          Program{.graph = *std::move(graph), .values = *std::move(values), .plan = {}, .kernels = {}});
      program.plan = passes::fuse(program.graph);
      for (const passes::FusionGroup& group : program.plan.groups) {
        const codegen::CodegenOptions options{.vector_bytes = GetParam(), .streaming_bytes = 4096};
        const std::string name = fmt::format("k{}", all.size());
        all.push_back(codegen::generate_kernel(program.graph, group, name, options));
        program.kernels.push_back(all.back());
      }
    }
  }
  const codegen::TestDirectory directory;
  const std::string source = codegen::translation_unit(all);
  const auto library =
      codegen::KernelLibrary::load(std::span(&source, 1), *compiler, {.directory = directory.path()});
  ASSERT_TRUE(library.has_value()) << library.error().message;
  for (const Program& program : programs) {
    for (std::size_t group = 0; group < program.plan.groups.size(); ++group) {
      run(program, group, *library);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(VectorBytes, GeneratedKernels, testing::Values(16, 32, 64),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace foretell
