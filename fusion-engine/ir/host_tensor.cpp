// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/host_tensor.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "fusion-engine/ir/half.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "src/base/check.hpp"

namespace foretell::ir {
namespace {

template <class T>
T load(const HostTensor& tensor, std::size_t i) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(HostTensor& tensor, std::size_t i, T value) {
  std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
}

std::int64_t to_int64(double value) {
  // From 2^63 on no int64 is near; the largest is.
  return value >= 0x1p63 ? std::numeric_limits<std::int64_t>::max()
                         : static_cast<std::int64_t>(nearest_value(value, DType::I64));
}

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

HostTensor make_tensor(const Type& type) {
  return {.type = type, .bytes = std::vector<std::byte>(static_cast<std::size_t>(size_bytes(type)))};
}

double get(const HostTensor& tensor, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  FORETELL_CHECK(i >= 0 && at < tensor.bytes.size() / size_bytes(tensor.type.dtype));
  switch (tensor.type.dtype) {
    case DType::F32: return static_cast<double>(load<float>(tensor, at));
    case DType::F64: return load<double>(tensor, at);
    case DType::BF16: return static_cast<double>(bf16_to_f32(load<std::uint16_t>(tensor, at)));
    case DType::F16: return static_cast<double>(f16_to_f32(load<std::uint16_t>(tensor, at)));
    case DType::I32: return static_cast<double>(load<std::int32_t>(tensor, at));
    case DType::I64: return static_cast<double>(load<std::int64_t>(tensor, at));
    case DType::Bool: return load<std::uint8_t>(tensor, at) != 0 ? 1.0 : 0.0;
  }
  return 0.0;
}

void set(HostTensor& tensor, std::int64_t i, double value) {
  const auto at = static_cast<std::size_t>(i);
  FORETELL_CHECK(i >= 0 && at < tensor.bytes.size() / size_bytes(tensor.type.dtype));
  const double stored = nearest_value(value, tensor.type.dtype);
  switch (tensor.type.dtype) {
    case DType::F32: store(tensor, at, static_cast<float>(stored)); break;
    case DType::F64: store(tensor, at, stored); break;
    case DType::BF16: store(tensor, at, f32_to_bf16(static_cast<float>(stored))); break;
    case DType::F16: store(tensor, at, f32_to_f16(static_cast<float>(stored))); break;
    case DType::I32: store(tensor, at, static_cast<std::int32_t>(stored)); break;
    case DType::I64: store(tensor, at, to_int64(value)); break;
    case DType::Bool: store(tensor, at, static_cast<std::uint8_t>(stored != 0.0)); break;
  }
}

HostTensor random_tensor(const Type& type, std::uint64_t seed, std::int64_t bound) {
  FORETELL_CHECK(bound > 0);
  HostTensor tensor = make_tensor(type);
  std::uint64_t state = seed;
  const std::int64_t count = elements(type.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = split_mix(state);
    if (is_float(type.dtype)) {
      set(tensor, i, static_cast<double>(bits >> 11U) * 0x1p-52 - 1.0);  // 53 bits: [0, 2) - 1
    } else if (type.dtype == DType::Bool) {
      set(tensor, i, static_cast<double>(bits >> 63U));
    } else {
      set(tensor, i, static_cast<double>(bits % static_cast<std::uint64_t>(bound)));
    }
  }
  return tensor;
}

}  // namespace foretell::ir
