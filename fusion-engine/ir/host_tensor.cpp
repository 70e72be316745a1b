// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/ir/host_tensor.hpp"

#include <cstring>

#include "fusion-engine/ir/half.hpp"
#include "fusion-engine/ir/nearest_value.hpp"
#include "fusion-engine/ir/split_mix.hpp"
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

std::size_t checked(const HostTensor& tensor, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  FORETELL_CHECK(i >= 0 && at < tensor.bytes.size() / size_bytes(tensor.type.dtype));
  return at;
}

}  // namespace

HostTensor make_tensor(const Type& type) {
  return {.type = type, .bytes = std::vector<std::byte>(static_cast<std::size_t>(size_bytes(type)))};
}

double get(const HostTensor& tensor, std::int64_t i) {
  const std::size_t at = checked(tensor, i);
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

std::int64_t get_integer(const HostTensor& tensor, std::int64_t i) {
  FORETELL_CHECK(!is_float(tensor.type.dtype));
  return tensor.type.dtype == DType::I64 ? load<std::int64_t>(tensor, checked(tensor, i))
                                         : static_cast<std::int64_t>(get(tensor, i));
}

void set_integer(HostTensor& tensor, std::int64_t i, std::int64_t value) {
  FORETELL_CHECK(!is_float(tensor.type.dtype));
  if (tensor.type.dtype == DType::I64) {
    store(tensor, checked(tensor, i), value);
  } else {
    set(tensor, i, static_cast<double>(value));
  }
}

void set(HostTensor& tensor, std::int64_t i, double value) {
  const std::size_t at = checked(tensor, i);
  const double stored = nearest_value(value, tensor.type.dtype);
  switch (tensor.type.dtype) {
    case DType::F32: store(tensor, at, static_cast<float>(stored)); break;
    case DType::F64: store(tensor, at, stored); break;
    case DType::BF16: store(tensor, at, f32_to_bf16(static_cast<float>(stored))); break;
    case DType::F16: store(tensor, at, f32_to_f16(static_cast<float>(stored))); break;
    case DType::I32: store(tensor, at, static_cast<std::int32_t>(stored)); break;
    case DType::I64: store(tensor, at, nearest_integer(value, DType::I64)); break;
    case DType::Bool: store(tensor, at, static_cast<std::uint8_t>(stored != 0.0)); break;
  }
}

HostTensor random_tensor(const Type& type, std::uint64_t seed, const Contents& contents) {
  FORETELL_CHECK(contents.bound > 0);
  HostTensor tensor = make_tensor(type);
  const std::int64_t count = elements(type.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_float(type.dtype)) {
      set(tensor, i, uniform(seed, i, contents.low, contents.high));
    } else if (type.dtype == DType::Bool) {
      set(tensor, i, static_cast<double>(random_bits(seed, i) >> 63U));
    } else {
      set(tensor, i, static_cast<double>(random_bits(seed, i) % static_cast<std::uint64_t>(contents.bound)));
    }
  }
  return tensor;
}

}  // namespace foretell::ir
