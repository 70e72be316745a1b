// SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler, as a program that turns generated source into a shared object.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.hpp"

namespace foretell::codegen {

// What to do where there is none, or one that is too old (simd/types.hpp refuses those).
inline constexpr std::string_view kCompilerHint =
    "install g++ 12 or clang 19, or a later one (Debian: apt install g++), or set CXX to it";

// $CXX if set (a path or name, and arguments: "ccache g++"), else the first of c++, g++, clang++ on PATH.
struct Compiler {
  std::filesystem::path path;
  std::vector<std::string> arguments;  // those of $CXX: they come first
  std::string version;                 // first line of --version; part of the cache key
  std::vector<std::string> flags;      // target, optimisation, shared object
};

struct CompilerSearch {
  std::string cxx;   // $CXX; empty: not set
  std::string path;  // $PATH
};
// Errors (Environment): none found, or it does not run; the hint says what to install or set.
Result<Compiler> find_compiler(const CompilerSearch& search);
// The same, with the environment of this process.
Result<Compiler> find_compiler();

// Compiles `source` to a shared object `object`; temporary files go to `temporary`. Diagnostics call the
// source "kernels.cpp", and are in English. Errors (Environment): the compiler's first diagnostics are in the
// message.
Result<void> compile(const Compiler& compiler, std::string_view source, const std::filesystem::path& object,
                     const std::filesystem::path& temporary);

}  // namespace foretell::codegen
