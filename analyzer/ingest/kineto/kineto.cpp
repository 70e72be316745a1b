// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/kineto.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "analyzer/ingest/kineto/broken_event.hpp"
#include "analyzer/ingest/kineto/lenient_reader.hpp"
#include "analyzer/ingest/kineto/structure_scanner.hpp"
#include "analyzer/ingest/kineto/table_filler.hpp"
#include "analyzer/ingest/kineto/text_stream.hpp"
#include "analyzer/ingest/kineto/top_level.hpp"
#include "analyzer/ingest/kineto/window_pipeline.hpp"
#include "src/base/text.hpp"

namespace foretell::ingest::kineto {
namespace {

using profile::ProfileBuilder;
using profile::Stat;

std::uint64_t half_of_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

class KinetoReader {
 public:
  KinetoReader(ByteSource& source, std::string_view prefix, const ReadOptions& options)
      : options_(options),
        stream_(source, prefix, options),
        top_(stream_, options, builder_),
        filler_(builder_),
        max_table_bytes_(options.max_table_bytes != 0 ? options.max_table_bytes : half_of_memory()) {}

  Result<profile::Profile> run() {
    bool has_events = false;
    while (true) {
      FORETELL_ASSIGN_OR_RETURN(const TopLevel::Next next, top_.advance());
      if (next == TopLevel::Next::End) {
        break;
      }
      has_events = true;
      FORETELL_RETURN_IF_ERROR(options_.lenient ? read_events_leniently() : read_events());
    }
    profile::Profile& profile = builder_.profile();
    if (!has_events) {
      return fail(ErrorCode::BadInput, stream_.source().path(),
                  profile.stats[Stat::FileEndsEarly] > 0
                      ? "expected a trace, found JSON that ends before 'traceEvents'"
                      : "expected a trace, found JSON without 'traceEvents'",
                  "PyTorch writes traces with torch.profiler's export_chrome_trace");
    }
    note_container();
    filler_.finish();
    profile.info.text_bytes = stream_.offset();
    return builder_.finish();
  }

 private:
  Result<void> merge(const EventBatch& batch) {
    filler_.append(batch);
    if (builder_.allocated_bytes() > max_table_bytes_) {
      return fail(
          ErrorCode::Limit, stream_.source().path(),
          fmt::format("the tables need more than {}, the limit, after {}", format_bytes(max_table_bytes_),
                      format_counted(builder_.profile().info.events, "event")),
          "raise it with --max-table-bytes, or record fewer steps");
    }
    return {};
  }

  // One event array with the fast path.
  Result<void> read_events() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    WindowPipeline pipeline(options_.threads != 0 ? options_.threads : cores, stream_.source().path(),
                            options_.max_event_bytes,
                            [this](const EventBatch& batch) { return merge(batch); });
    StructureScanner scanner;
    Window window = pipeline.take_window(kDefaultWindowBytes);
    window.offset = stream_.offset();
    window.line = top_.line();
    window.first_event = events_before_;
    Result<void> status;
    while (pipeline.healthy()) {
      const auto got = stream_.read({window.buffer.get() + window.size, window.capacity - window.size});
      if (!got) {
        status = std::unexpected(got.error());
        break;
      }
      window.size += *got;
      const auto scanned = scanner.scan({window.buffer.get(), window.size});
      if (scanned != StructureScanner::Status::NeedMore || *got == 0 || window.size < window.capacity) {
        finish_events(pipeline, scanner, std::move(window), scanned);
        break;
      }
      const std::size_t cut = scanner.commas().empty() ? 0 : scanner.commas().back() + 1;
      if (cut == 0) {
        if (window.capacity >= options_.max_event_bytes) {
          window.fast = false;
          window.over_long = true;
          pipeline.submit(std::move(window));
          break;
        }
        Window larger = grow(window);
        window = std::move(larger);
        continue;
      }
      submit_whole(pipeline, scanner, window, cut);
    }
    const auto read = pipeline.finish();
    if (!read) {
      return read;
    }
    FORETELL_RETURN_IF_ERROR(status);
    note_file_end(pipeline.file_end());
    return {};
  }

  // Hands on window[0, cut) and goes on with a new window that begins with the rest.
  static void submit_whole(WindowPipeline& pipeline, StructureScanner& scanner, Window& window,
                           std::size_t cut) {
    const std::string_view rest(window.buffer.get() + cut, window.size - cut);
    Window next = pipeline.take_window(std::max(kDefaultWindowBytes, 2 * rest.size()));
    std::memcpy(next.buffer.get(), rest.data(), rest.size());
    next.size = rest.size();
    window.commas = scanner.commas();
    window.events = window.commas.size();
    window.fast = !scanner.has_bare_words();
    window.size = cut;
    next.offset = window.offset + cut;
    next.first_event = window.first_event + window.events;
    const std::uint64_t newlines = scanner.newlines();
    scanner.advance(cut, {next.buffer.get(), next.size});
    next.line = window.line + newlines - scanner.newlines();
    pipeline.submit(std::move(window));
    window = std::move(next);
  }

