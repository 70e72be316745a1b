// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/print_cpp_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>

#include "src/base/check.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::DType;
using ir::OpKind;

template <class Float>
std::string float_literal(Float value, std::string_view suffix) {
  const bool single = sizeof(Float) == sizeof(float);
  if (std::isnan(value)) {
    return single ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
  }
  if (std::isinf(value)) {
    return fmt::format("{}{}", value < 0 ? "-" : "", single ? "__builtin_inff()" : "__builtin_inf()");
  }
  std::string text = fmt::format("{}", value);  // the shortest that reads back as the same number
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text + std::string(suffix);
}

template <class Int>
std::string integer_literal(double value, std::string_view suffix) {
  constexpr auto kLowest = std::numeric_limits<Int>::min();
  constexpr auto kLargest = std::numeric_limits<Int>::max();
  const Int number = value >= static_cast<double>(kLargest)  ? kLargest
                     : value <= static_cast<double>(kLowest) ? kLowest
                                                             : static_cast<Int>(value);
  if (number == kLowest) {
    return fmt::format("-{}{} - 1", kLargest, suffix);  // C++ has no literal for it
  }
  return fmt::format("{}{}", number, suffix);
}

// The op's expression with its arguments for a, b and c.
std::string substitute(std::string_view expression, const std::vector<std::string>& args) {
  std::string text;
  for (std::size_t i = 0; i < expression.size();) {
    const auto is_word = [&](std::size_t at) {
      return at < expression.size() &&
             (std::isalnum(static_cast<unsigned char>(expression[at])) != 0 || expression[at] == '_');
    };
    if (!is_word(i)) {
      text += expression[i++];
      continue;
    }
    std::size_t end = i;
    while (is_word(end)) {
      ++end;
    }
    const std::string_view word = expression.substr(i, end - i);
    const bool parameter = word.size() == 1 && word[0] >= 'a' && word[0] <= 'c';
    text += parameter ? args.at(static_cast<std::size_t>(word[0] - 'a')) : std::string(word);
    i = end;
  }
  return text;
}

}  // namespace

std::string_view memory_type(DType dtype) {
  switch (dtype) {
    case DType::F32: return "float";
    case DType::F64: return "double";
    case DType::BF16: return "bf16";
    case DType::F16: return "f16";
    case DType::I32: return "int";
    case DType::I64: return "long";
    case DType::Bool: return "bool8";
  }
  return {};
}

std::string ValuePrinter::vector_type(DType dtype) const {
  const std::string_view element = dtype == DType::Bool ? "i32" : ir::to_string(dtype);
  return fmt::format("{}x{}", element, kernel_.lanes);
}

std::string ValuePrinter::splat(double value, DType dtype) const {
  std::string number;
  switch (dtype) {
    case DType::F64: number = float_literal(value, ""); break;
    case DType::I32: number = integer_literal<std::int32_t>(value, ""); break;
    case DType::I64: number = integer_literal<std::int64_t>(value, "L"); break;
    case DType::Bool: number = value != 0 ? "-1" : "0"; break;  // a mask
    case DType::F32:
    case DType::BF16:
    case DType::F16: number = float_literal(static_cast<float>(value), "F"); break;
  }
  return fmt::format("splat<{}>({})", vector_type(dtype), number);
}

std::string ValuePrinter::text(const loop::Let& let) const {
  const std::string type = vector_type(let.dtype);
  if (const auto* literal = std::get_if<loop::Literal>(&let.value)) {
    return splat(literal->value, let.dtype);
  }
  if (const auto* from = std::get_if<loop::Load>(&let.value)) {
    return load(*from, type);
  }
  if (const auto* number = std::get_if<loop::Index>(&let.value)) {
    return index(number->at, let.dtype);
  }
  if (const auto* drawn = std::get_if<loop::Random>(&let.value)) {
    return random(*drawn, type);
  }
  if (const auto* apply = std::get_if<loop::Apply>(&let.value)) {
    return text(*apply, let.dtype);
  }
  if (const auto* cast = std::get_if<loop::Convert>(&let.value)) {
    return convert(*cast);
  }
  return combine(std::get<loop::Combine>(let.value), type);
}

std::string ValuePrinter::text(const loop::Apply& apply, DType dtype) const {
  std::vector<std::string> args;
  for (const std::string& name : apply.args) {
    args.push_back(arg(name));
  }
  const bool plain_division = apply.op == OpKind::Div && ir::is_float(dtype);
  return substitute(plain_division ? "a / b" : ir::info(apply.op).expression, args);
}

std::string ValuePrinter::arg(const std::string& name) const {
  return copies(name) == 1 ? name : fmt::format("{}[{}]", name, copy_);
}

