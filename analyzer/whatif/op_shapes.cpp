// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/op_shapes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace foretell::whatif {
namespace {

struct TypeName {
  std::string_view name;
  DType dtype;
};

constexpr auto kTypeNames = std::to_array<TypeName>({
    {"float", DType::Float32},
    {"c10::BFloat16", DType::BFloat16},
    {"c10::Half", DType::Float16},
    {"double", DType::Float64},
    {"long", DType::Int64},
    {"long int", DType::Int64},
    {"long long", DType::Int64},
    {"int", DType::Int32},
    {"bool", DType::Bool},
    {"unsigned char", DType::Int8},
    {"signed char", DType::Int8},
    {"short", DType::Int16},
    {"short int", DType::Int16},
    {"unsigned int", DType::Int32},
    {"unsigned long", DType::Int64},
    {"unsigned short", DType::Int16},
    {"c10::complex<float>", DType::Complex64},
    {"c10::complex<double>", DType::Complex128},
    {"__nv_bfloat16", DType::BFloat16},
    {"__hip_bfloat16", DType::BFloat16},
    {"__half", DType::Float16},
});

// In kernel names of libraries, which carry no C++ types. First match wins.
constexpr auto kShorthands = std::to_array<TypeName>({
    {"bf16", DType::BFloat16},
    {"sgemm", DType::Float32},
    {"scudnn", DType::Float32},
    {"tf32", DType::Float32},
    {"hgemm", DType::Float16},
    {"f16", DType::Float16},
    {"fp16", DType::Float16},
    {"f32", DType::Float32},
    {"dgemm", DType::Float64},
});

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Walks a JSON text of nested arrays. Any read past what fits makes it bad for good.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool ok() const { return ok_; }
  bool take(char c) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  void expect(char c) { ok_ = take(c) && ok_; }
  // Calls `read` for each item of an array.
  template <class Read>
  void items(Read read) {
    expect('[');
    if (!ok_ || take(']')) {
      return;
    }
    do {
      read();
    } while (ok_ && take(','));
    expect(']');
  }
  [[nodiscard]] bool at(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  std::int64_t number() {
    skip_blanks();
    std::int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    ok_ = ok_ && error == std::errc{};
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  // Between quotes; escapes stay as they are.
  std::string_view string() {
    expect('"');
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size()) {
      ok_ = false;
      return {};
    }
    return text_.substr(begin, at_++ - begin);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

// "[64, 1024]" is one shape, "[]" one of no dimension, "[[8, 4], [8]]" two. Lists of lists are flattened to
// the first level: deeper ones are not recorded.
std::vector<Dims> read_shapes(Cursor& cursor) {
  std::vector<Dims> shapes;
  Dims dims;
  bool nested = false;
  cursor.items([&] {
    if (cursor.at('[')) {
      nested = true;
      Dims inner;
      cursor.items([&] { inner.push_back(cursor.number()); });
      shapes.push_back(std::move(inner));
    } else {
      dims.push_back(cursor.number());
    }
  });
  if (!nested) {
    shapes.push_back(std::move(dims));
  }
  return shapes;
}

std::vector<std::string_view> read_strings(std::string_view text) {
  std::vector<std::string_view> strings;
  Cursor cursor(text);
  cursor.items([&] { strings.push_back(cursor.string()); });
  return cursor.ok() ? strings : std::vector<std::string_view>();
}

int kind_of(DType dtype) {
  switch (dtype) {
    case DType::Unknown: return 0;
    case DType::Bool: return 1;
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64: return 2;
    case DType::Float8:
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float64: return 3;
    case DType::Complex64:
    case DType::Complex128: return 4;
  }
  return 0;
}

// Floating point or complex.
bool is_real(DType dtype) { return kind_of(dtype) >= kind_of(DType::Float32); }

}  // namespace

double size_bytes(DType dtype) {
  switch (dtype) {
    case DType::Unknown: return 0;
    case DType::Bool:
    case DType::Int8:
    case DType::Float8: return 1;
    case DType::Int16:
    case DType::Float16:
    case DType::BFloat16: return 2;
    case DType::Int32:
    case DType::Float32: return 4;
    case DType::Int64:
    case DType::Float64:
    case DType::Complex64: return 8;
    case DType::Complex128: return 16;
  }
  return 0;
}

DType parse_dtype(std::string_view type) {
  if (type.starts_with("c10::Float8")) {
    return DType::Float8;
  }
  const auto* const found = std::ranges::find(kTypeNames, type, &TypeName::name);
  return found == kTypeNames.end() ? DType::Unknown : found->dtype;
}

DType dtype_in_name(std::string_view name) {
  constexpr std::string_view kUnsigned = "unsigned ";
  std::size_t first = name.size();
  DType dtype = DType::Unknown;
  for (const TypeName& each : kTypeNames) {
    if (each.name.starts_with(kUnsigned) && each.name != "unsigned char") {
      continue;
    }
    for (std::size_t at = name.find(each.name); at != name.npos; at = name.find(each.name, at + 1)) {
      const std::size_t end = at + each.name.size();
      const bool whole = (at == 0 || !is_word(name[at - 1])) && (end == name.size() || !is_word(name[end]));
      if (!whole || name.substr(0, at).ends_with(kUnsigned)) {
        continue;
      }
      const bool earlier = at < first && is_real(each.dtype) == is_real(dtype);
      if (earlier || dtype == DType::Unknown || (is_real(each.dtype) && !is_real(dtype))) {
        first = at;
        dtype = each.dtype;
      }
      break;
    }
  }
  if (dtype == DType::Unknown) {
    const auto* const found = std::ranges::find_if(
        kShorthands, [&](const TypeName& each) { return name.find(each.name) != name.npos; });
    dtype = found == kShorthands.end() ? DType::Unknown : found->dtype;
  }
  return dtype;
}

DType promote(DType a, DType b) {
  if (kind_of(a) != kind_of(b)) {
    return kind_of(a) > kind_of(b) ? a : b;
  }
  if (size_bytes(a) != size_bytes(b)) {
    return size_bytes(a) > size_bytes(b) ? a : b;
  }
  return a != b && kind_of(a) == kind_of(DType::Float32) && a != DType::Float8 ? DType::Float32 : a;
}

double count_elements(const Dims& dims) {
  constexpr double kMostElements = 1e15;  // a petabyte of bytes: no device holds it
  double elements = 1;
  for (const std::int64_t dim : dims) {
    if (dim <= 0) {
      return 0;
    }
    elements = std::min(elements * static_cast<double>(dim), 2 * kMostElements);
  }
  return elements > kMostElements ? 0 : elements;
}

std::optional<Dims> broadcast(const std::vector<Dims>& shapes) {
  Dims result;
  for (const Dims& shape : shapes) {
    if (shape.size() > result.size()) {
      result.insert(result.begin(), shape.size() - result.size(), 1);
    }
    for (std::size_t i = 1; i <= shape.size(); ++i) {
      std::int64_t& own = result[result.size() - i];
      const std::int64_t other = shape[shape.size() - i];
      if (own != other && own != 1 && other != 1) {
        return std::nullopt;
      }
      own = own == 1 ? other : own;
    }
  }
  return result;
}

double Argument::elements() const {
  double sum = 0;
  for (const Dims& dims : tensors) {
    sum += count_elements(dims);
  }
  return sum;
}

Dims Argument::numbers() const {
  Dims values;
  Cursor cursor(concrete);
  cursor.items([&] { values.push_back(cursor.number()); });
  return cursor.ok() ? values : Dims();
}

std::vector<Argument> parse_arguments(std::string_view dims, std::string_view types,
                                      std::string_view concrete) {
  std::vector<Argument> arguments;
  Cursor cursor(dims);
  cursor.items([&] { arguments.push_back({.tensors = read_shapes(cursor), .dtype = {}, .concrete = {}}); });
  if (!cursor.ok()) {
    return {};
  }
  const std::vector<std::string_view> type_names = read_strings(types);
  const std::vector<std::string_view> values = read_strings(concrete);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Argument& each = arguments[i];
    each.concrete = i < values.size() ? values[i] : std::string_view();
    each.dtype = i < type_names.size() ? parse_dtype(type_names[i]) : DType::Unknown;
    const bool has_dims = each.tensors.size() > 1 || !each.tensors.front().empty();
    if (each.dtype == DType::Unknown && !has_dims) {
      each.tensors.clear();
    }
  }
  return arguments;
}

}  // namespace foretell::whatif