  static Window grow(Window& window) {
    Window larger;
    larger.capacity = window.capacity * 2;
    larger.buffer = std::make_unique_for_overwrite<char[]>(larger.capacity + kWindowPadding);
    std::memcpy(larger.buffer.get(), window.buffer.get(), window.size);
    larger.size = window.size;
    larger.offset = window.offset;
    larger.line = window.line;
    larger.first_event = window.first_event;
    return larger;
  }

  // The array or the file ends in this window, or its structure is broken.
  void finish_events(WindowPipeline& pipeline, const StructureScanner& scanner, Window window,
                     StructureScanner::Status status) {
    window.commas = scanner.commas();
    window.fast = !scanner.has_bare_words();
    if (status == StructureScanner::Status::ArrayEnd) {
      const std::size_t end = scanner.end_at();
      const std::string_view rest(window.buffer.get() + end + 1, window.size - end - 1);
      stream_.give_back(rest);
      top_.set_line(window.line + static_cast<std::uint64_t>(
                                      std::count(window.buffer.get(), window.buffer.get() + end, '\n')));
      window.size = end;
      window.events = window.commas.size() + (scanner.value_seen() ? 1 : 0);
      trailing_comma_ = !scanner.value_seen() && (!window.commas.empty() || window.first_event > 0);
    } else if (status == StructureScanner::Status::Malformed) {
      window.fast = false;
    } else {
      window.fast = false;
      window.file_ends = true;
      top_.end_of_file();
    }
    if (window.size > 0) {
      pipeline.submit(std::move(window));
    }
    file_ended_ = status == StructureScanner::Status::NeedMore;
  }

  void note_file_end(const FileEnd& end) {
    profile::Profile& profile = builder_.profile();
    events_before_ = profile.info.events;
    profile.stats.count(Stat::TrailingCommas, trailing_comma_ ? 1 : 0);
    trailing_comma_ = false;
    if (!file_ended_) {
      return;
    }
    if (end.inside_event) {
      profile.stats.count(Stat::FileEndsEarly);
      profile.info.end_note = fmt::format("file ends inside event {}, {} read", end.events_read,
                                          format_counted(end.events_read, "event"));
    } else if (top_.is_array()) {
      profile.stats.count(Stat::MissingArrayEnd);
    } else {
      profile.stats.count(Stat::FileEndsEarly);
      profile.info.end_note = fmt::format("file ends before the event array is closed, {} read",
                                          format_counted(end.events_read, "event"));
    }
  }

  Result<void> read_events_leniently() {
    LenientReader reader(stream_, top_.is_array(), options_.max_event_bytes,
                         [this](const EventBatch& batch) { return merge(batch); });
    FORETELL_ASSIGN_OR_RETURN(const LenientReader::End end, reader.run());
    file_ended_ = end != LenientReader::End::Array;
    if (file_ended_) {
      top_.end_of_file();
    }
    note_file_end({.events_read = builder_.profile().info.events,
                   .inside_event = end == LenientReader::End::InsideEvent});
    return {};
  }

  void note_container() {
    const ContainerFacts& facts = stream_.source().container();
    profile::Stats& stats = builder_.profile().stats;
    stats.count(Stat::StreamEndsEarly, facts.ends_early ? 1 : 0);
    stats.count(Stat::StreamDamaged, facts.damaged ? 1 : 0);
    stats.count(Stat::ChecksumMismatch, facts.checksum_mismatch ? 1 : 0);
    stats.count(Stat::TrailingBytes, facts.trailing_bytes ? 1 : 0);
  }

  const ReadOptions& options_;
  ProfileBuilder builder_;
  TextStream stream_;
  TopLevel top_;
  TableFiller filler_;
  const std::uint64_t max_table_bytes_;
  std::uint64_t events_before_ = 0;
  bool trailing_comma_ = false;
  bool file_ended_ = false;
};

}  // namespace

bool sniff(std::string_view prefix) {
  if (prefix.starts_with("\xEF\xBB\xBF")) {
    prefix.remove_prefix(3);
  }
  const std::size_t first = prefix.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (prefix[first] == '{' || prefix[first] == '[');
}

Result<profile::Profile> read(ByteSource& source, std::string_view prefix, const ReadOptions& options) {
  return KinetoReader(source, prefix, options).run();
}

}  // namespace foretell::ingest::kineto
