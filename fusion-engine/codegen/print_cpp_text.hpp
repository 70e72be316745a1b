// SPDX-License-Identifier: Apache-2.0
// Lines of C++ with indentation.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

namespace foretell::codegen {

class CppText {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::string(2 * depth_, ' ') + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  // "HEAD {", or "{" alone; what follows is indented until it is closed.
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    const std::string head = fmt::format(format, std::forward<Args>(args)...);
    line("{}{{", head.empty() ? head : head + " ");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}}");
  }
  // At the margin: directives and empty lines.
  void raw(std::string_view text) { text_.append(text).push_back('\n'); }
  std::string take() { return std::move(text_); }

 private:
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace foretell::codegen
