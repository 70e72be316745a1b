// SPDX-License-Identifier: Apache-2.0
#include "src/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "src/base/text.hpp"

namespace foretell::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kLabelColumns = 40;

// "[####    ]"
std::string bar(double share) {
  constexpr std::size_t kWidth = 30;
  const auto filled = static_cast<std::size_t>(share * kWidth);
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(kWidth - filled, ' '));
}

}  // namespace

Progress::Progress(std::string label)
    : label_(std::move(label)),
      enabled_(::isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kInterval) {}

Progress::~Progress() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!enabled_ || std::chrono::steady_clock::now() < next_) {
    return;
  }
  next_ = std::chrono::steady_clock::now() + kInterval;
  shown_ = true;
  const std::string label = ellipsize(printable(label_), kLabelColumns);
  if (total == 0) {
    fmt::print(stderr, "\r\x1b[K{} {}", label, format_bytes(done));
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    fmt::print(stderr, "\r\x1b[K{} {} {:3.0f} % of {}", label, bar(share), share * 100, format_bytes(total));
  }
  std::fflush(stderr);
}

void Progress::part(std::size_t done, std::size_t total, std::string label) {
  parts_ =
      fmt::format("{} {} of {} ", bar(static_cast<double>(done) / static_cast<double>(total)), done, total);
  label_ = std::move(label);
}

void Progress::stage(std::string_view text) {
  if (!enabled_) {
    return;
  }
  shown_ = true;
  fmt::print(stderr, "\r\x1b[K{}{}: {}", parts_, ellipsize(printable(label_), kLabelColumns), text);
  std::fflush(stderr);
}

}  // namespace foretell::cli
