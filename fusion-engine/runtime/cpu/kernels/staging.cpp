// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/kernels/staging.hpp"

#include <algorithm>
#include <cstring>

#include "src/base/check.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

template <class F>
void with_element(std::size_t bytes, F f) {
  switch (bytes) {
    case 1: f(std::uint8_t{}); break;
    case 2: f(std::uint16_t{}); break;
    case 4: f(std::uint32_t{}); break;
    default: f(std::uint64_t{}); break;
  }
}

}  // namespace

CastFunction find_cast(ir::DType from, ir::DType to) {
  return isa().cast[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

std::int64_t elements(const Axes& axes) {
  std::int64_t count = 1;
  for (int i = 0; i < axes.rank; ++i) {
    count *= axes.extent[static_cast<std::size_t>(i)];
  }
  return count;
}

Axes axes_of(const Tensor& tensor, const ir::Shape& space) {
  FORETELL_CHECK(tensor.shape.rank() <= space.rank());
  const std::size_t lead = space.rank() - tensor.shape.rank();
  Axes axes;
  for (std::size_t i = 0; i < space.rank(); ++i) {
    const std::int64_t extent = space[i];
    if (extent == 1) {
      continue;
    }
    const std::int64_t stride = i < lead || tensor.shape[i - lead] == 1 ? 0 : tensor.strides[i - lead];
    auto last = static_cast<std::size_t>(axes.rank);
    if (last > 0 && axes.stride[last - 1] == stride * extent) {  // also repeated under repeated
      axes.extent[last - 1] *= extent;
      axes.stride[last - 1] = stride;
    } else {
      axes.extent[last] = extent;
      axes.stride[last] = stride;
      ++axes.rank;
    }
  }
  return axes;
}

void gather_run(const std::byte* from, std::int64_t stride, std::size_t element_bytes, std::int64_t n,
                std::byte* to) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * element_bytes);
    return;
  }
  with_element(element_bytes, [&]<class T>(T) {
    const auto* source = reinterpret_cast<const T*>(from);
    auto* target = reinterpret_cast<T*>(to);
    if (stride == 0) {
      std::fill_n(target, n, *source);
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      target[i] = source[i * stride];
    }
  });
}

void scatter_run(const std::byte* from, std::int64_t stride, std::size_t element_bytes, std::int64_t n,
                 std::byte* to) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * element_bytes);
    return;
  }
  with_element(element_bytes, [&]<class T>(T) {
    const auto* source = reinterpret_cast<const T*>(from);
    auto* target = reinterpret_cast<T*>(to);
    for (std::int64_t i = 0; i < n; ++i) {
      target[i * stride] = source[i];
    }
  });
}

Position position_of(const Axes& axes, std::int64_t element) {
  Position position;
  for (int i = axes.rank - 1; i >= 0; --i) {
    const auto axis = static_cast<std::size_t>(i);
    position.index[axis] = element % axes.extent[axis];
    element /= axes.extent[axis];
    position.offset += position.index[axis] * axes.stride[axis];
  }
  return position;
}

void advance(const Axes& axes, Position& position, std::int64_t count) {
  auto axis = static_cast<std::size_t>(axes.rank - 1);
  position.index[axis] += count;
  position.offset += count * axes.stride[axis];
  while (position.index[axis] == axes.extent[axis] && axis > 0) {
    position.index[axis] = 0;
    position.offset -= axes.extent[axis] * axes.stride[axis];
    --axis;
    ++position.index[axis];
    position.offset += axes.stride[axis];
  }
}

void gather_elements(const std::byte* data, const Axes& axes, std::size_t element_bytes, std::int64_t first,
                     std::int64_t n, std::byte* to) {
  if (axes.rank == 0) {
    gather_run(data, 0, element_bytes, n, to);
    return;
  }
  const auto inner = static_cast<std::size_t>(axes.rank - 1);
  Position position = position_of(axes, first);
  while (n > 0) {
    const std::int64_t run = std::min(n, axes.extent[inner] - position.index[inner]);
    gather_run(data + position.offset * static_cast<std::int64_t>(element_bytes), axes.stride[inner],
               element_bytes, run, to);
    to += run * static_cast<std::int64_t>(element_bytes);
    n -= run;
    advance(axes, position, run);
  }
}

