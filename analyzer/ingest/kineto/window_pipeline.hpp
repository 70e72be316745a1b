// SPDX-License-Identifier: Apache-2.0
// Reads windows of the event array on several threads and hands their events on in file order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/ingest/kineto/event_batch.hpp"
#include "analyzer/ingest/kineto/event_reader.hpp"
#include "src/base/result.hpp"

namespace foretell::ingest::kineto {

// Whole events, the comma behind the last one included.
struct Window {
  std::unique_ptr<char[]> buffer;  // capacity + kWindowPadding bytes
  std::size_t capacity = 0;
  std::size_t size = 0;
  std::uint64_t offset = 0;       // in the inflated file
  std::uint64_t line = 1;         // of the first byte
  std::uint64_t first_event = 0;  // number of the first event
  std::vector<std::uint32_t> commas;
  std::size_t events = 0;  // as counted by the scanner; what the reader must find
  bool fast = true;        // false: known to need the tolerant reader
  bool file_ends = false;  // the file ends behind this window, within the array
  bool over_long = false;  // one event reaches the limit
};

// Where the file ended in mid-event.
struct FileEnd {
  std::uint64_t events_read = 0;
  bool inside_event = false;
};

class WindowPipeline {
 public:
  // `merge` is called for one batch at a time, in file order; an error it returns stops the reading.
  WindowPipeline(unsigned threads, std::string path, std::uint64_t max_event_bytes,
                 std::function<Result<void>(const EventBatch&)> merge);
  ~WindowPipeline();
  WindowPipeline(const WindowPipeline&) = delete;
  WindowPipeline& operator=(const WindowPipeline&) = delete;

  // A window of at least `capacity` bytes, recycled where possible. Waits while too many are in flight.
  Window take_window(std::size_t capacity);
  void submit(Window window);
  // False once an error is known: no use in reading on.
  [[nodiscard]] bool healthy();

  // Waits for all windows. The error of the earliest window, if any.
  Result<void> finish();
  [[nodiscard]] const FileEnd& file_end() const { return file_end_; }

 private:
  struct Done {
    EventBatch batch;
    Window window;
    std::optional<Error> error;
    FileEnd end;
  };

  void work();
  Result<void> read(Window& window, EventBatch& batch, FileEnd& end, EventReader& reader) const;
  void merge_ready(std::unique_lock<std::mutex>& lock);

  const std::string path_;
  const std::uint64_t max_event_bytes_;
  const std::function<Result<void>(const EventBatch&)> merge_;
  const std::size_t max_in_flight_;

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::map<std::uint64_t, Window> waiting_;
  std::map<std::uint64_t, Done> done_;
  std::vector<Window> free_windows_;
  std::vector<EventBatch> free_batches_;
  std::uint64_t submitted_ = 0;
  std::uint64_t merged_ = 0;  // windows merged or dropped, in order
  bool merging_ = false;
  bool closed_ = false;
  std::optional<Error> error_;
  FileEnd file_end_;

  std::vector<std::jthread> threads_;  // last: joined first
};

}  // namespace foretell::ingest::kineto
