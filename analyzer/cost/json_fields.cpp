// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cost/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/text.hpp"

namespace foretell::cost {
namespace {

constexpr std::size_t kShownCharacters = 40;  // of a value that is not what was expected

}  // namespace

const Json* find(const Json& object, std::string_view key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

std::string found(const Json& value) {
  if (value.is_null() || value.is_structured()) return value.type_name();
  return fmt::format("{} {}", value.type_name(), ellipsize(value.dump(), kShownCharacters));
}

std::optional<std::string> describe_unknown_key(const Json& object, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      const auto meant = nearest(key, known);
      return fmt::format("unknown key '{}'{}", printable(key),
                         meant ? fmt::format(" (did you mean '{}'?)", *meant) : std::string());
    }
  }
  return std::nullopt;
}

std::string parser_message(std::string_view what) {
  const std::size_t label = what.starts_with('[') ? what.find("] ") : std::string_view::npos;
  return printable(label == std::string_view::npos ? what : what.substr(label + 2));
}

Fields::Fields(const Json& object, std::string place, std::string hint)
    : object_(object), place_(std::move(place)), hint_(std::move(hint)) {
  if (!object.is_object()) {
    fault_ = fmt::format("expected an object, found {}", found(object));
  }
}

void Fields::only(std::span<const std::string_view> known) {
  if (!fault_.empty()) {
    return;
  }
  if (auto unknown = describe_unknown_key(object_, known)) {
    fault(std::move(*unknown));
  }
}

const Json* Fields::take(std::string_view key, std::string_view what, bool (*fits)(const Json&)) {
  const Json* value = find(key);
  if (value == nullptr || !fits(*value)) {
    fault(what, key);
    return nullptr;
  }
  return value;
}

std::string Fields::text(std::string_view key) {
  const Json* value = take(key, "text", [](const Json& v) { return v.is_string(); });
  return value == nullptr ? std::string() : value->get<std::string>();
}

std::optional<std::string> Fields::text_if_any(std::string_view key) {
  return find(key) == nullptr ? std::nullopt : std::optional(text(key));
}

std::int64_t Fields::whole(std::string_view key) {
  const Json* value = take(key, "a whole number of at least 0", [](const Json& v) {
    return v.is_number_unsigned() && v.get<std::uint64_t>() <= INT64_MAX;
  });
  return value == nullptr ? 0 : value->get<std::int64_t>();
}

double Fields::number(std::string_view key) {
  const Json* value = take(key, "a number of at least 0", [](const Json& v) {
    return v.is_number() && std::isfinite(v.get<double>()) && v.get<double>() >= 0;
  });
  return value == nullptr ? 0 : value->get<double>();
}

bool Fields::flag(std::string_view key) {
  const Json* value = take(key, "true or false", [](const Json& v) { return v.is_boolean(); });
  return value != nullptr && value->get<bool>();
}

const Json& Fields::array(std::string_view key) {
  static const Json kNone = Json::array();
  const Json* value = take(key, "an array", [](const Json& v) { return v.is_array(); });
  return value == nullptr ? kNone : *value;
}

const Json& Fields::object(std::string_view key) {
  static const Json kNone = Json::object();
  const Json* value = take(key, "an object", [](const Json& v) { return v.is_object(); });
  return value == nullptr ? kNone : *value;
}

Provenance Fields::provenance(std::string_view key, std::span<const Provenance> allowed) {
  const std::string name = text(key);
  std::string names;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (to_string(allowed[i]) == name) {
      return allowed[i];
    }
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 < allowed.size() ? ", " : " or ", to_string(allowed[i]));
  }
  fault(fmt::format("expected {} for '{}', found '{}'", names, key,
                    printable(ellipsize(name, kShownCharacters))));
  return allowed.front();
}

void Fields::check_order(const Constant& constant) {
  if (constant.low > constant.expected || constant.expected > constant.high) {
    fault(fmt::format("expected low <= expected <= high, found {}, {}, {}", constant.low, constant.expected,
                      constant.high));
  }
}

void Fields::fault(std::string message) {
  if (fault_.empty()) {
    fault_ = std::move(message);
  }
}

void Fields::fault(std::string_view what, std::string_view key) {
  const Json* value = find(key);
  fault(fmt::format("expected {} for '{}', found {}", what, key,
                    value == nullptr ? std::string("none") : found(*value)));
}

Result<void> Fields::done() const {
  if (fault_.empty()) {
    return {};
  }
  return fail(ErrorCode::BadInput, place_, fault_, hint_);
}

nlohmann::ordered_json constant_json(const Constant& constant) {
  return {{"name", constant.name},    {"unit", constant.unit},
          {"low", constant.low},      {"expected", constant.expected},
          {"high", constant.high},    {"provenance", to_string(constant.provenance)},
          {"source", constant.source}};
}

}  // namespace foretell::cost