void Reader::open(const Tensor& tensor, const ir::Shape& space, ir::DType as) {
  open(tensor.data, tensor.dtype, axes_of(tensor, space), as);
}

void Reader::open(const std::byte* data, ir::DType dtype, const Axes& axes, ir::DType as) {
  data_ = data;
  element_bytes_ = ir::size_bytes(dtype);
  cast_ = find_cast(dtype, as);
  axes_ = axes;
  if (axes_.rank == 0 || (axes_.rank == 1 && axes_.stride[0] == 0)) {
    kind_ = Kind::Constant;
    constant_elements_ = std::min(kBlock, elements(axes));
    fill_constant();
  } else if (axes_.rank == 1 && axes_.stride[0] == 1) {
    kind_ = cast_ == nullptr ? Kind::Direct : Kind::Converted;
  } else {
    kind_ = Kind::Gathered;
  }
}

void Reader::fill_constant() {
  if (constant_elements_ == 0) {
    return;
  }
  gather_run(data_, 0, element_bytes_, constant_elements_, raw_.data());
  if (cast_ != nullptr) {
    cast_(raw_.data(), converted_.data(), constant_elements_);
  }
}

void Reader::rebase(const std::byte* data) {
  data_ = data;
  if (kind_ == Kind::Constant) {
    fill_constant();
  }
}

const void* Reader::read(std::int64_t first, std::int64_t n) {
  const auto bytes = static_cast<std::int64_t>(element_bytes_);
  const std::byte* source = raw_.data();
  switch (kind_) {
    case Kind::Direct: return data_ + first * bytes;
    case Kind::Constant: return cast_ == nullptr ? raw_.data() : converted_.data();
    case Kind::Converted: source = data_ + first * bytes; break;
    case Kind::Gathered: {
      const auto inner = static_cast<std::size_t>(axes_.rank - 1);
      const Position position = position_of(axes_, first);
      if (axes_.stride[inner] == 1 && axes_.extent[inner] - position.index[inner] >= n) {
        source = data_ + position.offset * bytes;  // within one dense run
      } else {
        gather_elements(data_, axes_, element_bytes_, first, n, raw_.data());
      }
      break;
    }
  }
  if (cast_ == nullptr) {
    return source;
  }
  cast_(source, converted_.data(), n);
  return converted_.data();
}

Reader::Stretch Reader::stretch(std::int64_t first, std::int64_t n) const {
  const auto bytes = static_cast<std::int64_t>(element_bytes_);
  if (kind_ == Kind::Direct || kind_ == Kind::Converted) {
    return {data_ + first * bytes, n * bytes};
  }
  return {nullptr, 0};
}

Writer::Writer(std::byte* data, ir::DType dtype, ir::DType from, bool stream)
    : data_(data), element_bytes_(ir::size_bytes(dtype)), cast_(find_cast(from, dtype)), stream_(stream) {}

void* Writer::target(std::int64_t first) {
  return is_direct() ? data_ + first * static_cast<std::int64_t>(element_bytes_) : block_.data();
}

void Writer::commit(std::int64_t first, std::int64_t n, const NextRead& next) {
  std::byte* to = data_ + first * static_cast<std::int64_t>(element_bytes_);
  const std::byte* from = block_.data();
  if (cast_ != nullptr) {
    cast_(from, stream_ ? narrow_.data() : to, n);
    from = narrow_.data();
  }
  if (stream_) {
    isa().stream_copy(to, from, n * static_cast<std::int64_t>(element_bytes_), next);
  }
}

void Writer::finish() const {
  if (stream_) {
    isa().stream_fence();
  }
}

}  // namespace foretell::runtime::cpu::kernels
