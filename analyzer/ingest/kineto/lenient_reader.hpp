// SPDX-License-Identifier: Apache-2.0
// One event array, event by event, in lenient mode: what can't be repaired is dropped and counted, and
// reading goes on at the next event. One thread; it trusts no quoting, so it can't be cut into windows ahead
// of reading.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analyzer/ingest/kineto/event_batch.hpp"
#include "analyzer/ingest/kineto/event_reader.hpp"
#include "analyzer/ingest/kineto/text_stream.hpp"

namespace foretell::ingest::kineto {

class LenientReader {
 public:
  // `stream` stands behind the array's opening bracket; `merge` takes the batches, in file order.
  LenientReader(TextStream& stream, bool root_is_array, std::uint64_t max_event_bytes,
                std::function<Result<void>(const EventBatch&)> merge);

  enum class End : std::uint8_t {
    Array,        // the stream stands behind the array's closing bracket
    File,         // the file ends within the array, between two events
    InsideEvent,  // the file ends inside an event
  };
  Result<End> run();

 private:
  Result<void> read_more();
  void drop_front(std::size_t bytes);
  // From a place where nothing can be read to the next event; nullopt: found. Else how the array ends.
  Result<std::optional<End>> resync();

  TextStream& stream_;
  const bool root_is_array_;
  const std::uint64_t max_event_bytes_;
  const std::function<Result<void>(const EventBatch&)> merge_;
  EventReader reader_;
  EventBatch batch_;
  std::string text_;  // read, not yet consumed
  std::uint64_t text_offset_;
  bool file_ends_ = false;
};

}  // namespace foretell::ingest::kineto
