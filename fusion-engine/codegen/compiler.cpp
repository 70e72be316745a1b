// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <sstream>

#include "fusion-engine/codegen/run_command.hpp"

namespace foretell::codegen {
namespace {

constexpr std::string_view kNativeTarget = "-march=native";

// Infinity, NaN and signed zero keep their meaning: no -ffast-math. What is given up is errno, traps, the
// rounding of a product that is added to something (-ffp-contract=fast: they become one fused operation,
// which is more exact and twice as fast; g++ does so anyway, clang only within an expression), and the
// undefinedness of signed overflow and type punning, on which generated code relies. Vectors and unrolling
// are explicit in the source: 50 kernels take g++ 12 2.0 s of processor time with -O2, 3.4 s with -O3, 1.3 s
// with -O1. -nostdlib saves 8 ms a link; libm and libgcc are there for what the compiler's builtins call.
constexpr std::array<std::string_view, 17> kFlags{"-std=c++20",
                                                  "-O2",
                                                  "-fPIC",
                                                  "-shared",
                                                  "-fno-math-errno",
                                                  "-fno-trapping-math",
                                                  "-ffp-contract=fast",
                                                  "-fwrapv",
                                                  "-fno-strict-aliasing",
                                                  "-fno-exceptions",
                                                  "-fno-rtti",
                                                  "-fno-plt",
                                                  "-fno-stack-protector",
                                                  "-nostdlib",
                                                  "-Wl,--as-needed",
                                                  "-lm",
                                                  "-lgcc"};

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::filesystem::path> find_program(std::string_view name, std::string_view search_path) {
  if (name.contains('/')) {
    return is_program(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  }
  for (const auto part : std::views::split(search_path, ':')) {
    std::filesystem::path candidate = std::filesystem::path(std::string_view(part)) / name;
    if (candidate.is_absolute() && is_program(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

// Path and arguments; no flags yet.
Result<Compiler> locate(const CompilerSearch& search) {
  if (search.cxx.find_first_not_of(' ') == std::string::npos) {
    for (const std::string_view name : {"c++", "g++", "clang++"}) {
      if (auto path = find_program(name, search.path)) {
        return Compiler{.path = *std::move(path)};
      }
    }
    return fail(ErrorCode::Environment, {}, "no C++ compiler found: neither c++, g++ nor clang++ is on PATH",
                std::string(kCompilerHint));
  }
  // A path with spaces in it is taken as a whole where such a file exists.
  if (is_program(search.cxx)) {
    return Compiler{.path = search.cxx};
  }
  std::istringstream words(search.cxx);
  std::string name;
  words >> name;
  auto path = find_program(name, search.path);
  if (!path) {
    return fail(
        ErrorCode::Environment, {},
        fmt::format("no C++ compiler found: CXX is '{}', and there is no program '{}'", search.cxx, name),
        std::string(kCompilerHint));
  }
  Compiler compiler{.path = *std::move(path)};
  for (std::string argument; words >> argument;) {
    compiler.arguments.push_back(argument);
  }
  return compiler;
}

Command command_of(const Compiler& compiler, std::initializer_list<std::string_view> arguments) {
  Command command{.arguments = {compiler.path.string()}, .input = {}, .environment = {{"LC_ALL", "C"}}};
  command.arguments.insert(command.arguments.end(), compiler.arguments.begin(), compiler.arguments.end());
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// At most three lines: those with errors, where there are any.
std::string first_diagnostics(std::string_view text) {
  constexpr std::size_t kLines = 3;
  std::vector<std::string_view> lines;
  for (const auto part : std::views::split(text, '\n')) {
    if (const std::string_view line(part); !line.empty()) {
      lines.push_back(line);
    }
  }
  std::vector<std::string_view> errors;
  std::ranges::copy_if(lines, std::back_inserter(errors),
                       [](std::string_view line) { return line.contains("error"); });
  const auto& chosen = errors.empty() ? lines : errors;
  const auto shown = chosen | std::views::take(kLines);
  return fmt::format("{}{}", fmt::join(shown, "; "),
                     chosen.size() > kLines ? fmt::format("; and {} more", chosen.size() - kLines) : "");
}

}  // namespace

Result<Compiler> find_compiler(const CompilerSearch& search) {
  FORETELL_ASSIGN_OR_RETURN(Compiler compiler, locate(search));
  FORETELL_ASSIGN_OR_RETURN(const CommandResult version, run_command(command_of(compiler, {"--version"})));
  if (version.status != 0 || first_line(version.output).empty()) {
    std::string message =
        fmt::format("no C++ compiler found: '--version' ended with status {}", version.status);
    if (const std::string why = first_diagnostics(version.diagnostics); !why.empty()) {
      message += ": " + why;
    }
    return fail(ErrorCode::Environment, compiler.path.string(), std::move(message),
                std::string(kCompilerHint));
  }
  compiler.version = first_line(version.output);
  compiler.flags.emplace_back(kNativeTarget);
  compiler.flags.insert(compiler.flags.end(), kFlags.begin(), kFlags.end());
  return compiler;
}

Result<Compiler> find_compiler() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return find_compiler({.cxx = variable("CXX"), .path = variable("PATH")});
}

Result<void> compile(const Compiler& compiler, std::string_view source, const std::filesystem::path& object,
                     const std::filesystem::path& temporary) {
  const std::string named = fmt::format("#line 1 \"kernels.cpp\"\n{}", source);
  Command command = command_of(compiler, {"-x", "c++", "-"});
  command.arguments.insert(command.arguments.end(), compiler.flags.begin(), compiler.flags.end());
  command.arguments.insert(command.arguments.end(), {"-o", object.string()});
  command.environment.emplace_back("TMPDIR", temporary.string());
  command.input = named;
  FORETELL_ASSIGN_OR_RETURN(CommandResult result, run_command(command));
  // Outside x86 some compilers don't know their machine (clang before 15 on ARM): generic code is left.
  // Asking them first would cost each start 9 ms.
  if (result.status != 0 && result.diagnostics.contains("native")) {
    std::erase(command.arguments, kNativeTarget);
    FORETELL_ASSIGN_OR_RETURN(result, run_command(command));
  }
  if (result.status != 0) {
    return fail(ErrorCode::Environment, compiler.path.string(),
                fmt::format("compiling the generated kernels failed with status {}: {}", result.status,
                            first_diagnostics(result.diagnostics)));
  }
  return {};
}

}  // namespace foretell::codegen
