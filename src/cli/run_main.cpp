// SPDX-License-Identifier: Apache-2.0
#include "src/cli/run_main.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/base/text.hpp"
#include "src/base/version.hpp"
#include "src/cli/all.hpp"

namespace foretell::cli {
namespace {

constexpr std::string_view kDescription =
    "Foretell says which overhead binds in a recorded trace, or in a workload it runs, and by how much.";
constexpr std::string_view kFooter =
    "stdout is the result, stderr is progress and diagnostics.\n"
    "Exit codes: 0 done, 1 a --fail-on condition holds, 2 usage, 3 bad input, 4 environment,\n"
    "70 internal error.";
constexpr std::string_view kFooterWithoutGate =
    "stdout is the result, stderr is progress and diagnostics.\n"
    "Exit codes: 0 done, 2 usage, 3 bad input, 4 environment, 70 internal error.";

// One line per option, continued under its own beginning, at most 100 columns.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kNameColumns);
    label("SUBCOMMAND", "COMMAND");
  }

  // Arguments that stand in no group leave a gap behind.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (const auto& [gap, instead] : {std::pair{" \n", "\n"}, std::pair{"\n\n\n", "\n\n"}}) {
      for (std::size_t at = text.find(gap); at != std::string::npos; at = text.find(gap)) {
        text.replace(at, std::string_view(gap).size(), instead);
      }
    }
    return text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = option->get_type_name();
    if (!is_positional) {
      name = fmt::format("{}{}{}", option->get_name(false, true), name.empty() ? "" : " ", name);
    }
    std::string described(option->get_description());
    std::size_t line_begin = 0;
    while (described.size() - line_begin > kColumns - kNameColumns) {
      const std::size_t space = described.rfind(' ', line_begin + kColumns - kNameColumns);
      if (space == std::string::npos || space <= line_begin) {
        break;
      }
      described[space] = '\n';
      line_begin = space + 1;
    }
    std::ostringstream out;
    CLI::detail::format_help(out, name, described, kNameColumns);
    return out.str();
  }
  std::string make_option_usage(const CLI::Option* option) const override { return option->get_type_name(); }
  std::string make_description(const CLI::App* app) const override { return app->get_description() + "\n"; }

 private:
  static constexpr std::size_t kColumns = 100;
  static constexpr std::size_t kNameColumns = 24;
};

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const auto found = nearest(name, views);
  return found ? fmt::format("did you mean '{}'?", *found) : std::string();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Subcommand& row : all_subcommands()) {
    names.emplace_back(row.name);
  }
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// What CLI11 refuses, in our words. `used` is the verb's app, or the program's.
Error usage_error(const CLI::ParseError& error, const CLI::App& app,
                  const std::vector<std::string>& arguments) {
  const auto verbs = app.get_subcommands();
  const CLI::App& used = verbs.empty() ? app : *verbs.front();
  const std::string where = verbs.empty() ? std::string() : used.get_name();
  const std::string help = fmt::format("see 'foretell {}--help'", where.empty() ? "" : where + " ");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> before = verbs.empty() ? std::vector<std::string>() : app.remaining();
    if (!before.empty()) {
      return {ErrorCode::Usage, "",
              fmt::format("unexpected '{}' before the command", printable(before.front())),
              fmt::format("options of a command stand behind it: foretell {} {}", where,
                          printable(before.front()))};
    }
    const std::vector<std::string> extras = used.remaining().empty() ? app.remaining(true) : used.remaining();
    const std::string extra = extras.empty() ? std::string() : extras.front();
    if (extra.starts_with('-')) {
      const std::string name = extra.substr(0, extra.find('='));
      const std::string meant = did_you_mean(name, option_names(used));
      return {ErrorCode::Usage, where, fmt::format("unknown option '{}'", printable(name)),
              meant.empty() ? help : meant};
    }
    if (verbs.empty()) {
      const std::string meant = did_you_mean(extra, verb_names());
      return {
          ErrorCode::Usage, "",
          fmt::format("unknown command '{}', expected one of: {}", printable(extra), list_of(verb_names())),
          meant};
    }
    return {ErrorCode::Usage, where, fmt::format("unexpected argument '{}'", printable(extra)), help};
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (verbs.empty()) {
      const auto first =
          std::ranges::find_if(arguments, [](const std::string& a) { return !a.starts_with('-'); });
      if (first != arguments.end() && first != arguments.begin() && *std::prev(first) == "--") {
        return {ErrorCode::Usage, "", "expected a command before '--'", help};
      }
      if (first != arguments.end()) {
        const std::string meant = did_you_mean(*first, verb_names());
        return {ErrorCode::Usage, "",
                fmt::format("unknown command '{}', expected one of: {}", printable(*first),
                            list_of(verb_names())),
                meant};
      }
      const auto option =
          std::ranges::find_if(arguments, [](const std::string& a) { return a.size() > 1 && a != "--"; });
      if (option != arguments.end()) {
        const std::string meant = did_you_mean(*option, option_names(app));
        return {ErrorCode::Usage, "", fmt::format("unknown option '{}'", printable(*option)),
                meant.empty() ? help : meant};
      }
      return {ErrorCode::Usage, "", fmt::format("expected a command: {}", list_of(verb_names())), help};
    }
    return {ErrorCode::Usage, where, "expected at least one file", help};
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    for (const CLI::Option* option : used.get_options()) {
      if (option->get_items_expected_max() == 1 && option->results().size() > 1) {
        return {
            ErrorCode::Usage, where,
            fmt::format("{}: expected once, found {} times", option->get_name(), option->results().size()),
            help};
      }
    }
    const std::string_view text = error.what();  // "--format: 1 required NAME missing"
    return {ErrorCode::Usage, where, fmt::format("{}: expected a value", text.substr(0, text.find(':'))),
            help};
  }
  const std::string text = error.what();
  constexpr std::string_view kExcludes = " excludes ";  // "--dump excludes --format"
  const std::size_t at = text.find(kExcludes);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr && at != std::string::npos) {
    return {ErrorCode::Usage, where,
            fmt::format("{} does not go with {}", text.substr(0, at), text.substr(at + kExcludes.size())),
            help};
  }
  return {ErrorCode::Usage, where, text, help};
}

}  // namespace

