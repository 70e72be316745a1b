// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_traffic.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "analyzer/whatif/op_arguments.hpp"

namespace foretell::whatif {
namespace {

constexpr int kMostTensors = 64;

TrafficSplit make_split(double reads, double largest, double writes) {
  const double all = reads + writes;
  return {.reads = reads / all, .side_reads = (reads - largest) / all, .writes = writes / all};
}

// "std::array<char*, 3ul>": one pointer a tensor, the result's first; 0: no such argument.
int count_pointers(std::string_view name) {
  constexpr std::string_view kMark = "rray<char*, ";
  const std::size_t at = name.find(kMark);
  int pointers = 0;
  if (at != std::string_view::npos) {
    std::from_chars(name.data() + at + kMark.size(), name.data() + name.size(), pointers);
  }
  return std::clamp(pointers, 0, kMostTensors);
}

}  // namespace

NameSplit split_by_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("reduce_kernel<")) {  // writes one value a row
    return {.split = {.reads = 1, .side_reads = 0, .writes = 0}, .certain = true};
  }
  if (has("float16_copy_kernel_cuda")) {  // from 4 bytes to 2; spelled bfloat16_ too
    return {.split = make_split(4, 4, 2), .certain = true};
  }
  if (has("bfloat16tofloat32_copy_kernel")) {
    return {.split = make_split(2, 2, 4), .certain = true};
  }
  int pointers = count_pointers(name);
  if (pointers == 0 && (has("BinaryFunctor<") || has("CUDAFunctor_add<"))) {
    pointers = 3;
  }
  if (pointers == 0) {
    return {};
  }
  const double inputs = pointers - 1;
  return {.split = make_split(inputs, std::min(inputs, 1.0), 1)};
}

std::optional<TrafficSplit> split_by_arguments(std::string_view op, const std::vector<Argument>& arguments) {
  const OpArguments sizes(arguments, DType::Unknown);
  const double reads = sizes.sum_bytes();
  const double writes = sizes.result_bytes(std::nullopt);
  if (!(reads > 0) || !std::isfinite(reads + writes)) {
    return std::nullopt;
  }
  if (op == "aten::copy_" &&
      arguments.size() > 1) {  // (to, from): what is overwritten is recorded as an input
    const double from = sizes.bytes_of(arguments[1]);
    const double to = sizes.bytes_of(arguments[0]);
    return from + to > 0 ? std::optional(make_split(from, from, to)) : std::nullopt;
  }
  return make_split(reads, sizes.largest_bytes(), writes);
}

}  // namespace foretell::whatif
