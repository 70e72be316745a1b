// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/workloads/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "src/base/check.hpp"
#include "src/base/text.hpp"

namespace foretell::workloads {
namespace {

std::optional<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "4096", "256M", "1T"; also "256MiB".
std::optional<std::int64_t> parse_bytes(std::string_view text) {
  int shift = 0;
  constexpr std::string_view kUnits = "KMGT";
  const std::string_view without_suffix = text.ends_with("iB") ? text.substr(0, text.size() - 2) : text;
  const std::size_t unit =
      without_suffix.empty() ? std::string_view::npos : kUnits.find(without_suffix.back());
  if (unit != std::string_view::npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text = without_suffix.substr(0, without_suffix.size() - 1);
  }
  const auto value = parse_whole(text);
  if (!value || *value < 0 || *value > (INT64_MAX >> shift)) {
    return std::nullopt;
  }
  return *value << shift;
}

// "1024" is a product of square matrices, "8,512,1024" are m, n, k.
std::optional<std::vector<std::int64_t>> parse_extents(std::string_view text) {
  std::vector<std::int64_t> extents;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto extent = parse_whole(text.substr(0, comma));
    if (!extent) {
      return std::nullopt;
    }
    extents.push_back(*extent);
    if (comma == std::string_view::npos) {
      break;
    }
    text.remove_prefix(comma + 1);
  }
  if (extents.size() == 1) {
    extents.resize(3, extents.front());
  }
  return extents.size() == 3 ? std::optional(extents) : std::nullopt;
}

std::string wanted(const ParameterInfo& info) {
  switch (info.kind) {
    case ParameterKind::Count: return fmt::format("a whole number from {} to {}", info.least, info.most);
    case ParameterKind::Bytes:
      return fmt::format("a size from {} to {}, as 4096, 64K, 256M, 1G",
                         format_bytes(static_cast<std::uint64_t>(info.least)),
                         format_bytes(static_cast<std::uint64_t>(info.most)));
    case ParameterKind::Extents: return fmt::format("N, or M,N,K, each from {} to {}", info.least, info.most);
    case ParameterKind::Type: return "a float type: f32, f64, bf16, f16";
    case ParameterKind::Choice: return fmt::format("one of: {}", fmt::join(info.choices, ", "));
  }
  return {};
}

}  // namespace

Result<Parameter> parse_parameter(const ParameterInfo& info, std::string_view text) {
  Parameter parsed;
  parsed.name = info.name;
  parsed.kind = info.kind;
  bool good = false;
  const auto take = [&](std::optional<std::int64_t> value) {
    if (value) {
      parsed.numbers = {*value};
      good = true;
    }
  };
  switch (info.kind) {
    case ParameterKind::Count: take(parse_whole(text)); break;
    case ParameterKind::Bytes: take(parse_bytes(text)); break;
    case ParameterKind::Extents:
      if (auto extents = parse_extents(text)) {
        parsed.numbers = std::move(*extents);
        good = true;
      }
      break;
    case ParameterKind::Type:
      if (const auto dtype = ir::find_dtype(text); dtype && ir::is_float(*dtype)) {
        parsed.dtype = *dtype;
        good = true;
      }
      break;
    case ParameterKind::Choice:
      parsed.choice = text;
      good = std::ranges::find(info.choices, text) != info.choices.end();
      break;
  }
  good = good && std::ranges::all_of(parsed.numbers, [&](std::int64_t value) {
           return value >= info.least && value <= info.most;
         });
  if (!good) {
    return fail(ErrorCode::Usage, fmt::format("--{}", info.name),
                fmt::format("expected {}, found '{}'", wanted(info), printable(text)));
  }
  return parsed;
}

Result<std::vector<Parameter>> bind_parameters(std::string_view workload,
                                               std::span<const ParameterInfo> infos,
                                               std::span<const GivenParameter> given) {
  for (const auto& [name, value] : given) {
    if (std::ranges::find(infos, name, &ParameterInfo::name) == infos.end()) {
      std::string names;
      for (const ParameterInfo& info : infos) {
        names += fmt::format("{}--{}", names.empty() ? "" : ", ", info.name);
      }
      return fail(ErrorCode::Usage, "--" + name,
                  fmt::format("the workload '{}' has no such parameter", workload),
                  fmt::format("it takes {}", names));
    }
    if (std::ranges::count(given, name, &GivenParameter::first) > 1) {
      return fail(ErrorCode::Usage, "--" + name, "expected once, found more than once");
    }
  }
  std::vector<Parameter> parameters;
  for (const ParameterInfo& info : infos) {
    const auto at = std::ranges::find(given, info.name, &GivenParameter::first);
    FORETELL_ASSIGN_OR_RETURN(Parameter bound,
                              parse_parameter(info, at == given.end() ? info.default_text : at->second));
    parameters.push_back(std::move(bound));
  }
  return parameters;
}

Result<void> settle_bytes(std::span<Parameter> parameters, std::string_view name, std::int64_t unit_bytes,
                          std::string_view unit) {
  const auto at = std::ranges::find(parameters, name, &Parameter::name);
  FORETELL_CHECK(at != parameters.end());
  std::int64_t& bytes = at->numbers.front();
  if (bytes < unit_bytes) {
    return fail(ErrorCode::Usage, fmt::format("--{}", name),
                fmt::format("expected at least {}, {}, found {}",
                            format_bytes(static_cast<std::uint64_t>(unit_bytes)), unit,
                            format_bytes(static_cast<std::uint64_t>(bytes))));
  }
  bytes -= bytes % unit_bytes;
  return {};
}

Result<void> settle_heads(std::span<Parameter> parameters) {
  const std::int64_t hidden = number(parameters, "hidden");
  const std::int64_t heads = number(parameters, "heads");
  if (hidden % heads != 0) {
    return fail(ErrorCode::Usage, "--heads",
                fmt::format("expected a number that divides --hidden, which is {}, found {}", hidden, heads));
  }
  return {};
}

std::string to_string(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::Count: return format_count(static_cast<std::uint64_t>(parameter.numbers.front()));
    case ParameterKind::Bytes: return format_bytes(static_cast<std::uint64_t>(parameter.numbers.front()));
    case ParameterKind::Extents: return fmt::format("{}", fmt::join(parameter.numbers, " x "));
    case ParameterKind::Type: return std::string(ir::to_string(parameter.dtype));
    case ParameterKind::Choice: return parameter.choice;
  }
  return {};
}

const Parameter& parameter(std::span<const Parameter> parameters, std::string_view name) {
  const auto at = std::ranges::find(parameters, name, &Parameter::name);
  FORETELL_CHECK(at != parameters.end());
  return *at;
}

std::vector<Parameter> at_most(std::span<const Parameter> parameters, std::string_view name,
                               std::int64_t most) {
  std::vector<Parameter> small(parameters.begin(), parameters.end());
  const auto at = std::ranges::find(small, name, &Parameter::name);
  FORETELL_CHECK(at != small.end());
  at->numbers.front() = std::min(at->numbers.front(), std::max<std::int64_t>(1, most));
  return small;
}

std::vector<Parameter> with_less_batch(std::span<const Parameter> parameters, std::int64_t elements,
                                       std::int64_t largest) {
  const double share = static_cast<double>(elements) / static_cast<double>(largest);
  const double batch = share * static_cast<double>(number(parameters, "batch"));
  return at_most(parameters, "batch", batch < 1 ? 1 : static_cast<std::int64_t>(batch));
}

std::int64_t number(std::span<const Parameter> parameters, std::string_view name) {
  return parameter(parameters, name).numbers.front();
}

}  // namespace foretell::workloads
