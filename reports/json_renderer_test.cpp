// SPDX-License-Identifier: Apache-2.0
#include "reports/json_renderer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/test_model.hpp"

namespace foretell::reports {
namespace {

using Json = nlohmann::ordered_json;

Json rendered(std::vector<TraceOutcome> traces) {
  return Json::parse(render_json({.traces = std::move(traces), .peak_memory_bytes = 42}, {}));
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  return keys;
}

TEST(JsonRenderer, OneTraceIsTheObjectItself) {
  const Json document = rendered({test_trace()});

  EXPECT_EQ(keys_of(document),
            (std::vector<std::string>{"schema_version", "tool",          "source",    "devices",
                                      "integrity",      "facts",         "window",    "summary",
                                      "step",           "launches",      "graphs",    "kernel_classes",
                                      "groups",         "checks",        "ops",       "modules",
                                      "threads",        "communicators", "constants", "peak_memory_bytes"}));
  EXPECT_EQ(document["schema_version"], kJsonSchemaVersion);
  EXPECT_EQ(document["peak_memory_bytes"], 42);
}

TEST(JsonRenderer, SeveralAreAHeaderAndAnArray) {
  const Json document = rendered({test_trace(), test_unread()});

  EXPECT_EQ(keys_of(document),
            (std::vector<std::string>{"schema_version", "tool", "traces", "peak_memory_bytes"}));
  EXPECT_EQ(keys_of(document["traces"][0]).front(), "source");
  EXPECT_FALSE(document["traces"][0].contains("schema_version"));
  EXPECT_EQ(document["traces"][1], Json::parse(R"({"source": {"path": "nowhere.json"}, "error": {
      "where": "nowhere.json", "message": "no such file", "hint": "look elsewhere"}})"));
}

TEST(JsonRenderer, BusyAndIdleAddUpToTheStep) {
  const Json document = rendered({test_trace()});

  std::int64_t sum = document["step"]["busy_ns"];
  for (const auto& [name, ns] : document["step"]["idle_ns"].items()) {
    sum += ns.get<std::int64_t>();
  }
  EXPECT_EQ(sum, document["step"]["step_ns"]);
}

TEST(JsonRenderer, WithoutDeviceRecordsThereIsNoIdleTime) {
  TraceOutcome trace = test_trace();
  trace.report->split.known = false;

  EXPECT_EQ(
      rendered({trace})["step"],
      Json::parse(
          R"({"step_ns": null, "busy_ns": null, "busy_in_ns": {}, "idle_ns": {}, "devices": [], "distortion_ns": null, "skipped_ns": null})"));
}

TEST(JsonRenderer, ChecksCarryTheirEvidence) {
  const Json check = rendered({test_trace()})["checks"][0];

  EXPECT_EQ(check["id"], "launch");
  EXPECT_EQ(check["verdict"], "binds");
  EXPECT_EQ(check["ceiling"], 1.79);
  EXPECT_EQ(check["remedy"], "capture the step");
  EXPECT_EQ(check["evidence"]["values"][0],
            Json::parse(R"({"name": "launch_idle_ns", "value": 220, "provenance": "derived"})"));
  EXPECT_EQ(check["evidence"]["examples"][0]["where"], "train.py(42): step");
}

TEST(JsonRenderer, RankThatIsNotGivenIsAssumed) {
  TraceOutcome trace = test_trace();
  EXPECT_EQ(rendered({trace})["source"]["rank"], 3);
  EXPECT_EQ(rendered({trace})["source"]["rank_provenance"], "measured");

  trace.report->source.rank.reset();
  EXPECT_EQ(rendered({trace})["source"]["rank"], 0);
  EXPECT_EQ(rendered({trace})["source"]["rank_provenance"], "assumed");
}

TEST(JsonRenderer, WhatIsNotKnownIsNull) {
  TraceOutcome trace = test_trace();
  trace.report->facts.linked_share.reset();
  trace.report->wall_ns.reset();
  trace.report->source.world_size.reset();

  const Json document = rendered({trace});

  EXPECT_TRUE(document["facts"]["linked_share"].is_null());
  EXPECT_TRUE(document["window"]["wall_ns"].is_null());
  EXPECT_TRUE(document["source"]["world_size"].is_null());
  EXPECT_TRUE(document["devices"][0]["matched_name"].is_null());
}

TEST(JsonRenderer, BytesThatAreNoUtf8AreReplaced) {
  TraceOutcome trace = test_trace();
  trace.report->source.path =
      "tr\xFF"
      "ace \"1\".json";

  EXPECT_EQ(rendered({trace})["source"]["path"],
            "tr\xEF\xBF\xBD"
            "ace \"1\".json");
}

TEST(JsonRenderer, LargeIntegersStayExact) {
  TraceOutcome trace = test_trace();
  trace.report->facts.span_ns = 9'007'199'254'740'993;  // 2^53 + 1

  EXPECT_EQ(rendered({trace})["facts"]["span_ns"].get<std::int64_t>(), 9'007'199'254'740'993);
}

}  // namespace
}  // namespace foretell::reports
