// SPDX-License-Identifier: Apache-2.0
// The whole importer: no damage to a file brings it down.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "analyzer/ingest/kineto/test_dump.hpp"
#include "analyzer/ingest/kineto/test_sample.hpp"

namespace foretell::ingest::kineto {
namespace {

// The sample's events alone: a root array.
std::string sample_array() {
  const std::size_t begin = kSample.find('[', kSample.find("traceEvents"));
  const std::size_t end = kSample.find("\n  ],");
  return std::string(kSample.substr(begin, end + 4 - begin));
}

// What must hold of any text, read either way: an outcome, and an error that has a place.
void expect_sound(std::string_view text) {
  for (const bool lenient : {false, true}) {
    const auto loaded = load(text, {.lenient = lenient, .threads = 1});
    if (!loaded) {
      ASSERT_FALSE(loaded.error().where.empty());
      ASSERT_FALSE(loaded.error().message.empty());
    } else {
      ASSERT_LE(loaded->info.events, text.size());
    }
  }
}

TEST(Kineto, EveryCutOfTheSampleIsAnOutcome) {
  for (std::size_t size = 0; size < kSample.size(); ++size) {
    SCOPED_TRACE(fmt::format("cut at {}", size));
    ASSERT_NO_FATAL_FAILURE(expect_sound(kSample.substr(0, size)));
  }
}

TEST(Kineto, EveryCutOfAnArrayKeepsTheEventsBeforeIt) {
  const std::string whole = sample_array();
  for (const bool lenient : {false, true}) {
    std::uint64_t before = 0;
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const auto loaded = load(std::string_view(whole).substr(0, size), {.lenient = lenient, .threads = 1});

      ASSERT_TRUE(loaded.has_value()) << "cut at " << size << ": " << loaded.error().message;
      ASSERT_GE(loaded->info.events, before) << "cut at " << size;
      before = loaded->info.events;
    }
    EXPECT_EQ(before, 21U);
  }
}

TEST(Kineto, EveryMutationOfTheSampleIsAnOutcome) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  constexpr std::string_view kNasty(
      "{}[]\",:\\\n\0\x01\xFF"
      "0-eE.unN",
      20);
  for (int round = 0; round < 4'000; ++round) {
    std::string text(kSample);
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text.erase(at, 1 + random() % 4); break;
        case 1: text.insert(at, 1, kNasty[random() % kNasty.size()]); break;
        case 2: text[at] = static_cast<char>(random() % 256); break;
        default: text[at] = kNasty[random() % kNasty.size()]; break;
      }
    }
    SCOPED_TRACE(fmt::format("seed {}, round {}:\n{}", kSeed, round, text));
    ASSERT_NO_FATAL_FAILURE(expect_sound(text));
  }
}

}  // namespace
}  // namespace foretell::ingest::kineto
