// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "analyzer/checks/check.hpp"

namespace foretell::checks {
namespace {

using testing::Contains;
using testing::MatchesRegex;

// What summary.binds may say of an overhead.
const std::set<std::string_view> kOverheads{"launch",     "host",          "input",   "sync",   "copy",
                                            "allocation", "communication", "traffic", "unknown"};

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every check a source of this directory defines: its constant, and the id.
std::map<std::string, std::string> defined_checks(const std::filesystem::path& directory) {
  static const std::regex kDefinition(R"(\nconst Check (k\w+)\{\s*"(\w+)\")");
  std::map<std::string, std::string> checks;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".cpp") {
      continue;
    }
    const std::string text = read(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), kDefinition), end; match != end; ++match) {
      EXPECT_EQ(entry.path().stem().string(), match->str(2)) << "a check's file is named after its id";
      checks[match->str(1)] = match->str(2);
    }
  }
  return checks;
}

TEST(AllChecks, HoldsEveryCheckOfTheDirectory) {
  const std::filesystem::path directory = std::filesystem::path(__FILE__).parent_path();
  ASSERT_TRUE(std::filesystem::exists(directory / "all.cpp")) << directory;
  const std::string list = read(directory / "all.cpp");
  std::set<std::string_view> listed;
  for (const Check* check : all_checks()) {
    listed.insert(check->id);
  }

  const auto defined = defined_checks(directory);

  EXPECT_EQ(defined.size(), all_checks().size());
  for (const auto& [constant, id] : defined) {
    EXPECT_THAT(listed, Contains(id)) << constant << " is missing in all.cpp";
    EXPECT_NE(list.find("X(" + constant + ")"), std::string::npos) << constant;
    EXPECT_TRUE(std::filesystem::exists(directory / (id + "_test.cpp"))) << id << " has no test";
  }
}

TEST(AllChecks, DescribeThemselves) {
  std::set<std::string_view> ids;
  std::set<std::string_view> titles;
  for (const Check* check : all_checks()) {
    ids.insert(check->id);
    titles.insert(check->title);
    EXPECT_THAT(std::string(check->id), MatchesRegex("[a-z]+(_[a-z]+)*"));
    EXPECT_TRUE(check->title.ends_with('?')) << check->id;
    EXPECT_FALSE(check->remedy.empty()) << check->id;
    EXPECT_FALSE(check->remedy.ends_with('.')) << check->id << ": the sentence goes on";
    EXPECT_TRUE(check->overhead.empty() || kOverheads.contains(check->overhead)) << check->id;
    EXPECT_NE(check->run, nullptr) << check->id;
  }
  EXPECT_EQ(ids.size(), all_checks().size());
  EXPECT_EQ(titles.size(), all_checks().size());
}

TEST(AllChecks, PutTheFiveQuestionsFirst) {
  ASSERT_GE(all_checks().size(), 5U);
  EXPECT_EQ(all_checks()[0]->id, "launch");
  EXPECT_EQ(all_checks()[1]->id, "fusion");
  EXPECT_EQ(all_checks()[2]->id, "compiled");
  EXPECT_EQ(all_checks()[3]->id, "recompiles");
  EXPECT_EQ(all_checks()[4]->id, "steady_state");
}

TEST(Verdict, HasTheNamesOfTheReport) {
  EXPECT_EQ(to_string(Verdict::Binds), "binds");
  EXPECT_EQ(to_string(Verdict::Clear), "clear");
  EXPECT_EQ(to_string(Verdict::Unknown), "unknown");
}

}  // namespace
}  // namespace foretell::checks
