// SPDX-License-Identifier: Apache-2.0
// Checks of option values whose refusals say what was expected and what was found.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>

namespace foretell::cli {

// Above 0, at most `most`.
CLI::Validator positive_number(double most);
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

}  // namespace foretell::cli
