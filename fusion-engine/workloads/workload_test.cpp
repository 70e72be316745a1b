// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/workload.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "fusion-engine/workloads/all.hpp"

namespace foretell::workloads {
namespace {

using testing::HasSubstr;

std::int64_t count(const ir::Graph& graph, ir::OpKind op) {
  return std::ranges::count(graph.nodes(), op, &ir::Node::op);
}

Workload load(const std::string& name, std::vector<GivenParameter> given = {}) {
  auto workload = load_workload(name, given);
  EXPECT_TRUE(workload) << workload.error().message;
  return std::move(*workload);
}

TEST(Workloads, DefaultsBuildAndFitALaptop) {
  for (const WorkloadInfo& info : all_workloads()) {
    SCOPED_TRACE(info.name);
    const Workload workload = load(std::string(info.name));
    EXPECT_EQ(workload.graph.outputs().size(), 1U);
    EXPECT_EQ(workload.parameters.size(), info.parameters.size());
    for (const ir::Node& node : workload.graph.nodes()) {
      EXPECT_LE(ir::size_bytes(node.type), 64 << 20);
    }
  }
}

TEST(Chain, HasAsManyOpsOfTheGivenSize) {
  const Workload workload = load("chain", {{"ops", "7"}, {"size", "4K"}, {"dtype", "bf16"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::Add), 3);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Mul), 2);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Relu), 2);
  const ir::Type& type = workload.graph.type(workload.graph.outputs().front().node);
  EXPECT_EQ(ir::to_string(type), "bf16[2048]");
}

TEST(NormAct, HasRowsOfTheGivenLength) {
  const Workload workload = load("norm-act", {{"size", "1M"}, {"hidden", "256"}, {"layers", "2"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::LayerNorm), 2);
  EXPECT_EQ(ir::to_string(workload.graph.type(workload.graph.outputs().front().node)), "f32[1024,256]");
}

// What the report says is what is built: no size that is rounded in secret.
TEST(Sizes, AreThoseOfWholeRowsAndElements) {
  const Workload norm = load("norm-act", {{"size", "10K"}, {"hidden", "1024"}});
  EXPECT_EQ(number(norm.parameters, "size"), 8192);
  EXPECT_EQ(ir::to_string(norm.graph.type(norm.graph.outputs().front().node)), "f32[2,1024]");

  const Workload chain = load("chain", {{"size", "4099"}});
  EXPECT_EQ(number(chain.parameters, "size"), 4096);
  EXPECT_EQ(ir::to_string(chain.graph.type(chain.graph.outputs().front().node)), "f32[1024]");
}

TEST(NormAct, RefusesASizeBelowARow) {
  const GivenParameter given[] = {{"size", "1K"}};
  const auto loaded = load_workload("norm-act", given);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error(), (Error{ErrorCode::Usage, "--size",
                                   "expected at least 4.00 KiB, a row of --hidden, found 1.00 KiB", ""}));
}

TEST(Gemm, AlternatesTheExtents) {
  const Workload workload = load("gemm", {{"size", "2,3,5"}, {"layers", "3"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::Matmul), 3);
  EXPECT_EQ(ir::to_string(workload.graph.type(workload.graph.outputs().front().node)), "f32[2,3]");
}

TEST(Mlp, HasALayerOfFourOps) {
  const Workload workload = load("mlp-b1", {{"layers", "2"}, {"hidden", "8"}, {"batch", "3"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::Matmul), 2);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Add), 4);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Relu), 2);
  EXPECT_EQ(ir::to_string(workload.graph.type(workload.graph.outputs().front().node)), "f32[3,8]");
}

struct Shrunk {
  std::string_view name;
  std::vector<GivenParameter> given;
  std::string_view parameter, shown;  // that changed
};

TEST(Shrink, KeepsWhatAnElementsRoundingDependsOn) {
  const Shrunk rows[] = {
      {"chain", {{"ops", "9"}, {"size", "1G"}}, "size", "4.00 KiB"},
      {"norm-act", {{"hidden", "256"}, {"size", "1G"}}, "size", "4.00 KiB"},
      {"gemm", {{"size", "4096,512,256"}}, "size", "2 x 512 x 256"},
      {"mlp-b1", {{"batch", "4096"}, {"hidden", "64"}}, "batch", "16"},
  };
  for (const Shrunk& row : rows) {
    SCOPED_TRACE(row.name);
    const Workload full = load(std::string(row.name), row.given);
    const auto small = shrunk(full, 1024);
    ASSERT_TRUE(small);
    for (std::size_t i = 0; i < full.parameters.size(); ++i) {
      if (full.parameters[i].name == row.parameter) {
        EXPECT_EQ(to_string(small->parameters[i]), row.shown);
      } else {
        EXPECT_EQ(small->parameters[i], full.parameters[i]);
      }
    }
    EXPECT_EQ(small->graph.size(), full.graph.size());
  }
}

TEST(Shrink, NothingWhereItIsSmallAlready) { EXPECT_FALSE(shrunk(load("chain", {{"size", "4K"}}), 1024)); }

TEST(LoadWorkload, UnknownNamesListTheValidOnes) {
  const auto loaded = load_workload("norm_act", {});

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error(),
            (Error{ErrorCode::Usage, "--workload",
                   "unknown workload 'norm_act', expected a file or one of: chain, norm-act, gemm, mlp-b1",
                   "did you mean 'norm-act'?"}));
}

TEST(LoadWorkload, ParametersOfAnotherWorkload) {
  const GivenParameter given[] = {{"hidden", "64"}};
  const auto loaded = load_workload("chain", given);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().hint, "it takes --ops, --size, --dtype");
}

class WorkloadFile : public testing::Test {
 protected:
  WorkloadFile() : path_(testing::TempDir() + "foretell_workload_" + std::to_string(::getpid()) + ".graph") {}
  void TearDown() override { std::remove(path_.c_str()); }
  void write(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }
  const std::string path_;
};

TEST_F(WorkloadFile, IsTheGraph) {
  write("graph twice\nx = input(to=f32, shape=[4])\nrepeat 2 {\n  x = tanh(x)\n}\nreturn y=x\n");
  const auto loaded = load_workload(path_, {});

  ASSERT_TRUE(loaded) << loaded.error().where << ": " << loaded.error().message;
  EXPECT_EQ(loaded->name, path_);
  EXPECT_EQ(loaded->graph.name(), "twice");
  EXPECT_EQ(count(loaded->graph, ir::OpKind::Tanh), 2);
  EXPECT_FALSE(shrunk(*loaded, 1));
}

TEST_F(WorkloadFile, TakesNoParameters) {
  write("graph g\nx = input(to=f32, shape=[4])\nreturn y=x\n");
  const GivenParameter given[] = {{"ops", "3"}};
  const auto loaded = load_workload(path_, given);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::Usage);
  EXPECT_EQ(loaded.error().message, "a workload file takes no parameters");
}

TEST_F(WorkloadFile, FaultsAreToldWithTheirPlace) {
  write("graph g\nx = input(to=f32, shape=[4])\ny = tanhh(x)\nreturn y=y\n");
  const auto loaded = load_workload(path_, {});

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::BadInput);
  EXPECT_THAT(loaded.error().where, HasSubstr(path_ + ":3:"));
}

TEST_F(WorkloadFile, MissingFile) {
  const auto loaded = load_workload(path_, {});

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::BadInput);
  EXPECT_EQ(loaded.error().message, "no such file");
}

}  // namespace
}  // namespace foretell::workloads
