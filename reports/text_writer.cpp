// SPDX-License-Identifier: Apache-2.0
#include "reports/text_writer.hpp"

#include <fmt/format.h>

#include "src/base/text.hpp"

namespace foretell::reports {

void TextWriter::line(std::string_view text) {
  out_ += text;
  out_ += '\n';
}

void TextWriter::row(std::string_view label, std::string_view value) {
  constexpr std::size_t kLabel = 20;
  wrapped(fmt::format("  {:<{}} ", label, kLabel - 3), value);
}

void TextWriter::wrapped(std::string_view lead, std::string_view text, std::size_t lead_columns) {
  const std::size_t indent = lead_columns > 0 ? lead_columns : lead.size();
  std::string current(lead);
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string word = ellipsize(text.substr(0, space), kColumns - indent);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (width > 0 && indent + width + 1 + word.size() > kColumns) {
      line(current);
      current.assign(indent, ' ');
      width = 0;
    }
    if (width > 0) {
      current += ' ';
      ++width;
    }
    current += word;
    width += word.size();
  }
  line(current);
}

void TextWriter::heading(std::string_view text, std::string_view aside) {
  line();
  line(aside.empty() ? styled(Style::Bold, text)
                     : fmt::format("{}  {}", styled(Style::Bold, text), styled(Style::Dim, aside)));
}

std::string TextWriter::styled(Style style, std::string_view text) const {
  if (!color_) {
    return std::string(text);
  }
  const std::string_view code = style == Style::Bold      ? "1"
                                : style == Style::Dim     ? "2"
                                : style == Style::Good    ? "32"
                                : style == Style::Warning ? "33"
                                                          : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace foretell::reports
