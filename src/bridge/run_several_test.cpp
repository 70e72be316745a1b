// SPDX-License-Identifier: Apache-2.0
#include "src/bridge/run_several.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace foretell::bridge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// With constants that are given, so that nothing is probed.
class RunSeveral : public testing::Test {
 protected:
  RunSeveral()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   ("foretell_run_several_" + std::to_string(::getpid()))) {}
  void TearDown() override {
    ::unsetenv("CXX");
    std::filesystem::remove_all(directory_);
  }
  RunOptions options(std::vector<std::string> variants) const {
    RunOptions made;
    made.variants = std::move(variants);
    made.cache.directory = directory_ / "kernels";
    made.session.emplace();
    made.session->result.constants = {
        {{"dispatch_ns", "ns", 300, 310, 330, Provenance::Probed, "a test"}, 5}};
    made.budget_ns = 1'000'000;
    made.drift = false;
    return made;
  }
  const std::filesystem::path directory_;
};

TEST_F(RunSeveral, OneThatFailsDoesNotStopTheOthers) {
  std::vector<std::size_t> begun;
  const auto runs = run_several(std::vector<std::string>{"nowhere.graph", "mlp-b1"}, options({"eager"}),
                                [&](std::size_t i) { begun.push_back(i); });

  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_THAT(runs->model.runs, SizeIs(2));
  EXPECT_EQ(runs->model.runs[0].workload, "nowhere.graph");
  EXPECT_THAT(runs->model.runs[0].error, HasSubstr("no such file"));
  EXPECT_EQ(runs->model.runs[1].error, "");
  EXPECT_THAT(runs->model.runs[1].variants, SizeIs(1));
  EXPECT_FALSE(runs->failure);
  EXPECT_THAT(begun, ElementsAre(0, 1));
}

TEST_F(RunSeveral, EachHasTheConstantsThatWereGiven) {
  const auto runs = run_several(std::vector<std::string>{"mlp-b1", "mlp-b1"}, options({"eager"}), nullptr);

  ASSERT_TRUE(runs) << runs.error().message;
  for (const reports::RunReport& run : runs->model.runs) {
    ASSERT_FALSE(run.constants.empty());
    EXPECT_EQ(run.constants.front().constant.source, "a test");
  }
}

TEST_F(RunSeveral, WhereNoneIsLeftItIsTheFirstOnesFailure) {
  ::setenv("CXX", "/nowhere/c++", 1);
  const auto runs =
      run_several(std::vector<std::string>{"mlp-b1", "nowhere.graph"}, options({"fused"}), nullptr);

  ASSERT_TRUE(runs);
  EXPECT_THAT(runs->model.runs, SizeIs(2));
  ASSERT_TRUE(runs->failure);
  EXPECT_EQ(runs->failure->code, ErrorCode::Environment);
}

TEST_F(RunSeveral, PlansProbeNothing) {
  RunOptions plans = options({"eager"});
  plans.session.reset();
  plans.plan_only = true;
  plans.on_stage = [](std::string_view stage) { EXPECT_EQ(stage, "planning"); };
  const auto runs = run_several(std::vector<std::string>{"mlp-b1", "chain"}, plans, nullptr);

  ASSERT_TRUE(runs);
  EXPECT_FALSE(runs->model.runs[1].groups.empty());
}

}  // namespace
}  // namespace foretell::bridge
