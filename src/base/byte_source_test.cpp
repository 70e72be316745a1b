// SPDX-License-Identifier: Apache-2.0
#include "src/base/byte_source.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace foretell {
namespace {

using testing::HasSubstr;

// One gzip member.
std::string gzip(std::string_view text) {
  std::string input(text);
  std::string member(input.size() * 2 + 1024, '\0');
  const auto stream = std::make_unique<isal_zstream>();
  isal_deflate_stateless_init(stream.get());
  stream->end_of_stream = 1;
  stream->flush = NO_FLUSH;
  stream->gzip_flag = IGZIP_GZIP;
  stream->next_in = reinterpret_cast<std::uint8_t*>(input.data());
  stream->avail_in = static_cast<std::uint32_t>(input.size());
  stream->next_out = reinterpret_cast<std::uint8_t*>(member.data());
  stream->avail_out = static_cast<std::uint32_t>(member.size());
  EXPECT_EQ(isal_deflate_stateless(stream.get()), COMP_OK);
  member.resize(stream->total_out);
  return member;
}

// Text of a given size that compresses about twofold.
std::string some_text(std::size_t size) {
  std::mt19937 random(1);  // any fixed seed
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>('a' + random() % 16);
  }
  return text;
}

struct Delivered {
  std::string text;
  ContainerFacts facts;
};

Delivered read_all(ByteSource& source, std::size_t chunk) {
  Delivered delivered;
  std::vector<char> buffer(chunk);
  while (true) {
    const auto got = source.read(buffer);
    if (!got) {
      ADD_FAILURE() << got.error().message;
      break;
    }
    delivered.text.append(buffer.data(), *got);
    if (*got < chunk) {
      break;
    }
  }
  delivered.facts = source.container();
  return delivered;
}

Delivered read_all(std::string_view bytes, std::size_t chunk = 4096) {
  return read_all(*open_memory(bytes), chunk);
}

struct Case {
  std::string name;
  std::string bytes;
  std::string want_text;
  ContainerFacts want;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> cases() {
  const std::string text = some_text(300'000);  // more than one raw chunk, so that members straddle them
  const std::string member = gzip(text);
  std::string damaged = gzip("x");
  damaged[10] = '\x07';  // a block type that deflate does not have
  std::string wrong_checksum = gzip("hello");
  wrong_checksum[wrong_checksum.size() - 8] =
      static_cast<char>(wrong_checksum[wrong_checksum.size() - 8] ^ 1);
  return {
      {"Empty", "", "", {}},
      {"Plain", "{}", "{}", {}},
      {"PlainOfOneByteOfMagic", "\x1f", "\x1f", {}},
      {"PlainLarge", text, text, {}},
      {"OneMember", member, text, {.compressed = true, .members = 1}},
      {"EmptyMember", gzip(""), "", {.compressed = true, .members = 1}},
      {"TwoMembers", member + gzip(" and more"), text + " and more", {.compressed = true, .members = 2}},
      {"EmptyMemberBetween", gzip("a") + gzip("") + gzip("b"), "ab", {.compressed = true, .members = 3}},
      {"ZeroPadding", gzip("a") + std::string(600'000, '\0'), "a", {.compressed = true, .members = 1}},
      {"PaddingBetween",
       gzip("a") + std::string(512, '\0') + gzip("b"),
       "ab",
       {.compressed = true, .members = 2}},
      {"TrailingBytes",
       gzip("a") + "rubbish",
       "a",
       {.compressed = true, .members = 1, .trailing_bytes = true}},
      {"NoTrailer",
       gzip("hello").substr(0, gzip("hello").size() - 8),
       "hello",
       {.compressed = true, .ends_early = true}},
      {"HeaderOnly", gzip("hello").substr(0, 10), "", {.compressed = true, .ends_early = true}},
      {"HalfAHeader", gzip("hello").substr(0, 5), "", {.compressed = true, .ends_early = true}},
      {"SecondMemberCut",
       gzip("first ") + gzip("second").substr(0, gzip("second").size() - 8),
       "first second",
       {.compressed = true, .members = 1, .ends_early = true}},
      {"WrongChecksum", wrong_checksum, "hello", {.compressed = true, .checksum_mismatch = true}},
      {"InvalidBlock", damaged, "", {.compressed = true, .damaged = true}},
  };
}

class Container : public testing::TestWithParam<Case> {};

TEST_P(Container, DeliversWhatItHolds) {
  for (const std::size_t chunk : {std::size_t{1'000}, std::size_t{65'536}, std::size_t{1} << 20}) {
    const Delivered delivered = read_all(GetParam().bytes, chunk);

    EXPECT_EQ(delivered.text.size(), GetParam().want_text.size());
    EXPECT_TRUE(delivered.text == GetParam().want_text);
    EXPECT_EQ(delivered.facts.compressed, GetParam().want.compressed);
    EXPECT_EQ(delivered.facts.members, GetParam().want.members);
    EXPECT_EQ(delivered.facts.ends_early, GetParam().want.ends_early);
    EXPECT_EQ(delivered.facts.checksum_mismatch, GetParam().want.checksum_mismatch);
    EXPECT_EQ(delivered.facts.damaged, GetParam().want.damaged);
    EXPECT_EQ(delivered.facts.trailing_bytes, GetParam().want.trailing_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(ByteSource, Container, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param.name; });

TEST(ByteSource, EveryCutOfAMemberGivesAPrefix) {
  const std::string text = some_text(2'000);
  const std::string member = gzip(text);
  for (std::size_t size = 2; size < member.size(); ++size) {
    const Delivered delivered = read_all(std::string_view(member).substr(0, size));

    ASSERT_TRUE(text.starts_with(delivered.text)) << "cut at " << size;
    ASSERT_TRUE(delivered.facts.ends_early) << "cut at " << size;
    ASSERT_EQ(delivered.facts.members, 0U) << "cut at " << size;
  }
}

TEST(ByteSource, CountsTheBytesOfTheFile) {
  const std::string member = gzip(some_text(300'000));
  const auto source = open_memory(member);

  read_all(*source, 4096);

  EXPECT_EQ(source->size_bytes(), member.size());
  EXPECT_EQ(source->consumed_bytes(), member.size());
}

// A file of its own name that goes with the test.
class TempFile {
 public:
  explicit TempFile(std::string_view content)
      : path_(fmt::format("{}foretell_byte_source_{}", testing::TempDir(), ::getpid())) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TempFile() { std::remove(path_.c_str()); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ByteSource, ReadsAFileWhateverItsName) {
  const std::string text = some_text(1'000'000);
  for (const std::string& content : {text, gzip(text)}) {
    const TempFile file(content);
    const auto source = open_source(file.path());

    ASSERT_TRUE(source.has_value()) << source.error().message;
    EXPECT_TRUE(read_all(**source, 10'000).text == text);
    EXPECT_EQ((*source)->size_bytes(), content.size());
    EXPECT_EQ((*source)->path(), file.path());
  }
}

TEST(ByteSource, MissingFileIsBadInput) {
  const auto source = open_source("/nonexistent/trace.json");

  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error(), (Error{ErrorCode::BadInput, "/nonexistent/trace.json", "no such file", ""}));
}

TEST(ByteSource, DirectoryIsBadInputWithAHint) {
  const auto source = open_source("/");

  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code, ErrorCode::BadInput);
  EXPECT_EQ(source.error().message, "expected a trace file, found a directory");
  EXPECT_THAT(source.error().hint, HasSubstr("foretell analyze"));
}

}  // namespace
}  // namespace foretell
