// SPDX-License-Identifier: Apache-2.0
// What strict readers of JSON share: looking a key up, saying what was found instead, and how a constant is
// written.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/cost/device_table.hpp"
#include "src/base/provenance.hpp"
#include "src/base/result.hpp"

namespace foretell::cost {

using Json = nlohmann::json;

// The value of that key; nullptr where it is absent or null.
const Json* find(const Json& object, std::string_view key);
// Type and a little of the value, for messages: `number 7`.
std::string found(const Json& value);
// The first key that is not among the known ones, as a message; nullopt: all are known.
std::optional<std::string> describe_unknown_key(const Json& object, std::span<const std::string_view> known);
// "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without the library's own label.
std::string parser_message(std::string_view what);

// Looks fields up and keeps the first fault, so that a reader of many of them stays readable. What a faulty
// field gives means nothing; done() tells.
class Fields {
 public:
  // `place` and `hint` are those of the error. The object outlives the reader.
  Fields(const Json& object, std::string place, std::string hint);

  // A fault if there is a key besides these.
  void only(std::span<const std::string_view> known);
  // nullptr where the key is absent or null: no fault.
  const Json* find(std::string_view key) const { return cost::find(object_, key); }

  std::string text(std::string_view key);
  std::optional<std::string> text_if_any(std::string_view key);
  std::int64_t whole(std::string_view key);  // at least 0
  double number(std::string_view key);       // finite, at least 0
  bool flag(std::string_view key);
  const Json& array(std::string_view key);
  const Json& object(std::string_view key);
  Provenance provenance(std::string_view key, std::span<const Provenance> allowed);
  // low <= expected <= high.
  void check_order(const Constant& constant);

  void fault(std::string message);
  // "expected WHAT for 'KEY', found ..."
  void fault(std::string_view what, std::string_view key);
  // Errors (BadInput): the first fault.
  [[nodiscard]] Result<void> done() const;

 private:
  const Json* take(std::string_view key, std::string_view what, bool (*fits)(const Json&));

  const Json& object_;
  std::string place_, hint_, fault_;
};

// name, unit, low, expected, high, provenance, source: in this order, wherever a constant is written.
nlohmann::ordered_json constant_json(const Constant& constant);

}  // namespace foretell::cost
