// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/lenient_reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/ingest/kineto/broken_event.hpp"
#include "analyzer/ingest/kineto/tolerant_reader.hpp"

namespace foretell::ingest::kineto {

using profile::Stat;

namespace {

// Events that begin in a text that can't be read: each has one key "ph".
std::uint64_t count_phases(std::string_view text) {
  constexpr std::string_view kKey = "\"ph\"";
  std::uint64_t count = 0;
  for (std::size_t at = text.find(kKey); at != std::string_view::npos;
       at = text.find(kKey, at + kKey.size())) {
    ++count;
  }
  return count;
}

}  // namespace

LenientReader::LenientReader(TextStream& stream, bool root_is_array, std::uint64_t max_event_bytes,
                             std::function<Result<void>(const EventBatch&)> merge)
    : stream_(stream),
      root_is_array_(root_is_array),
      max_event_bytes_(max_event_bytes),
      merge_(std::move(merge)),
      text_offset_(stream.offset()) {}

Result<LenientReader::End> LenientReader::run() {
  while (true) {
    const TolerantStop stop = read_tolerantly(text_, file_ends_, text_offset_, reader_, batch_);
    FORETELL_RETURN_IF_ERROR(merge_(batch_));
    batch_.clear();
    if (stop.kind == TolerantStop::Kind::ArrayEnd) {
      stream_.give_back(std::string_view(text_).substr(stop.at + 1));
      return End::Array;
    }
    drop_front(stop.event_begin);
    const bool unfinished = stop.kind != TolerantStop::Kind::Broken;
    if (unfinished && file_ends_) {
      return stop.kind == TolerantStop::Kind::NeedsMore ? End::InsideEvent : End::File;
    }
    if (unfinished && text_.size() < max_event_bytes_) {
      FORETELL_RETURN_IF_ERROR(read_more());
      continue;
    }
    FORETELL_ASSIGN_OR_RETURN(const std::optional<End> end, resync());
    if (end) {
      FORETELL_RETURN_IF_ERROR(merge_(batch_));
      return *end;
    }
  }
}

Result<void> LenientReader::read_more() {
  const std::size_t before = text_.size();
  const std::size_t more =
      std::max(kDefaultWindowBytes, before);  // a long event is not read again per window
  text_.resize(before + more);
  FORETELL_ASSIGN_OR_RETURN(const std::size_t got, stream_.read({text_.data() + before, more}));
  text_.resize(before + got);
  file_ends_ = got < more;
  return {};
}

void LenientReader::drop_front(std::size_t bytes) {
  text_.erase(0, bytes);
  text_offset_ += bytes;
}

Result<std::optional<LenientReader::End>> LenientReader::resync() {
  bool lost = false;         // bytes were passed over
  std::uint64_t phases = 0;  // in them: that many events at least
  std::size_t from = 0;
  while (true) {
    const Resync next = find_next_event(text_, file_ends_, from);
    if (next.at != std::string_view::npos) {
      lost |= next.at > 0;
      phases += count_phases(std::string_view(text_).substr(0, next.at));
      batch_.stats.count(lost ? Stat::EventsDropped : Stat::MissingCommas,
                         std::max<std::uint64_t>(phases, 1));
      drop_front(next.at);
      return std::nullopt;
    }
    if (file_ends_) {
      const std::size_t end = find_array_end(text_, root_is_array_);
      phases += count_phases(std::string_view(text_).substr(0, end));
      batch_.stats.count(Stat::EventsDropped, std::max<std::uint64_t>(phases, 1));
      if (end == std::string_view::npos) {
        return End::File;
      }
      stream_.give_back(std::string_view(text_).substr(end + 1));
      return End::Array;
    }
    from = next.keep_from;
    if (text_.size() >= max_event_bytes_) {
      // a candidate that is itself too long is passed over, too
      const std::size_t passed = from > 0 ? from : 1;
      phases += count_phases(std::string_view(text_).substr(0, passed));
      drop_front(passed);
      from = 0;
      lost = true;
    }
    FORETELL_RETURN_IF_ERROR(read_more());
  }
}

}  // namespace foretell::ingest::kineto
