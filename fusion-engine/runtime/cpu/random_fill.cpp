// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/random_fill.hpp"

#include "fusion-engine/ir/half.hpp"
#include "fusion-engine/ir/nearest_value.hpp"

namespace foretell::runtime::cpu {
namespace {

// Number i of the SplitMix64 sequence of `seed` (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014): its state is a multiple of the increment, so any number may be had at once.
std::uint64_t random_bits(std::uint64_t seed, std::int64_t i) {
  std::uint64_t z = seed + static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

// In [-1, 1). The sum of a 53-bit number and -1 is exact, so each store rounds once.
double uniform(std::uint64_t seed, std::int64_t i) {
  return static_cast<double>(static_cast<std::int64_t>(random_bits(seed, i) >> 11U)) * 0x1p-52 - 1.0;
}

// Rounded once, so that the way through f32 changes nothing.
float narrow(ir::DType dtype, double value) { return static_cast<float>(ir::nearest_value(value, dtype)); }

template <class T, class Element>
void fill(std::byte* data, std::int64_t begin, std::int64_t end, const Element& element) {
  T* const to = reinterpret_cast<T*>(data);
  for (std::int64_t i = begin; i < end; ++i) {
    to[i] = element(i);
  }
}

void fill(const Tensor& tensor, std::uint64_t seed, std::uint64_t bound, std::int64_t begin,
          std::int64_t end) {
  std::byte* const data = tensor.data;
  switch (tensor.dtype) {
    case ir::DType::F32:
      return fill<float>(data, begin, end,
                         [&](std::int64_t i) { return static_cast<float>(uniform(seed, i)); });
    case ir::DType::F64:
      return fill<double>(data, begin, end, [&](std::int64_t i) { return uniform(seed, i); });
    case ir::DType::BF16:
      return fill<std::uint16_t>(data, begin, end, [&](std::int64_t i) {
        return ir::f32_to_bf16(narrow(ir::DType::BF16, uniform(seed, i)));
      });
    case ir::DType::F16:
      return fill<std::uint16_t>(data, begin, end, [&](std::int64_t i) {
        return ir::f32_to_f16(narrow(ir::DType::F16, uniform(seed, i)));
      });
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

void launch_random_fill(Stream& stream, const Tensor& tensor, std::uint64_t seed, std::int64_t bound) {
  FORETELL_CHECK(bound > 0 && tensor.is_dense());
  stream.launch([tensor, seed, bound](const Lane& lane) {
    const std::int64_t count = tensor.elements();
    fill(tensor, seed, static_cast<std::uint64_t>(bound), lane.begin(count), lane.end(count));
  });
}

}  // namespace foretell::runtime::cpu
