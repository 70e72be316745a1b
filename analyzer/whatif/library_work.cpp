// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/library_work.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace foretell::whatif {
namespace {

const Dims& dims_of(const Argument& each) { return each.tensors.front(); }

double real(std::int64_t dim) { return static_cast<double>(std::max<std::int64_t>(dim, 0)); }

double product_behind_first(const Dims& dims) {
  return dims.empty() ? 0 : count_elements(Dims(dims.begin() + 1, dims.end()));
}

// Elements of the result; nullopt: stride or padding is not recorded.
std::optional<double> convolve_elements(const OpArguments& in, const Dims& input, const Dims& weight,
                                        bool padding_first) {
  std::vector<Dims> lists;
  for (std::size_t i = 2; i < in.all().size() && lists.size() < 3; ++i) {
    if (Dims numbers = in.all()[i].numbers(); !numbers.empty()) {
      lists.push_back(std::move(numbers));
    }
  }
  if (lists.size() < 3 || input.size() != weight.size()) {
    return std::nullopt;
  }
  const Dims& stride = lists[padding_first ? 1 : 0];
  const Dims& padding = lists[padding_first ? 0 : 1];
  const Dims& dilation = lists[2];
  const auto at = [](const Dims& list, std::size_t i) { return real(list[std::min(i, list.size() - 1)]); };
  double elements = real(input[0]) * real(weight[0]);
  for (std::size_t i = 2; i < input.size(); ++i) {
    const double span = at(dilation, i - 2) * (real(weight[i]) - 1) + 1;
    const double room = real(input[i]) + 2 * at(padding, i - 2) - span;
    const double step = at(stride, i - 2);
    if (step <= 0 || room < 0) {
      return std::nullopt;
    }
    elements *= std::floor(room / step) + 1;
  }
  constexpr double kMostElements = 1e15;  // as for recorded shapes: no device holds it
  return elements > kMostElements ? std::nullopt : std::optional(elements);
}

}  // namespace

OpWork multiply(const OpArguments& in, std::size_t first, bool second_transposed) {
  const Argument* const a = in.tensor(first, 1);
  const Argument* const b = in.tensor(first + 1, 1);
  if (a == nullptr || b == nullptr) {
    return {};
  }
  const Dims& left = dims_of(*a);
  const Dims& right = dims_of(*b);
  const bool vector = right.size() == 1;
  const std::int64_t inner =
      vector || second_transposed ? right.back() : right[right.size() - 2];  // k of the second operand
  if (left.back() != inner || inner <= 0) {
    return {};
  }
  const double k = real(inner);
  const double n = vector ? 1.0 : real(second_transposed ? right[right.size() - 2] : right.back());
  const double m = left.size() > 1 ? real(left[left.size() - 2]) : 1.0;
  if (m <= 0 || n <= 0) {
    return {};
  }
  const double left_batch = a->elements() / (m * k);
  const double right_batch = b->elements() / (k * n);
  // A matrix without a batch is multiplied with each of the other's.
  const double results = std::max(left_batch, right_batch) * m * n;
  double bytes = in.bytes_of(*a) + in.bytes_of(*b) + results * size_bytes(in.dtype_of(*a));
  if (first > 0) {
    bytes += in.bytes_of(in.all().front());
  }
  return {.bytes = bytes, .flops = 2 * results * k, .dtype = in.dtype_of(*a), .of_library_only = true};
}

OpWork convolve(const OpArguments& in, bool padding_first) {
  const Argument* const input = in.tensor(0, 3);
  const Argument* const weight = in.tensor(1, 3);
  if (input == nullptr || weight == nullptr) {
    return {};
  }
  constexpr std::size_t kTransposedAt =
      6;  // convolution(input, weight, bias, stride, padding, dilation, ...)
  const bool transposed =
      !padding_first && in.all().size() > kTransposedAt && in.all()[kTransposedAt].concrete == "True";
  const double per_element = product_behind_first(dims_of(*weight));
  const DType dtype = in.dtype_of(*input);
  const double read = in.bytes_of(*input) + in.bytes_of(*weight);
  if (transposed) {  // each input element is spread; the result's size needs what only the caller knows
    return {
        .bytes = read, .flops = 2 * input->elements() * per_element, .dtype = dtype, .of_library_only = true};
  }
  const auto results = convolve_elements(in, dims_of(*input), dims_of(*weight), padding_first);
  if (!results) {
    return {};
  }
  return {.bytes = read + *results * size_bytes(dtype),
          .flops = 2 * *results * per_element,
          .dtype = dtype,
          .of_library_only = true};
}

// Each wanted gradient (of input and weight) costs as much as the forward pass and reads two of the three.
OpWork convolve_backward(const OpArguments& in, std::size_t gradient_at, std::size_t weight_at,
                         double gradients) {
  const Argument* const gradient = in.tensor(gradient_at, 3);
  const Argument* const weight = in.tensor(weight_at, 3);
  if (gradient == nullptr || weight == nullptr) {
    return {};
  }
  double bytes = 0;
  for (std::size_t i = 0; i <= weight_at; ++i) {
    bytes += in.bytes_of(in.all()[i]);
  }
  return {.bytes = gradients * bytes,
          .flops = gradients * 2 * gradient->elements() * product_behind_first(dims_of(*weight)),
          .dtype = in.dtype_of(*gradient),
          .of_library_only = true};
}

// From "[True, True, False]", last argument: gradients of input and weight; the bias costs nothing beside.
double count_wanted_gradients(const OpArguments& in) {
  constexpr double kBoth = 2;
  const std::string_view mask = in.all().empty() ? std::string_view() : in.all().back().concrete;
  constexpr std::string_view kTrue = "True";
  const std::size_t first = mask.find(',');
  const std::size_t second = first == mask.npos ? mask.npos : mask.find(',', first + 1);
  if (second == mask.npos) {
    return kBoth;
  }
  return (mask.substr(0, first).find(kTrue) != mask.npos ? 1.0 : 0.0) +
         (mask.substr(first, second - first).find(kTrue) != mask.npos ? 1.0 : 0.0);
}

// Two products of every query with every key, so 4 x queries x keys x width flops; a causal mask is not taken
// off. Backward does five products in place of two.
OpWork attend(const OpArguments& in, std::size_t first, std::size_t length_at) {
  constexpr double kBackwardFactor = 2.5;
  constexpr std::size_t kRank = 4;  // packed sequences have less, and their lengths are not recorded
  const Argument* const q = in.tensor(first, kRank);
  const Argument* const k = in.tensor(first + 1, kRank);
  const Argument* const v = in.tensor(first + 2, kRank);
  if (q == nullptr || k == nullptr || v == nullptr) {
    return {};
  }
  const bool backward = first > 0;
  const double forward_flops = 4 * q->elements() * real(dims_of(*k)[length_at]);
  const double inputs = in.bytes_of(*q) + in.bytes_of(*k) + in.bytes_of(*v);
  const double output = in.bytes_of(*q);
  // Backward reads the output and its gradient as well, and writes three gradients.
  return {.bytes = backward ? 2 * inputs + 2 * output : inputs + output,
          .flops = backward ? kBackwardFactor * forward_flops : forward_flops,
          .dtype = in.dtype_of(*q),
          .of_library_only = true};
}

}  // namespace foretell::whatif
