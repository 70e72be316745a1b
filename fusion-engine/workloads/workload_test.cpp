// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/workload.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

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
    EXPECT_FALSE(workload.graph.outputs().empty());
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

TEST(Churn, HasResultsOfEverySize) {
  const Workload workload = load("churn", {{"size", "1K"}, {"branches", "16"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::Relu), 16);
  std::set<std::int64_t> sizes;
  for (const ir::Node& node : workload.graph.nodes()) {
    if (node.op == ir::OpKind::Relu) {
      sizes.insert(ir::size_bytes(node.type));
    }
  }
  EXPECT_EQ(sizes.size(), 16U);
  EXPECT_EQ(*sizes.begin(), 64);
  EXPECT_EQ(*sizes.rbegin(), 1024);
}

// Inputs that a step updates, by name.
std::vector<std::string> states(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::Output& output : graph.outputs()) {
    if (output.state_of) {
      names.push_back(graph.node(*output.state_of).attributes.text(ir::AttrKey::Name));
    }
  }
  return names;
}

TEST(Decode, WritesItsCachesAtThePosition) {
  const Workload workload =
      load("decode", {{"batch", "3"}, {"layers", "2"}, {"length", "16"}, {"hidden", "8"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::Attention), 2);
  EXPECT_EQ(count(workload.graph, ir::OpKind::IndexCopy), 4);
  EXPECT_THAT(states(workload.graph), testing::ElementsAre("position", "block0.keys", "block0.values",
                                                           "block1.keys", "block1.values"));
  EXPECT_EQ(ir::to_string(workload.graph.type(workload.graph.outputs().back().node)), "f32[3,1024]");
}

TEST(Decode, RefusesHeadsThatDontDivide) {
  const GivenParameter given[] = {{"heads", "3"}};
  const auto loaded = load_workload("decode", given);

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error(), (Error{ErrorCode::Usage, "--heads",
                                   "expected a number that divides --hidden, which is 256, found 3", ""}));
}

// A state of each weight and of its moments.
TEST(Training, UpdatesEveryWeightOrAllAtOnce) {
  struct Row {
    const char *optimizer, *updates;
    std::size_t states;
  };
  const Row rows[] = {
      {"sgd", "single", 2 * 4},
      {"adam", "single", 3 * 4 + 1},
      {"sgd", "foreach", 2},
      {"adam", "foreach", 3 + 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.optimizer) + ' ' + row.updates);
    const Workload workload =
        load("mlp-train", {{"layers", "1"}, {"optimizer", row.optimizer}, {"updates", row.updates}});
    EXPECT_EQ(states(workload.graph).size(), row.states);
    EXPECT_EQ(workload.graph.outputs().size(), row.states + 1);
    EXPECT_EQ(workload.graph.outputs().front().name, "loss");
  }
}

std::int64_t state_bytes(const ir::Graph& graph) {
  std::int64_t bytes = 0;
  for (const ir::Output& output : graph.outputs()) {
    bytes += output.state_of ? ir::size_bytes(graph.type(*output.state_of)) : 0;
  }
  return bytes;
}

TEST(Training, TheFlatTensorsHoldWhatSingleOnesDo) {
  for (const char* name : {"mlp-train", "transformer-train"}) {
    EXPECT_EQ(state_bytes(load(name, {{"updates", "foreach"}}).graph), state_bytes(load(name).graph)) << name;
  }
}

TEST(Transformer, HasABlockOfAttentionPerLayer) {
  const Workload workload = load("transformer-train", {{"layers", "3"}, {"batch", "2"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::Attention), 3);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Gelu), 3);
  EXPECT_EQ(count(workload.graph, ir::OpKind::ScatterAdd), 1);  // of the embedding's gradient
}

TEST(UNet, GoesDownAndUp) {
  const Workload workload = load("unet", {{"levels", "2"}, {"batch", "2"}, {"image", "8"}});

  EXPECT_EQ(count(workload.graph, ir::OpKind::UpsampleNearest), 1);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Attention), 1);
  EXPECT_EQ(count(workload.graph, ir::OpKind::Concat), 3);  // the time's waves, and each level
  EXPECT_EQ(ir::to_string(workload.graph.type(workload.graph.outputs().front().node)), "f32[2,3,8,8]");
}

TEST(UNet, RefusesWhatCantBeHalvedOrSplit) {
  const std::vector<GivenParameter> odd[] = {
      {{"image", "6"}}, {{"heads", "3"}}, {{"channels", "3"}, {"groups", "3"}}};
  for (const auto& given : odd) {
    const auto loaded = load_workload("unet", given);
    ASSERT_FALSE(loaded) << given.front().first;
    EXPECT_EQ(loaded.error().code, ErrorCode::Usage);
  }
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
      {"churn", {{"size", "1G"}}, "size", "4.00 KiB"},
      {"decode", {{"batch", "64"}, {"hidden", "64"}}, "batch", "1"},
      {"mlp-train", {{"hidden", "32"}}, "batch", "32"},
      {"transformer-train", {{"sequence", "2"}, {"vocabulary", "64"}, {"hidden", "8"}}, "batch", "8"},
      {"unet", {}, "batch", "1"},
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
                   "unknown workload 'norm_act', expected a file or one of: chain, norm-act, gemm, mlp-b1, "
                   "churn, decode, mlp-train, transformer-train, unet",
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
