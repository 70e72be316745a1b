// SPDX-License-Identifier: Apache-2.0
// One JSON object to one Event. The only place that knows the keys of an event.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "analyzer/ingest/kineto/event_batch.hpp"

namespace foretell::ingest::kineto {

// Bytes that must be readable behind the text of any window given to a reader: simdjson's own padding, and
// room to compare a key without looking for its end.
inline constexpr std::size_t kWindowPadding = simdjson::SIMDJSON_PADDING + 64;

class EventReader {
 public:
  EventReader();

  // Reads `count` objects that stand in a row in `text`, separated by white space alone. False: the text is
  // not that (or holds something that must be repaired first); the batch is then to be thrown away.
  // `text` must be followed by kWindowPadding readable bytes.
  bool read_window(std::string_view text, std::size_t count, EventBatch& batch);

  // Reads one value that is known to be valid JSON (it has been through repair_value). A value that is no
  // object is counted as such. Copies the text.
  void read_repaired(std::string_view text, EventBatch& batch);

 private:
  bool read_event(simdjson::ondemand::object object, EventBatch& batch);

  simdjson::ondemand::parser window_parser_;
  simdjson::ondemand::parser event_parser_;
  simdjson::padded_string event_text_;
  std::string decoded_;  // the last string with escapes
};

}  // namespace foretell::ingest::kineto
