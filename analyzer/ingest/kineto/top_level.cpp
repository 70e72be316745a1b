// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/top_level.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/ingest/kineto/broken_event.hpp"
#include "analyzer/ingest/kineto/metadata.hpp"
#include "analyzer/ingest/kineto/repair.hpp"
#include "src/base/text.hpp"

namespace foretell::ingest::kineto {

using profile::Stat;

Result<bool> TopLevel::more() {
  const std::size_t chunk = std::max<std::size_t>(4096, text_.size() - at_);
  text_.erase(0, at_);
  at_ = 0;
  if (text_.size() > options_.max_event_bytes) {
    return fail(ErrorCode::Limit, fmt::format("{}: byte {}", stream_.source().path(), stream_.offset()),
                fmt::format("one top-level value is longer than {}, the limit",
                            format_bytes(options_.max_event_bytes)),
                "is this a trace?");
  }
  const std::size_t before = text_.size();
  text_.resize(before + chunk);
  FORETELL_ASSIGN_OR_RETURN(const std::size_t got, stream_.read({text_.data() + before, chunk}));
  text_.resize(before + got);
  return got > 0;
}

Result<char> TopLevel::peek() {
  while (true) {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return c;
      }
    }
    FORETELL_ASSIGN_OR_RETURN(const bool got, more());
    if (!got) {
      return '\0';
    }
  }
}

void TopLevel::drop(std::size_t bytes) {
  line_ +=
      static_cast<std::uint64_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                            text_.begin() + static_cast<std::ptrdiff_t>(at_ + bytes), '\n'));
  at_ += bytes;
}

Error TopLevel::unexpected(std::string_view expected) const {
  return {ErrorCode::BadInput,
          fmt::format("{}: byte {}, line {}", stream_.source().path(),
                      stream_.offset() - (text_.size() - at_), line_),
          std::string(expected), ""};
}

Error TopLevel::unexpected_next(std::string_view expected) const {
  return unexpected(fmt::format("expected {}, found {}", expected, shown(text_[at_])));
}

Result<std::string> TopLevel::value() {
  FORETELL_RETURN_IF_ERROR(peek());
  while (true) {
    auto repaired = repair_value(std::string_view(text_).substr(at_));
    if (repaired) {
      profile::Stats& stats = builder_.profile().stats;
      stats.count(Stat::NonFiniteValues, repaired->non_finite);
      stats.count(Stat::StringsRepaired, repaired->strings_repaired);
      drop(repaired->consumed);
      return std::move(repaired->json);
    }
    if (!repaired.error().needs_more) {
      drop(repaired.error().at);
      return std::unexpected(unexpected(
          "expected valid JSON behind a top-level key (what stands there is not shown: it may be private)"));
    }
    FORETELL_ASSIGN_OR_RETURN(const bool got, more());
    if (!got) {
      at_end_ = true;
      return std::string();
    }
  }
}

// Behind the root value: nothing but white space or padding is expected.
Result<void> TopLevel::skip_tail() {
  while (true) {
    FORETELL_ASSIGN_OR_RETURN(const char c, peek());
    if (at_ == text_.size()) {
      return {};
    }
    if (c == '{' || c == '[') {
      builder_.profile().stats.count(Stat::TrailingDocument);
    } else if (c != '\0') {
      builder_.profile().stats.count(Stat::TrailingBytes, text_.size() - at_);
    }
    at_ += c == '\0' ? 1 : text_.size() - at_;
  }
}

Result<TopLevel::Next> TopLevel::advance() {
  if (root_ == '\0') {
    FORETELL_RETURN_IF_ERROR(peek());
    if (std::string_view(text_).substr(at_).starts_with("\xEF\xBB\xBF")) {
      at_ += 3;  // byte order mark
    }
    FORETELL_ASSIGN_OR_RETURN(root_, peek());
    if (root_ != '{' && root_ != '[') {
      return std::unexpected(unexpected_next("'{' or '['"));
    }
    ++at_;
    if (root_ == '[') {
      stream_.give_back(std::string_view(text_).substr(at_));
      text_.clear();
      at_ = 0;
      return Next::Events;
    }
  }
  const auto ends_early = [&](std::string_view where) {
    builder_.profile().stats.count(Stat::FileEndsEarly);
    if (builder_.profile().info.end_note.empty()) {
      builder_.profile().info.end_note = where;
    }
    return Next::End;
  };
  while (!at_end_) {
    if (is_array()) {
      FORETELL_RETURN_IF_ERROR(skip_tail());
      return Next::End;
    }
    FORETELL_ASSIGN_OR_RETURN(char c, peek());
    if (c == '}') {
      ++at_;
      FORETELL_RETURN_IF_ERROR(skip_tail());
      return Next::End;
    }
    if (!first_key_ && c == ',') {
      ++at_;
      FORETELL_ASSIGN_OR_RETURN(c, peek());
    } else if (!first_key_ && c != '\0') {
      return std::unexpected(unexpected_next("',' or '}' after a value"));
    }
    if (c == '\0' && at_ == text_.size()) {
      return ends_early("file ends before the closing }");
    }
    if (c != '"') {
      return std::unexpected(unexpected_next("'\"' to open a key"));
    }
    first_key_ = false;
    FORETELL_ASSIGN_OR_RETURN(const std::string key, value());
    FORETELL_ASSIGN_OR_RETURN(c, peek());
    if (at_end_ || at_ == text_.size()) {
      return ends_early("file ends inside a key");
    }
    if (c != ':') {
      return std::unexpected(unexpected_next("':' after a key"));
    }
    ++at_;
    FORETELL_ASSIGN_OR_RETURN(c, peek());
    if (key == "\"traceEvents\"" && c == '[') {
      ++at_;
      stream_.give_back(std::string_view(text_).substr(at_));
      text_.clear();
      at_ = 0;
      return Next::Events;
    }
    FORETELL_ASSIGN_OR_RETURN(const std::string read, value());
    if (at_end_) {
      return ends_early("file ends inside a top-level value");
    }
    set_metadata(std::string_view(key).substr(1, key.size() - 2), read, builder_);
  }
  return Next::End;
}

}  // namespace foretell::ingest::kineto
