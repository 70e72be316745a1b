// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/window_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "analyzer/ingest/kineto/broken_event.hpp"
#include "analyzer/ingest/kineto/tolerant_reader.hpp"
#include "src/base/text.hpp"

namespace foretell::ingest::kineto {

namespace {

// No exception crosses a thread: what the standard library throws for want of memory becomes an error.
std::optional<Error> without_exceptions(const std::string& path, const auto& act) {
  try {
    const Result<void> done = act();
    return done ? std::nullopt : std::optional(done.error());
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Environment, path, "out of memory", ""};
  }
}

}  // namespace

WindowPipeline::WindowPipeline(unsigned threads, std::string path, std::uint64_t max_event_bytes,
                               std::function<Result<void>(const EventBatch&)> merge)
    : path_(std::move(path)),
      max_event_bytes_(max_event_bytes),
      merge_(std::move(merge)),
      max_in_flight_(std::size_t{threads} * 2 + 1) {
  try {
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (const std::system_error&) {  // no more threads to be had: those there are will do
    if (threads_.empty()) {
      throw;
    }
  }
}

WindowPipeline::~WindowPipeline() { (void)finish(); }

Window WindowPipeline::take_window(std::size_t capacity) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return submitted_ - merged_ < max_in_flight_; });
  Window window;
  const auto fits =
      std::ranges::find_if(free_windows_, [&](const Window& w) { return w.capacity >= capacity; });
  if (fits != free_windows_.end()) {
    window.buffer = std::move(fits->buffer);
    window.capacity = fits->capacity;
    window.commas = std::move(fits->commas);
    window.commas.clear();
    free_windows_.erase(fits);
    return window;
  }
  window.buffer = std::make_unique_for_overwrite<char[]>(capacity + kWindowPadding);
  window.capacity = capacity;
  return window;
}

void WindowPipeline::submit(Window window) {
  std::memset(window.buffer.get() + window.size, ' ', kWindowPadding);
  const std::unique_lock lock(mutex_);
  waiting_.emplace(submitted_++, std::move(window));
  changed_.notify_all();
}

bool WindowPipeline::healthy() {
  const std::unique_lock lock(mutex_);
  return !error_;
}

Result<void> WindowPipeline::finish() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return merged_ == submitted_; });
    closed_ = true;
    changed_.notify_all();
  }
  threads_.clear();
  if (error_) {
    return std::unexpected(*error_);
  }
  return {};
}

void WindowPipeline::work() {
  EventReader reader;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      return;
    }
    auto node = waiting_.extract(waiting_.begin());
    Done done;
    done.window = std::move(node.mapped());
    if (!free_batches_.empty()) {
      done.batch = std::move(free_batches_.back());
      free_batches_.pop_back();
    }
    const bool wanted = !error_;
    lock.unlock();
    if (wanted) {
      done.error = without_exceptions(path_, [&] { return read(done.window, done.batch, done.end, reader); });
    }
    lock.lock();
    done_.emplace(node.key(), std::move(done));
    merge_ready(lock);
  }
}

// Merges every window whose turn has come. One thread at a time; the others go on reading.
void WindowPipeline::merge_ready(std::unique_lock<std::mutex>& lock) {
  if (merging_) {
    return;
  }
  merging_ = true;
  while (!done_.empty() && done_.begin()->first == merged_) {
    Done done = std::move(done_.extract(done_.begin()).mapped());
    if (!error_) {
      lock.unlock();
      if (!done.error) {
        done.error = without_exceptions(path_, [&] { return merge_(done.batch); });
      }
      lock.lock();
      error_ = std::move(done.error);
      file_end_ = done.end;
    }
    done.batch.clear();
    free_batches_.push_back(std::move(done.batch));
    if (done.window.capacity <= kDefaultWindowBytes) {
      free_windows_.push_back(std::move(done.window));
    }
    ++merged_;
    changed_.notify_all();
  }
  merging_ = false;
}

Result<void> WindowPipeline::read(Window& window, EventBatch& batch, FileEnd& end,
                                  EventReader& reader) const {
  char* const data = window.buffer.get();
  const std::string_view text(data, window.size);
  if (window.fast) {
    for (const std::uint32_t comma : window.commas) {
      data[comma] = ' ';
    }
    if (reader.read_window(text, window.events, batch)) {
      end.events_read = window.first_event + window.events;
      return {};
    }
    batch.clear();
    for (const std::uint32_t comma : window.commas) {
      data[comma] = ',';
    }
  }
  const TolerantStop stop = read_tolerantly(text, true, window.offset, reader, batch);
  end.events_read = window.first_event + batch.events.size() + batch.stats[profile::Stat::NotAnObject];
  if (stop.kind == TolerantStop::Kind::EndOfText && !window.over_long) {
    return {};
  }
  if (stop.kind == TolerantStop::Kind::NeedsMore && window.file_ends) {
    end.inside_event = true;
    return {};
  }
  if (stop.kind != TolerantStop::Kind::Broken && window.over_long) {
    return fail(ErrorCode::Limit, place(path_, text, window.offset, window.line, stop.event_begin),
                fmt::format("event {} is longer than {}, the limit for one event", end.events_read,
                            format_bytes(max_event_bytes_)),
                "is this a trace?");
  }
  return std::unexpected(broken_event(path_, text, window.offset, window.line, end.events_read, stop));
}

}  // namespace foretell::ingest::kineto