void print_error(const Error& error) {
  fmt::print(stderr, "foretell: error: {}{}{}\n", printable(error.where), error.where.empty() ? "" : ": ",
             printable(error.message));
  if (!error.hint.empty()) {
    fmt::print(stderr, "hint: {}\n", printable(error.hint));
  }
}

void print_note(std::string_view text) { fmt::print(stderr, "foretell: note: {}\n", printable(text)); }

Exit exit_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Usage: return Exit::Usage;
    case ErrorCode::BadInput:
    case ErrorCode::Unsupported:
    case ErrorCode::Limit: return Exit::BadInput;
    case ErrorCode::Environment: return Exit::Environment;
  }
  return Exit::Bug;
}

Exit run_main(int argc, const char* const* argv) {
  try {
    CLI::App app{std::string(kDescription), "foretell"};
    app.footer(std::string(kFooter));
    app.formatter(std::make_shared<HelpFormatter>());  // owners: the program's parser and each verb's
    app.set_help_flag("-h,--help", "print this text");
    app.set_version_flag("--version", fmt::format("foretell {}", version()), "print the version");
    app.require_subcommand(1);
    std::vector<std::pair<CLI::App*, std::function<Exit()>>> verbs;
    for (const Subcommand& row : all_subcommands()) {
      CLI::App* verb = app.add_subcommand(std::string(row.name), std::string(row.title));
      verb->group("Commands");
      verbs.emplace_back(verb, row.declare(*verb));
      if (verb->get_option_no_throw("--fail-on") == nullptr) {  // else as the program's
        verb->footer(std::string(kFooterWithoutGate));
      }
    }
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    try {
      app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // wants the last one first
    } catch (const CLI::Success& wanted) {                                        // --help, --version
      const bool said = app.exit(wanted) == 0 && std::fflush(stdout) == 0 && std::cout.good();
      return said ? Exit::Done : Exit::Environment;
    } catch (const CLI::ParseError& error) {
      print_error(usage_error(error, app, arguments));
      return Exit::Usage;
    }
    for (const auto& [verb, act] : verbs) {
      if (verb->parsed()) {
        return act();
      }
    }
    return Exit::Bug;
  } catch (const std::system_error& error) {  // no thread to be had
    print_error({ErrorCode::Environment, "", error.what(), ""});
    return Exit::Environment;
  } catch (const std::bad_alloc&) {
    print_error({ErrorCode::Environment, "", "out of memory", ""});
    return Exit::Environment;
  } catch (const std::exception& error) {
    print_error({ErrorCode::Environment, "", fmt::format("internal error: {}", error.what()), ""});
    return Exit::Bug;
  }
}

}  // namespace foretell::cli
