// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/structure_scanner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace foretell::ingest::kineto {
namespace {

using Status = StructureScanner::Status;
using testing::ElementsAre;

// What the scanner is to find, one character after the other.
struct Reference {
  Status status = Status::NeedMore;
  std::size_t end_at = 0;
  std::vector<std::uint32_t> commas;
  std::uint64_t newlines = 0;
  bool bare_words = false;
  bool value_seen = false;
  bool value_whole = false;

  explicit Reference(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    bool escaped = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      newlines += c == '\n' ? 1 : 0;
      const bool is_escaped = escaped;
      escaped = c == '\\' && !is_escaped;
      const bool quote = c == '"' && !is_escaped;
      if (in_string) {
        in_string = !quote;
        continue;
      }
      if (quote) {
        in_string = true;
        value_seen |= depth == 0;
        continue;
      }
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool of_literal = std::string_view("truefalsnE").find(c) != std::string_view::npos;
      bare_words |= letter && (!of_literal || (c == 'a' && i > 0 && text[i - 1] == 'n'));
      if (c == '{' || c == '[') {
        if (depth == 0 && value_seen) {
          stop(Status::Malformed, i);
          return;
        }
        value_seen = true;
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) {
          stop(c == ']' ? Status::ArrayEnd : Status::Malformed, i);
          return;
        }
        --depth;
      } else if (depth == 0 && c == ',') {
        if (!value_seen) {
          stop(Status::Malformed, i);
          return;
        }
        commas.push_back(static_cast<std::uint32_t>(i));
        value_seen = false;
      } else if (depth == 0 && c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        value_seen = true;
      }
    }
    value_whole = value_seen && depth == 0 && !in_string;
  }

 private:
  void stop(Status why, std::size_t at) {
    status = why;
    end_at = at;
  }
};

void expect_equal(const StructureScanner& scanner, Status status, const Reference& want) {
  ASSERT_EQ(status, want.status);
  ASSERT_EQ(scanner.commas(), want.commas);
  if (status != Status::NeedMore) {
    ASSERT_EQ(scanner.end_at(), want.end_at);
    return;
  }
  ASSERT_EQ(scanner.newlines(), want.newlines);
  ASSERT_EQ(scanner.has_bare_words(), want.bare_words);
  ASSERT_EQ(scanner.value_seen(), want.value_seen);
  ASSERT_EQ(scanner.value_whole(), want.value_whole);
}

// Text that looks like the inside of an event array, most of the time well-formed enough to go on for a
// while.
std::string random_text(std::mt19937& random) {
  const auto any = [&](std::string_view characters) { return characters[random() % characters.size()]; };
  std::string text;
  const std::size_t pieces = random() % 40;
  for (std::size_t i = 0; i < pieces; ++i) {
    switch (random() % 8) {
      case 0:
      case 1: {
        text += '"';
        for (std::size_t j = random() % 70; j > 0; --j) {
          text += any("ab{}[],:\\\\ \n0");
          if (text.back() == '\\') {
            text += any("\"\\nux");
          }
        }
        text += '"';
        break;
      }
      case 2: text += "{\"a\":[1,{\"b\":2}],\"c\":null},"; break;
      case 3: text += "{\"bandwidth\": nan, \"x\": inf},\n"; break;
      case 4: text += std::string(random() % 100, ' '); break;
      case 5: text += "{"; break;
      case 6: text += "}"; break;
      default: text += any("{}[]\",:\\ntrufalse1xE \n\t"); break;
    }
  }
  return text;
}

TEST(StructureScanner, FindsCommasAndEnd) {
  StructureScanner scanner;
  const std::string_view text = R"({"a": "},{"}, {"b": [1, 2]}, 7 ] tail)";

  EXPECT_EQ(scanner.scan(text), Status::ArrayEnd);
  EXPECT_THAT(scanner.commas(), ElementsAre(text.find(", {\"b"), text.find(", 7")));
  EXPECT_EQ(scanner.end_at(), text.find("] tail"));
}

struct Small {
  std::string_view name;
  std::string_view text;
  Status want;
  std::size_t end_at;
};

