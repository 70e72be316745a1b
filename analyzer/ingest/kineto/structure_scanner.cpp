// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/structure_scanner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace foretell::ingest::kineto {
namespace {

constexpr std::size_t kBlock = 64;

// Bit i: the number of set bits in mask[0..i] is odd. Turns quotes into "inside a string".
std::uint64_t prefix_xor(std::uint64_t mask) {
  mask ^= mask << 1;
  mask ^= mask << 2;
  mask ^= mask << 4;
  mask ^= mask << 8;
  mask ^= mask << 16;
  mask ^= mask << 32;
  return mask;
}

// Letters of true, false and null, and the e of exponents.
bool is_literal_letter(char c) {
  switch (c) {
    case 't':
    case 'r':
    case 'u':
    case 'e':
    case 'f':
    case 'a':
    case 'l':
    case 's':
    case 'n':
    case 'E': return true;
    default: return false;
  }
}

}  // namespace

#ifdef __SSE2__
StructureScanner::Masks StructureScanner::classify(const char* block) {
  Masks masks{};
  const auto add = [](std::uint64_t& mask, __m128i hits, int part) {
    mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(hits))) << (16 * part);
  };
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // [ and { alike, letters in lower case
    add(masks.quote, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), part);
    add(masks.backslash, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')), part);
    add(masks.open, _mm_cmpeq_epi8(lower, _mm_set1_epi8('{')), part);
    add(masks.close, _mm_cmpeq_epi8(lower, _mm_set1_epi8('}')), part);
    add(masks.comma, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')), part);
    add(masks.newline, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')), part);
    // 'a'..'z' is 1..26 after the shift; as signed bytes, greater than 0 and less than 27
    const __m128i shifted = _mm_sub_epi8(lower, _mm_set1_epi8('a' - 1));
    add(masks.letter,
        _mm_and_si128(_mm_cmpgt_epi8(shifted, _mm_setzero_si128()),
                      _mm_cmplt_epi8(shifted, _mm_set1_epi8(27))),
        part);
    const __m128i space = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'))));
    add(masks.space, space, part);
  }
  return masks;
}
#else
StructureScanner::Masks StructureScanner::classify(const char* block) {
  Masks masks{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = block[i];
    const char lower = static_cast<char>(c | 0x20);
    masks.quote |= c == '"' ? bit : 0;
    masks.backslash |= c == '\\' ? bit : 0;
    masks.open |= lower == '{' ? bit : 0;
    masks.close |= lower == '}' ? bit : 0;
    masks.comma |= c == ',' ? bit : 0;
    masks.newline |= c == '\n' ? bit : 0;
    masks.letter |= lower >= 'a' && lower <= 'z' ? bit : 0;
    masks.space |= c == ' ' || c == '\n' || c == '\r' || c == '\t' ? bit : 0;
  }
  return masks;
}
#endif

bool StructureScanner::scan_block(const char* block, std::size_t offset, std::size_t length) {
  const Masks masks = classify(block);
  const std::uint64_t valid = length == kBlock ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;

  // Characters that a backslash escapes.
  std::uint64_t escaped = escape_carry_ ? 1 : 0;
  bool carry = false;
  if ((masks.backslash & valid) != 0) {
    std::uint64_t slashes = masks.backslash & valid & ~escaped;
    while (slashes != 0) {
      const int at = std::countr_zero(slashes);
      if (static_cast<std::size_t>(at) + 1 == length) {
        carry = true;
        break;
      }
      escaped |= std::uint64_t{2} << at;
      // drop this backslash and, if it is one, the backslash it escapes
      slashes &= ~((std::uint64_t{3}) << at);
    }
  }
  escape_carry_ = carry;

  const std::uint64_t quotes = masks.quote & ~escaped & valid;
  const std::uint64_t inside = prefix_xor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
  in_string_ = ((inside >> (length - 1)) & 1) != 0;
  const std::uint64_t outside = ~inside & valid;
  newlines_ += static_cast<std::uint64_t>(std::popcount(masks.newline & valid));

  if (std::uint64_t letters = masks.letter & outside; letters != 0) {
    for (; letters != 0; letters &= letters - 1) {
      const int at = std::countr_zero(letters);
      const char before = at > 0 ? block[at - 1] : last_outside_;
      if (!is_literal_letter(block[at]) || (block[at] == 'a' && before == 'n')) {
        bare_words_end_ = offset + static_cast<std::size_t>(at) + 1;
      }
    }
  }
  last_outside_ = block[length - 1];

  const std::uint64_t opens = masks.open & outside;
  const std::uint64_t closes = masks.close & outside;
  const auto close_count = std::popcount(closes);
  if (depth_ > close_count) {
    depth_ += std::popcount(opens) - close_count;  // can't come down to the array in this block
    return true;
  }
  // Everything that matters at depth 0: brackets, commas, and any other text (a scalar event).
  std::uint64_t marks = opens | closes | (masks.comma & outside) | quotes | (outside & ~masks.space);
  while (marks != 0) {
    if (depth_ > 0) {
      marks &= opens | closes;  // inside an event only brackets count
      if (marks == 0) {
        break;
      }
    }
    const int at = std::countr_zero(marks);
    const std::uint64_t bit = std::uint64_t{1} << at;
    marks &= ~((bit << 1) - 1);
    if ((opens & bit) != 0) {
      if (depth_ == 0) {
        if (value_seen_) {
          end_at_ = offset + static_cast<std::size_t>(at);
          status_ = Status::Malformed;  // two values without a comma
          return false;
        }
        value_seen_ = true;
      }
      ++depth_;
    } else if ((closes & bit) != 0) {
      if (depth_ == 0) {
        end_at_ = offset + static_cast<std::size_t>(at);
        status_ = block[at] == ']' ? Status::ArrayEnd : Status::Malformed;
        return false;
      }
      --depth_;
      if (depth_ == 0) {
        const std::uint64_t rest = ~((bit << 1) - 1);
        marks = (opens | closes | (masks.comma & outside) | quotes | (outside & ~masks.space)) & rest;
      }
    } else if ((masks.comma & outside & bit) != 0) {
      if (!value_seen_) {
        end_at_ = offset + static_cast<std::size_t>(at);
        status_ = Status::Malformed;  // nothing before the comma
        return false;
      }
      commas_.push_back(static_cast<std::uint32_t>(offset + static_cast<std::size_t>(at)));
      value_seen_ = false;
    } else {
      value_seen_ = true;  // a string or a scalar where an event should be; the reader counts it
    }
  }
  return true;
}

StructureScanner::Status StructureScanner::scan(std::string_view text) {
  status_ = Status::NeedMore;
  while (scanned_ < text.size()) {
    const std::size_t length = std::min(kBlock, text.size() - scanned_);
    bool going = true;
    if (length == kBlock) {
      going = scan_block(text.data() + scanned_, scanned_, kBlock);
    } else {
      std::array<char, kBlock> block;
      block.fill(' ');
      std::memcpy(block.data(), text.data() + scanned_, length);
      going = scan_block(block.data(), scanned_, length);
    }
    scanned_ += length;
    if (!going) {
      return status_;
    }
  }
  return status_;
}

void StructureScanner::advance(std::size_t bytes, std::string_view rest) {
  scanned_ -= bytes;
  commas_.clear();
  bare_words_end_ = bare_words_end_ > bytes ? bare_words_end_ - bytes : 0;
  newlines_ = static_cast<std::uint64_t>(std::ranges::count(rest, '\n'));
}

}  // namespace foretell::ingest::kineto
