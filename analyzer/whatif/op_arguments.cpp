// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/op_arguments.hpp"

#include <algorithm>

namespace foretell::whatif {

double OpArguments::sum_bytes() const {
  double bytes = 0;
  for (const Argument& each : arguments_) {
    bytes += bytes_of(each);
  }
  return bytes;
}

double OpArguments::largest_bytes() const {
  double bytes = 0;
  for (const Argument& each : arguments_) {
    bytes = std::max(bytes, bytes_of(each));
  }
  return bytes;
}

double OpArguments::result_bytes(std::optional<DType> forced) const {
  std::vector<Dims> shapes;
  DType with_dims = DType::Unknown;
  DType any = DType::Unknown;
  for (const Argument& each : arguments_) {
    if (!each.is_tensor()) {
      continue;
    }
    if (each.tensors.size() > 1) {
      return largest_bytes();
    }
    const Dims& dims = each.tensors.front();
    shapes.push_back(dims);
    any = promote(any, dtype_of(each));
    with_dims = dims.empty() ? with_dims : promote(with_dims, dtype_of(each));
  }
  if (shapes.empty()) {
    return 0;
  }
  const std::optional<Dims> result = broadcast(shapes);
  const DType dtype = forced.value_or(with_dims == DType::Unknown ? any : with_dims);
  return result ? count_elements(*result) * size_bytes(dtype) : largest_bytes();
}

const Argument* OpArguments::tensor(std::size_t index, std::size_t rank) const {
  const bool fits = index < arguments_.size() && arguments_[index].tensors.size() == 1 &&
                    arguments_[index].tensors.front().size() >= rank;
  return fits ? &arguments_[index] : nullptr;
}

}  // namespace foretell::whatif