int ValuePrinter::copies(const std::string& accumulator) const {
  const auto it = accumulators_.find(accumulator);
  return it == accumulators_.end() ? 1 : it->second.copies;
}

bool ValuePrinter::is_local(const std::string& buffer) const {
  const auto it = std::ranges::find(kernel_.buffers, buffer, &loop::Buffer::name);
  return it != kernel_.buffers.end() && it->role == loop::Buffer::Role::Local;
}

std::string ValuePrinter::address(const std::string& buffer, const loop::Place& at) const {
  const std::string sum = sums_.text(at);
  return sum == "0" ? buffer : fmt::format("{} + {}", buffer, sum);
}

std::string ValuePrinter::load(const loop::Load& load, const std::string& type) const {
  const std::string at = address(load.buffer, load.at);
  const bool part = partial() && !is_local(load.buffer);  // local buffers are whole vectors
  switch (load.at.lane_stride) {
    case 0: return fmt::format("load_splat<{}>({})", type, at);
    case 1:
      return part ? fmt::format("load_part<{}>({}, {})", type, at, count_)
                  : fmt::format("load<{}>({})", type, at);
    default:
      return fmt::format("gather_strided<{}>({}, {}{})", type, at, load.at.lane_stride,
                         part ? ", " + count_ : "");
  }
}

std::string ValuePrinter::index(const loop::Place& at, DType dtype) const {
  // Counted in integers and then converted: beyond 2^24 an f32 counts no longer by ones.
  const std::string counted = vector_type(DType::I64);
  const std::string start = sums_.text(at);
  std::string numbers;
  switch (at.lane_stride) {
    case 0: numbers = fmt::format("splat<{}>({})", counted, start); break;
    case 1: numbers = fmt::format("iota<{}>({})", counted, start); break;
    default:
      numbers = fmt::format("iota<{0}>(0) * {1} + splat<{0}>({2})", counted, at.lane_stride, start);
      break;
  }
  return dtype == DType::I64 ? numbers : fmt::format("convert<{}>({})", vector_type(dtype), numbers);
}

std::string ValuePrinter::random(const loop::Random& random, const std::string& type) const {
  FORETELL_CHECK(random.at.lane_stride == 0 || random.at.lane_stride == 1);
  const std::string drawn =
      fmt::format("random_uniform<{}>({}UL, {}UL, {})", type, static_cast<std::uint64_t>(random.seed),
                  static_cast<std::uint64_t>(random.counter), sums_.text(random.at));
  return random.at.lane_stride == 1 ? drawn : fmt::format("splat<{}>({}[0])", type, drawn);
}

std::string ValuePrinter::convert(const loop::Convert& convert) const {
  const DType to = ir::compute_type(convert.to);
  const DType from = ir::compute_type(convert.from);
  std::string text = arg(convert.arg);
  if (from == DType::Bool && to != DType::Bool) {
    return fmt::format("from_bool<{}>({})", vector_type(to), text);  // 0 and 1 are exact in every type
  }
  if (to == DType::Bool) {
    return from == DType::Bool ? text : fmt::format("to_bool({})", text);
  }
  if (from != to) {
    text = fmt::format("convert<{}>({})", vector_type(to), text);
  }
  if (convert.to == DType::BF16) {
    return fmt::format("round_bf16({})", text);
  }
  return convert.to == DType::F16 ? fmt::format("round_f16({})", text) : text;
}

std::string ValuePrinter::combine(const loop::Combine& combine, const std::string& type) const {
  const int copies = this->copies(combine.accumulator);
  FORETELL_CHECK(std::has_single_bit(static_cast<unsigned>(copies)));  // combined in pairs
  if (combine.op == OpKind::Argmax) {
    FORETELL_CHECK(copies == 1);
    return fmt::format("splat<{}>(reduce_argmax({}, {}))", type, combine.accumulator, combine.positions);
  }
  std::string_view across = "reduce_add";
  if (combine.op != OpKind::Add) {
    across = combine.op == OpKind::Maximum ? "reduce_max" : "reduce_min";
  }
  std::vector<std::string> parts;
  for (int copy = 0; copy < copies; ++copy) {
    parts.push_back(copies == 1 ? combine.accumulator : fmt::format("{}[{}]", combine.accumulator, copy));
  }
  while (parts.size() > 1) {
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const std::string pair = substitute(ir::info(combine.op).expression, {parts[i], parts[i + 1]});
      pairs.push_back(combine.op == OpKind::Add && parts.size() > 2 ? fmt::format("({})", pair) : pair);
    }
    parts = std::move(pairs);
  }
  return fmt::format("splat<{}>({}({}))", type, across, parts[0]);
}

}  // namespace foretell::codegen
