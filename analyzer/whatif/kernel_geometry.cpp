// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_geometry.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "analyzer/whatif/op_shapes.hpp"

namespace foretell::whatif {
namespace {

// Observed in traces with recorded shapes (elements / threads of 22,000 kernels of 2e5 elements or more):
// releases that write "at::detail::Array" give a thread 4 elements. Later ones ("std::array") give it, one
// way throughout a trace, block / 16 (8 of 128 threads, 16 of 256, 32 of 512) or a half or a quarter of it.
constexpr double kElementsPerThread = 4;
constexpr double kElementsPerThreadOfBlock = 1.0 / 16;

// The whole number behind `mark`; 0: none.
double number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  int value = 0;
  if (at != text.npos) {
    std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value);
  }
  return value > 0 ? value : 0;
}

double find_elements_per_thread(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("vectorized_")) {
    return has("std::array<") ? 0 : kElementsPerThread;
  }
  for (const std::string_view head : {"::elementwise_kernel<", "::elementwise_kernel_manual_unroll<"}) {
    if (const std::size_t at = name.find(head); at != name.npos) {
      return number_behind(name.substr(at), ", ");
    }
  }
  return kElementsPerThread;
}

// "{lambda(bool, float, float)#1}": the arguments are what is read; the result is as wide as the widest.
double bytes_of_lambda(std::string_view name) {
  constexpr std::string_view kMark = "{lambda(";
  for (std::size_t at = name.find(kMark); at != name.npos; at = name.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size();
    const std::size_t end = name.find(')', begin);
    if (end == name.npos) {
      return 0;
    }
    std::string_view list = name.substr(begin, end - begin);
    double sum = 0;
    double widest = 0;
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(", "), list.size());
      const double bytes = size_bytes(parse_dtype(list.substr(0, comma)));
      sum += bytes;
      widest = std::max(widest, bytes);
      list.remove_prefix(std::min(comma + 2, list.size()));
    }
    if (sum > 0) {
      return sum + widest;
    }
  }
  return 0;
}

double find_bytes_per_element(std::string_view name) {
  if (name.find("float16_copy_kernel") != name.npos ||
      name.find("bfloat16tofloat32_copy_kernel") != name.npos) {
    return size_bytes(DType::Float32) + size_bytes(DType::Float16);
  }
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (!has("Functor")) {
    return bytes_of_lambda(name);
  }
  double tensors = number_behind(name, "rray<char*, ");
  if (tensors == 0) {
    tensors = has("FillFunctor") ? 1 : has("BinaryFunctor<") || has("CUDAFunctor_add<") ? 3 : 2;
  }
  return tensors * size_bytes(dtype_in_name(name));
}

}  // namespace

ElementwiseTraits read_elementwise_traits(std::string_view name) {
  for (const std::string_view head :
       {"::vectorized_elementwise_kernel<", "::vectorized_templated_elementwise_kernel<",
        "::unrolled_elementwise_kernel<", "::elementwise_kernel<", "::elementwise_kernel_manual_unroll<"}) {
    if (name.find(head) != name.npos) {
      return {.elements_per_thread = find_elements_per_thread(name),
              .bytes_per_element = find_bytes_per_element(name)};
    }
  }
  return {};
}

double bound_bytes(const ElementwiseTraits& traits, double blocks, double threads_per_block) {
  const double per_thread = traits.elements_per_thread > 0 ? traits.elements_per_thread
                                                           : threads_per_block * kElementsPerThreadOfBlock;
  return std::max(0.0, blocks) * std::max(0.0, threads_per_block) * per_thread * traits.bytes_per_element;
}

}  // namespace foretell::whatif
