// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/random_fill.hpp"

#include "fusion-engine/ir/half.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/ir/split_mix.hpp"

namespace foretell::runtime::cpu {
namespace {

using ir::random_bits;

// Rounded once, so that the way through f32 changes nothing.
float narrow(ir::DType dtype, double value) { return static_cast<float>(ir::nearest_value(value, dtype)); }

template <class T, class Element>
void fill(std::byte* data, std::int64_t begin, std::int64_t end, const Element& element) {
  T* const to = reinterpret_cast<T*>(data);
  for (std::int64_t i = begin; i < end; ++i) {
    to[i] = element(i);
  }
}

void fill(const Tensor& tensor, std::uint64_t seed, const ir::Contents& contents, std::int64_t begin,
          std::int64_t end) {
  const auto real = [&](std::int64_t i) { return ir::uniform(seed, i, contents.low, contents.high); };
  const auto bound = static_cast<std::uint64_t>(contents.bound);
  std::byte* const data = tensor.data;
  switch (tensor.dtype) {
    case ir::DType::F32:
      return fill<float>(data, begin, end, [&](std::int64_t i) { return static_cast<float>(real(i)); });
    case ir::DType::F64: return fill<double>(data, begin, end, [&](std::int64_t i) { return real(i); });
    case ir::DType::BF16:
      return fill<std::uint16_t>(data, begin, end, [&](std::int64_t i) {
        return ir::f32_to_bf16(narrow(ir::DType::BF16, real(i)));
      });
    case ir::DType::F16:
      return fill<std::uint16_t>(
          data, begin, end, [&](std::int64_t i) { return ir::f32_to_f16(narrow(ir::DType::F16, real(i))); });
    case ir::DType::I32:
      return fill<std::int32_t>(data, begin, end, [&](std::int64_t i) {
        return static_cast<std::int32_t>(random_bits(seed, i) % bound);
      });
    case ir::DType::I64:
      return fill<std::int64_t>(data, begin, end, [&](std::int64_t i) {
        return static_cast<std::int64_t>(random_bits(seed, i) % bound);
      });
    case ir::DType::Bool:
      return fill<std::uint8_t>(data, begin, end, [&](std::int64_t i) {
        return static_cast<std::uint8_t>(random_bits(seed, i) >> 63U);
      });
  }
}

}  // namespace

void launch_random_fill(Stream& stream, const Tensor& tensor, std::uint64_t seed,
                        const ir::Contents& contents) {
  FORETELL_CHECK(contents.bound > 0 && tensor.is_dense());
  stream.launch([tensor, seed, contents](const Lane& lane) {
    const std::int64_t count = tensor.elements();
    fill(tensor, seed, contents, lane.begin(count), lane.end(count));
  });
}

}  // namespace foretell::runtime::cpu
