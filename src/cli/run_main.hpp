// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "src/base/result.hpp"
#include "src/cli/subcommand.hpp"

namespace foretell::cli {

// Parses the command line, runs the verb, prints errors; what main returns.
Exit run_main(int argc, const char* const* argv);

// "foretell: error: WHERE: MESSAGE" and, if there is one, a line "hint: ..." on stderr.
void print_error(const Error& error);
// "foretell: note: TEXT" on stderr: what went otherwise than usual, and does no harm.
void print_note(std::string_view text);
Exit exit_of(ErrorCode code);

}  // namespace foretell::cli
