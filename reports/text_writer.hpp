// SPDX-License-Identifier: Apache-2.0
// Lines, rows and headings of the text report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretell::reports {

inline constexpr std::size_t kColumns = 100;

enum class Style : std::uint8_t { Bold, Dim, Good, Warning, Bad };

class TextWriter {
 public:
  explicit TextWriter(bool color) : color_(color) {}

  std::string take() { return std::move(out_); }

  void line(std::string_view text = {});

  // "  label         value"
  void row(std::string_view label, std::string_view value);

  // `text` behind `lead`, broken at spaces, continued under its own beginning. A word longer than a line is
  // cut. `lead_columns`: the width of `lead` where that holds escape sequences.
  void wrapped(std::string_view lead, std::string_view text, std::size_t lead_columns = 0);

  void heading(std::string_view text, std::string_view aside = {});

  [[nodiscard]] std::string styled(Style style, std::string_view text) const;

 private:
  bool color_;
  std::string out_;
};

}  // namespace foretell::reports
