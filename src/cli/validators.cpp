// SPDX-License-Identifier: Apache-2.0
#include "src/cli/validators.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "src/base/text.hpp"

namespace foretell::cli {
namespace {

template <class T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

CLI::Validator positive_number(double most) {
  return {[=](const std::string& text) {
            const auto value = parse<double>(text);
            return value && *value > 0 && *value <= most
                       ? std::string()
                       : fmt::format("expected a number above 0 and at most {}, found '{}'", most,
                                     printable(text));
          },
          ""};
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return {[=](const std::string& text) {
            const auto value = parse<std::int64_t>(text);
            return value && *value >= least && *value <= most
                       ? std::string()
                       : fmt::format("expected a whole number {}, found '{}'",
                                     most == INT64_MAX ? fmt::format("of at least {}", least)
                                                       : fmt::format("from {} to {}", least, most),
                                     printable(text));
          },
          ""};
}

}  // namespace foretell::cli
