// SPDX-License-Identifier: Apache-2.0
// Expected failure as a value. A bug aborts (check.hpp); no exception of ours exists.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace foretell {

enum class ErrorCode : std::uint8_t {
  Usage,        // the command line is off
  BadInput,     // a file can't be read as what it claims to be
  Unsupported,  // well-formed, but of a kind that is declined
  Limit,        // a stated limit was reached
  Environment,  // the machine lacks something (file, permission, device)
};

// One failure, told once: what was expected and found (`message`, lower case), where (`where`: file plus
// line or byte offset, empty if it has none) and what to do about it (`hint`, may be empty).
struct Error {
  ErrorCode code = ErrorCode::BadInput;
  std::string where;
  std::string message;
  std::string hint;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string where, std::string message,
                                                 std::string hint = {}) {
  return std::unexpected(Error{code, std::move(where), std::move(message), std::move(hint)});
}

}  // namespace foretell

#define FORETELL_CONCAT_INNER(a, b) a##b
#define FORETELL_CONCAT(a, b) FORETELL_CONCAT_INNER(a, b)

// The only two macros that return for you.
#define FORETELL_RETURN_IF_ERROR(expression)                                 \
  do {                                                                       \
    if (auto foretell_status = (expression); !foretell_status.has_value()) { \
      return std::unexpected(std::move(foretell_status).error());            \
    }                                                                        \
  } while (false)

#define FORETELL_ASSIGN_OR_RETURN(declaration, expression) \
  FORETELL_ASSIGN_OR_RETURN_IMPL(FORETELL_CONCAT(foretell_result_, __LINE__), declaration, expression)
#define FORETELL_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                           \
  if (!(result).has_value()) {                                          \
    return std::unexpected(std::move(result).error());                  \
  }                                                                     \
  declaration = std::move(*(result))