TEST(StructureScanner, Borders) {
  for (const auto& [name, text, want, end_at] : {
           Small{"empty array", "]", Status::ArrayEnd, 0},
           Small{"nothing", "", Status::NeedMore, 0},
           Small{"comma first", ",{}", Status::Malformed, 0},
           Small{"two commas", "{},,{}", Status::Malformed, 3},
           Small{"no comma", "{} {}", Status::Malformed, 3},
           Small{"wrong bracket", "{}}", Status::Malformed, 2},
           Small{"trailing comma", "{},]", Status::ArrayEnd, 3},
           Small{"bracket in a string", "{\"a\": \"]\"}", Status::NeedMore, 0},
           Small{"escaped quote", R"({"a": "\"]"}])", Status::ArrayEnd, 12},
           Small{"escaped backslash", R"({"a": "\\"}])", Status::ArrayEnd, 11},
       }) {
    StructureScanner scanner;
    EXPECT_EQ(scanner.scan(text), want) << name;
    if (want != Status::NeedMore) {
      EXPECT_EQ(scanner.end_at(), end_at) << name;
    }
  }
}

TEST(StructureScanner, BareWordsAreLettersThatNoLiteralHolds) {
  for (const std::string_view good : {"[true, false, null, 1.5e3, 2E9]", "{\"inf\": \"nan\"}", ""}) {
    StructureScanner scanner;
    scanner.scan(good);
    EXPECT_FALSE(scanner.has_bare_words()) << good;
  }
  for (const std::string_view bad : {"inf", "{\"x\": nan}", "NaN", "Infinity", "N/A", "{\"x\": 1.#IND}"}) {
    StructureScanner scanner;
    scanner.scan(bad);
    EXPECT_TRUE(scanner.has_bare_words()) << bad;
  }
}

TEST(StructureScanner, AgreesWithTheReferenceWhereverTheTextIsCut) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_text(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
    const Reference want(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      StructureScanner scanner;
      const std::string_view first = std::string_view(text).substr(0, cut);
      Status status = scanner.scan(first);
      ASSERT_NO_FATAL_FAILURE(expect_equal(scanner, status, Reference(first)));
      if (status == Status::NeedMore) {
        status = scanner.scan(text);
      }
      ASSERT_NO_FATAL_FAILURE(expect_equal(scanner, status, want)) << "cut at " << cut;
    }
  }
}

TEST(StructureScanner, AdvanceDropsWholeEventsAndKeepsTheState) {
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    for (int i = 0; i < 6; ++i) {
      text += random_text(random);
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
    const Reference want(text);

    StructureScanner scanner;
    std::size_t begin = 0;  // of what the scanner still holds
    std::size_t end = 0;
    std::vector<std::uint32_t> commas;
    Status status = Status::NeedMore;
    while (status == Status::NeedMore && end < text.size()) {
      end = std::min(text.size(), end + 1 + random() % 200);
      status = scanner.scan(std::string_view(text).substr(begin, end - begin));
      for (const std::uint32_t comma : scanner.commas()) {
        const auto at = static_cast<std::uint32_t>(begin + comma);
        if (commas.empty() || commas.back() < at) {
          commas.push_back(at);
        }
      }
      if (status == Status::NeedMore && !scanner.commas().empty()) {
        const std::size_t cut = scanner.commas().back() + 1;
        scanner.advance(cut, std::string_view(text).substr(begin + cut, end - begin - cut));
        begin += cut;
        ASSERT_EQ(scanner.scanned(), end - begin);
        ASSERT_TRUE(scanner.commas().empty());
        ASSERT_EQ(scanner.newlines(), static_cast<std::uint64_t>(
                                          std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                     text.begin() + static_cast<std::ptrdiff_t>(end), '\n')));
      }
    }

    ASSERT_EQ(status, want.status);
    ASSERT_EQ(commas, want.commas);
    if (status != Status::NeedMore) {
      ASSERT_EQ(begin + scanner.end_at(), want.end_at);
    } else {
      ASSERT_EQ(scanner.value_seen(), want.value_seen);
      ASSERT_EQ(scanner.value_whole(), want.value_whole);
    }
  }
}

}  // namespace
}  // namespace foretell::ingest::kineto
