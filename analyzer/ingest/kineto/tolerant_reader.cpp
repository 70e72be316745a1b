// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/tolerant_reader.hpp"

#include <fmt/format.h>

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

// Is there a key "ph" in this valid JSON?
bool has_phase(std::string_view json) {
  constexpr std::string_view kKey = "\"ph\"";
  for (std::size_t at = json.find(kKey); at != std::string_view::npos; at = json.find(kKey, at + 1)) {
    const std::size_t colon = skip_space(json, at + kKey.size());
    if (colon < json.size() && json[colon] == ':') {
      return true;
    }
  }
  return false;
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
    if (next < text.size() && text[next] != ',' && text[next] != ']') {
      return {.kind = Kind::Broken,
              .at = next,
              .event_begin = event_begin,
              .expected = fmt::format("expected ',' or ']' after an event, found {}", shown(text[next]))};
    }
    reader.read_repaired(repaired->json, batch);
    batch.stats.count(Stat::StringsRepaired, repaired->strings_repaired);
    batch.stats.count(Stat::NonFiniteValues, repaired->non_finite);
    batch.has_illegal_escapes |= repaired->illegal_escapes;
    if (repaired->first_repair && !batch.first_repair) {
      batch.first_repair = file_offset + at + *repaired->first_repair;
    }
    after_comma = next < text.size() && text[next] == ',';
    at = after_comma ? skip_space(text, next + 1) : next;
  }
  return {.kind = Kind::EndOfText, .at = text.size(), .event_begin = text.size(), .expected = {}};
}

Resync find_next_event(std::string_view text, std::size_t from) {
  for (std::size_t comma = text.find(',', from); comma != std::string_view::npos;
       comma = text.find(',', comma + 1)) {
    const std::size_t open = skip_space(text, comma + 1);
    if (open >= text.size()) {
      return {.needs_more = true};
    }
    if (text[open] != '{') {
      continue;
    }
    const auto repaired = repair_value(text.substr(open));
    if (!repaired) {
      if (repaired.error().needs_more) {
        return {.needs_more = true};
      }
      continue;
    }
    if (has_phase(repaired->json)) {
      return {.at = open};
    }
  }
  return {.needs_more = true};
}

}  // namespace foretell::ingest::kineto
