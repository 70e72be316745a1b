// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/tolerant_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/ingest/kineto/repair.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::Stat;
using Kind = TolerantStop::Kind;

std::size_t skip_space(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(" \t\r\n", at);
  return next == std::string_view::npos ? text.size() : next;
}

// Has this valid JSON object a key "ph" of its own?
bool has_phase(std::string_view json) {
  constexpr std::string_view kKey = "\"ph\"";
  int depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '{' || json[at] == '[') {
      ++depth;
    } else if (json[at] == '}' || json[at] == ']') {
      --depth;
    } else if (json[at] == '"') {
      std::size_t end = at + 1;
      while (json[end] != '"') {
        end += json[end] == '\\' ? 2 : 1;
      }
      const std::size_t colon = skip_space(json, end + 1);
      if (depth == 1 && json.substr(at, end + 1 - at) == kKey && colon < json.size() && json[colon] == ':') {
        return true;
      }
      at = end;
    }
  }
  return false;
}

// How many candidates that run into the end of the file are given up for a later one.
constexpr int kMostUnfinished = 8;
// Candidates overlap, so looking at all of them may cost the square of the text: this many times its length
// at most.
constexpr std::size_t kMostWork = 8;

// Behind the rest of an object, from the comma after a value to its closing brace; npos where the text is not
// that. Adds the bytes looked at to `work`.
std::size_t skip_object_rest(std::string_view text, std::size_t at, std::size_t& work) {
  while (at < text.size() && text[at] == ',') {
    const std::size_t key = skip_space(text, at + 1);
    if (key >= text.size() || text[key] != '"') {
      return std::string_view::npos;
    }
    const auto name = repair_value(text.substr(key));
    const std::size_t colon = name ? skip_space(text, key + name->consumed) : text.size();
    if (colon >= text.size() || text[colon] != ':') {
      return std::string_view::npos;
    }
    const std::size_t begin = skip_space(text, colon + 1);
    const auto value = repair_value(text.substr(begin));
    work += value ? begin + value->consumed - at : value.error().at;
    if (!value) {
      return std::string_view::npos;
    }
    at = skip_space(text, begin + value->consumed);
  }
  return at < text.size() && text[at] == '}' ? at + 1 : std::string_view::npos;
}

}  // namespace

TolerantStop read_tolerantly(std::string_view text, bool final, std::uint64_t file_offset,
                             EventReader& reader, EventBatch& batch) {
  std::size_t at = skip_space(text, 0);
  bool after_comma = false;
  while (at < text.size()) {
    if (text[at] == ']') {
      batch.stats.count(Stat::TrailingCommas, after_comma ? 1 : 0);
      return {.kind = Kind::ArrayEnd, .at = at, .event_begin = at, .expected = {}};
    }
    const std::size_t event_begin = at;
    auto repaired = repair_value(text.substr(at));
    if (!repaired) {
      return {.kind = repaired.error().needs_more ? Kind::NeedsMore : Kind::Broken,
              .at = at + repaired.error().at,
              .event_begin = event_begin,
              .expected = std::move(repaired.error().expected)};
    }
    const std::size_t next = skip_space(text, at + repaired->consumed);
    if (next == text.size() && !final) {
      return {.kind = Kind::NeedsMore, .at = next, .event_begin = event_begin, .expected = {}};
    }
    reader.read_repaired(repaired->json, batch);
    batch.stats.count(Stat::StringsRepaired, repaired->strings_repaired);
    batch.stats.count(Stat::NonFiniteValues, repaired->non_finite);
    batch.has_illegal_escapes |= repaired->illegal_escapes;
    if (repaired->first_repair && !batch.first_repair) {
      batch.first_repair = file_offset + at + *repaired->first_repair;
    }
    if (next < text.size() && text[next] != ',' && text[next] != ']') {
      return {.kind = Kind::Broken,
              .at = next,
              .event_begin = next,
              .expected = fmt::format("expected ',' or ']' after an event, found {}", shown(text[next]))};
    }
    after_comma = next < text.size() && text[next] == ',';
    at = after_comma ? skip_space(text, next + 1) : next;
  }
  return {.kind = Kind::EndOfText, .at = text.size(), .event_begin = text.size(), .expected = {}};
}

Resync find_next_event(std::string_view text, bool final, std::size_t from) {
  int unfinished = 0;
  std::size_t work = 0;
  std::size_t at = from;  // a comma, or where the first candidate opens
  while (at < text.size()) {
    std::size_t open = skip_space(text, at);
    if (open < text.size() && text[open] == ',') {
      open = skip_space(text, open + 1);
    }
    if (open >= text.size()) {
      return {.keep_from = at};
    }
    std::size_t next = open;
    if (text[open] == '{') {
      const auto repaired = repair_value(text.substr(open));
      if (repaired && has_phase(repaired->json)) {
        return {.at = open};
      }
      if (!repaired && repaired.error().needs_more && (!final || ++unfinished > kMostUnfinished)) {
        return {.keep_from = at};
      }
      const std::size_t read = repaired ? repaired->consumed : repaired.error().at;
      work += read;
      // events may stand inside what was read; they are looked for while that stays cheap
      next = work > kMostWork * text.size() ? open + read : open;
    }
    at = text.find(',', next);
  }
  return {.keep_from = text.size()};
}

std::size_t find_array_end(std::string_view text, bool in_array) {
  std::size_t work = 0;
  for (std::size_t at = text.find(']'); at != std::string_view::npos; at = text.find(']', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    std::size_t end = skip_space(rest, 0);
    if (!in_array) {
      end = skip_object_rest(rest, end, work);
      if (work > kMostWork * text.size()) {
        break;
      }
      if (end == std::string_view::npos) {
        continue;
      }
      end = skip_space(rest, end);
    }
    if (end == rest.size()) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace foretell::ingest::kineto
