// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/source_lines.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "src/base/text.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

constexpr std::array<std::string_view, 3> kForeignDirectories{"torch", "site-packages", "dist-packages"};
constexpr std::array<std::string_view, 4> kForeignFiles{"<built-in", "<frozen", "<string>",
                                                        "<eval_with_key>"};
// Of the interpreter's library, which profilers show without its directory: wrappers around the user's calls.
constexpr std::array<std::string_view, 5> kWrapperFiles{"threading.py", "contextlib.py", "functools.py",
                                                        "runpy.py", "typing.py"};

constexpr std::string_view kSeparators = "/\\";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The path of "path(line): function"; empty if it is no such text.
std::string_view path_of(std::string_view frame) {
  const std::size_t close = frame.find("): ");
  const std::size_t open = close == std::string_view::npos ? close : frame.rfind('(', close);
  if (open == std::string_view::npos || !is_number(frame.substr(open + 1, close - open - 1))) {
    return {};
  }
  return frame.substr(0, open);
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find_first_of(kSeparators, begin), path.size());
    if (end > begin) {
      parts.push_back(path.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

bool holds_homes(std::string_view directory) {
  return equals_ignore_case(directory, "home") || equals_ignore_case(directory, "users");
}

bool is_foreign(const std::vector<std::string_view>& parts) {
  return std::ranges::any_of(parts,
                             [](std::string_view part) {
                               return std::ranges::find(kForeignDirectories, part) !=
                                          kForeignDirectories.end() ||
                                      part.starts_with("python3.");  // the interpreter's own library
                             }) ||
         std::ranges::find(kWrapperFiles, parts.back()) != kWrapperFiles.end();
}

// Most frames of a recorded stack: told from their first letters.
bool is_plainly_foreign(std::string_view frame) {
  return std::ranges::any_of(kForeignFiles, [&](std::string_view file) { return frame.starts_with(file); }) ||
         frame.starts_with("torch/") || frame.starts_with("nn.Module: ");
}

// The first frame of the user's in a recorded stack, which is ';'-separated, innermost first.
std::string first_user_frame(std::string_view stack) {
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find_first_of(";\n"), stack.size());
    if (std::string frame = user_frame(stack.substr(0, end)); !frame.empty()) {
      return frame;
    }
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return {};
}

bool is_step_mark(const Profile& profile, StringId name) {
  return profile.text(name).starts_with("ProfilerStep");
}

std::string line_of(const Profile& profile, std::uint32_t row) {
  const HostOps& ops = profile.host_ops;
  std::string_view stack;
  std::string_view annotation;
  std::string_view op;
  int depth = 0;
  for (; row != kNoRow && depth < kDeepestNest; row = ops.parent[row], ++depth) {
    const std::string_view name = profile.text(ops.name[row]);
    if (ops.detail[row] != kNoRow && stack.empty()) {
      stack = profile.text(profile.op_details.call_stack[ops.detail[row]]);
    }
    switch (ops.kind[row]) {
      case HostOpKind::PythonFunction:
        if (std::string frame = user_frame(name); !frame.empty()) {
          return frame;
        }
        break;
      case HostOpKind::UserAnnotation:
        annotation = annotation.empty() && !is_step_mark(profile, ops.name[row]) ? name : annotation;
        break;
      case HostOpKind::Operator: op = op.empty() && !is_step_mark(profile, ops.name[row]) ? name : op; break;
      case HostOpKind::Other: break;
    }
  }
  if (std::string frame = first_user_frame(stack); !frame.empty()) {
    return frame;
  }
  return printable(annotation.empty() ? op : annotation);
}

}  // namespace

std::string user_frame(std::string_view frame) {
  const std::size_t begin = frame.find_first_not_of(' ');
  frame.remove_prefix(std::min(begin, frame.size()));
  if (is_plainly_foreign(frame)) {
    return {};
  }
  const std::string_view path = path_of(frame);
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.empty() || is_foreign(parts)) {
    return {};
  }
  // the directory is left out where it is somebody's home
  const std::size_t last = parts.size() - 1;
  const bool is_home = last >= 1 && ((last >= 2 && holds_homes(parts[last - 2])) ||
                                     holds_homes(parts[last - 1]) || parts[last - 1] == "root");
  std::string shown;
  if (last >= 1 && !is_home) {
    shown.append(parts[last - 1]).append("/");
  }
  shown.append(parts[last]).append(frame.substr(path.size()));
  return printable(shown);
}

std::uint32_t innermost_row_at(const HostOps& ops, std::uint32_t thread, std::int64_t time_ns) {
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(ops.size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const bool before =
        ops.thread[middle] != thread ? ops.thread[middle] < thread : ops.start_ns[middle] <= time_ns;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  std::uint32_t row = low > 0 && ops.thread[low - 1] == thread ? low - 1 : kNoRow;
  for (int depth = 0; row != kNoRow && ops.start_ns[row] + ops.duration_ns[row] <= time_ns; ++depth) {
    row = depth < kDeepestNest ? ops.parent[row] : kNoRow;
  }
  return row;
}

std::string source_line_of_op(const Profile& profile, std::uint32_t op) {
  return op < profile.host_ops.size() ? line_of(profile, op) : std::string();
}

std::string source_line_of_call(const Profile& profile, const Links& links, std::uint32_t call) {
  const ApiCalls& calls = profile.api_calls;
  if (call >= calls.size()) {
    return {};
  }
  const std::uint32_t row = innermost_row_at(profile.host_ops, calls.thread[call], calls.start_ns[call]);
  return source_line_of_op(profile, row != kNoRow ? row : links.op_of_call[call]);
}

}  // namespace foretell::timeline
