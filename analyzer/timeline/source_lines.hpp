// SPDX-License-Identifier: Apache-2.0
// Where in the user's program something happened: "train.py(42): step".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/links.hpp"

namespace foretell::timeline {

// How far out from a row something that encloses it is looked for. Bounds the work on hostile nests; recorded
// ones are up to 88 deep (measured on recorded traces with Python stacks).
inline constexpr int kDeepestNest = 256;

// The innermost Python frame of the user's around the op or call (not the framework's, an installed package's
// or the interpreter's own); else the first such frame of the recorded call stack; else the innermost user
// annotation that is no step mark; else the name of the op; empty where nothing encloses it. Of a path the
// last two parts are given, never a home directory.
std::string source_line_of_op(const profile::Profile& profile, std::uint32_t op);
std::string source_line_of_call(const profile::Profile& profile, const Links& links, std::uint32_t call);

// The innermost host row of any kind that is open on the thread at that time; kNoRow: none.
std::uint32_t innermost_row_at(const profile::HostOps& ops, std::uint32_t thread, std::int64_t time_ns);

// "/home/me/project/train.py(42): step" -> "project/train.py(42): step"; empty if it is no frame of the
// user's.
std::string user_frame(std::string_view frame);

}  // namespace foretell::timeline
