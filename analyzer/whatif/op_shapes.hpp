// SPDX-License-Identifier: Apache-2.0
// An op's arguments as the profiler recorded them:
//   dims      [[64, 1024], [1024], [], [[8, 4], [8]]]
//   types     ["float", "c10::BFloat16", "Scalar", "TensorList"]
//   concrete  ["", "", "[2, 2]", ""]
// Older profilers leave types or concrete values out; a text that can't be read counts as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace foretell::whatif {

enum class DType : std::uint8_t {
  Unknown,
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  Float8,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};
double size_bytes(DType dtype);  // 0: unknown
DType parse_dtype(std::string_view type);
// The first floating-point type that a kernel's name mentions, else the first type: whole numbers beside
// floating point are indices, unsigned ones always. Without any, a library's shorthand ("sgemm", "bf16").
DType dtype_in_name(std::string_view kernel_name);
// Of a result that both go into: a larger kind wins, then a larger size.
DType promote(DType a, DType b);

using Dims = std::vector<std::int64_t>;
// 0 also for sizes that can't be: negative, or more than any memory holds.
double count_elements(const Dims& dims);
// The shape that all broadcast to; nullopt: they don't.
std::optional<Dims> broadcast(const std::vector<Dims>& shapes);

// One argument. Lists of tensors hold several shapes; a type of a list is not recorded.
struct Argument {
  std::vector<Dims> tensors;  // empty: no tensor
  DType dtype = DType::Unknown;
  std::string_view concrete;  // value of what is no tensor; empty: not recorded

  [[nodiscard]] bool is_tensor() const { return !tensors.empty(); }
  [[nodiscard]] double elements() const;
  // A list of whole numbers, "[2, 2]"; empty: it is none.
  [[nodiscard]] Dims numbers() const;
};

// Where types are recorded, an argument is a tensor if its type is an element type; where not, if it has
// dimensions. The concrete values point into the text given.
std::vector<Argument> parse_arguments(std::string_view dims, std::string_view types,
                                      std::string_view concrete);

}  // namespace foretell::whatif
