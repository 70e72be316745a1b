// SPDX-License-Identifier: Apache-2.0
// Reads events one by one with repair: what the fast path refused, and everything in lenient mode.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/ingest/kineto/event_batch.hpp"
#include "analyzer/ingest/kineto/event_reader.hpp"

namespace foretell::ingest::kineto {

struct TolerantStop {
  enum class Kind : std::uint8_t {
    EndOfText,  // all events of the text were read
    ArrayEnd,   // at the array's ], offset `at`
    NeedsMore,  // the text ends inside the event that begins at `event_begin`
    Broken,     // what begins at `event_begin` can't be repaired; the fault is at `at`
  };
  Kind kind = Kind::EndOfText;
  std::size_t at = 0;
  std::size_t event_begin = 0;
  std::string expected;  // what was expected and found, of Broken
};

// Reads events separated by commas; `file_offset` is that of text[0], to place repairs.
// Every event read is in `batch`. One trailing comma is accepted and counted where `]` follows it. Unless the
// text is `final`, an event at its very end waits for the comma or bracket behind it.
TolerantStop read_tolerantly(std::string_view text, bool final, std::uint64_t file_offset,
                             EventReader& reader, EventBatch& batch);

// Where, at `from` or behind a later comma, the next event opens: an object that can be read and has a phase.
// npos where none is found; unless the text is `final`, one may open behind the comma at `keep_from` (or the
// text's end) once the text is longer.
struct Resync {
  std::size_t at = std::string_view::npos;
  std::size_t keep_from = 0;
};
Resync find_next_event(std::string_view text, bool final, std::size_t from);

// For a text that holds no further event and ends with the file: the ] of the event array, told by what
// follows it, which must be the rest of the file's form (`in_array`: the root is the array itself). npos:
// none.
std::size_t find_array_end(std::string_view text, bool in_array);

}  // namespace foretell::ingest::kineto
