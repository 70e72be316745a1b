// SPDX-License-Identifier: Apache-2.0
#include "reports/run_json.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "reports/run_test_model.hpp"

namespace foretell::reports {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) {
    names.push_back(key);
  }
  return names;
}

TEST(RunJson, KeysOfOneRunStandInAFixedOrder) {
  const Json out = Json::parse(render_run_json({{test_run()}}, {}));

  EXPECT_THAT(keys(out), testing::ElementsAre("schema_version", "tool", "workload", "parameters", "machine",
                                              "devices", "integrity", "window", "summary", "ops", "groups",
                                              "refusals", "blockers", "constants", "variants", "notes"));
  EXPECT_EQ(out["workload"], "chain");
  EXPECT_EQ(out["parameters"], (Json{{"ops", 3}, {"size_bytes", 67108864}, {"dtype", "f32"}}));
  EXPECT_EQ(
      out["window"],
      (Json{{"kind", "interleaved"}, {"steps", 52}, {"warmup", Json::array()}, {"step_ns", 36'000'000}}));
}

TEST(RunJson, AVariantHasWhatWasMeasured) {
  const Json out = Json::parse(render_run_json({{test_run()}}, {}));
  const Json& fused = out["variants"][1];

  EXPECT_EQ(fused["name"], "fused");
  EXPECT_EQ(fused["measured"]["median_ns"], 12'500'000);
  EXPECT_EQ(fused["measured"]["ci_ns"], (Json{35'900'000, 36'200'000}));
  EXPECT_EQ(fused["measured"]["speedup"], 2.88);
  EXPECT_EQ(fused["bytes"], 384 << 20);
  EXPECT_EQ(fused["drift"]["worst_op"], nullptr);
  EXPECT_EQ(out["variants"][0]["drift"]["worst_op"]["op"], "mul");
  EXPECT_EQ(fused["compile"]["library_ns"], 400'900'000);
  EXPECT_EQ(fused["compile"]["break_even_steps"], 18);
  EXPECT_EQ(fused["error"], nullptr);
}

TEST(RunJson, WhatIsNotKnownIsNull) {
  RunReport run = test_run();
  run.variants[0].drift.reset();
  run.variants[0].measured->speedup.reset();
  run.variants[1] = {.name = "fused",
                     .measured = {},
                     .counters = {},
                     .achieved_gbps = {},
                     .share_of_copy = {},
                     .drift = {},
                     .bound = {},
                     .compile = {},
                     .memory = {},
                     .error = "no compiler"};
  run.ceiling.reset();
  run.step_ns.reset();
  run.variants[0].bound->terms.pop_back();
  const Json out = Json::parse(render_run_json({{run}}, {}));

  EXPECT_EQ(out["variants"][0]["drift"], nullptr);
  EXPECT_EQ(out["variants"][0]["measured"]["speedup"], nullptr);
  EXPECT_EQ(out["variants"][1], (Json{{"name", "fused"}, {"error", "no compiler"}}));
  EXPECT_EQ(out["summary"]["ceiling"], nullptr);
  EXPECT_EQ(out["window"]["step_ns"], nullptr);
  EXPECT_EQ(out["variants"][0]["bound"]["time_ns"]["launch"], 1'200);
  EXPECT_EQ(out["variants"][0]["bound"]["time_ns"]["compute"], nullptr);
}

TEST(RunJson, SeveralRunsAreAList) {
  const Json out = Json::parse(render_run_json({{test_run(), test_run()}}, {}));

  EXPECT_THAT(keys(out), testing::ElementsAre("schema_version", "tool", "runs"));
  EXPECT_EQ(out["runs"].size(), 2U);
  EXPECT_EQ(out["runs"][1]["workload"], "chain");
}

TEST(RunJson, OneOfSeveralThatFailedHasItsNameAndWhy) {
  RunReport failed;
  failed.workload = "gemm";
  failed.error = "too little memory";
  const Json out = Json::parse(render_run_json({{test_run(), failed}}, {}));

  EXPECT_EQ(out["runs"][0]["workload"], "chain");
  EXPECT_EQ(out["runs"][1], (Json{{"workload", "gemm"}, {"error", "too little memory"}}));
}

TEST(ProbeJson, HasMachineAndConstants) {
  const RunReport run = test_run();
  const ProbeModel probe{.machine = run.machine,
                         .constants = run.constants,
                         .probed_at_s = 1'700'000'000,
                         .duration_ns = 2'000'000'000,
                         .samples = 900,
                         .rejected = 7,
                         .file = "",
                         .from_file = false};
  const Json out = Json::parse(render_probe_json(probe, {}));

  EXPECT_THAT(keys(out),
              testing::ElementsAre("schema_version", "tool", "machine", "devices", "probed_at_s",
                                   "duration_ns", "samples", "rejected", "file", "from_file", "constants"));
  EXPECT_EQ(out["samples"], 900);
  EXPECT_EQ(out["rejected"], 7);
  EXPECT_EQ(out["file"], nullptr);
  EXPECT_EQ(out["constants"][0]["provenance"], "probed");
  EXPECT_EQ(out["constants"][0]["samples"], 100);
}

}  // namespace
}  // namespace foretell::reports
