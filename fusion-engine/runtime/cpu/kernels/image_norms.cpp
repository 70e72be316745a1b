// SPDX-License-Identifier: Apache-2.0
// group_norm and batch_norm of images [N,C,...]. A unit takes all that shares its statistics: the channels of
// a group of one image, or a channel of all images.
#include <cmath>

#include "fusion-engine/runtime/cpu/kernels/kernel_list.hpp"
#include "fusion-engine/runtime/cpu/kernels/row_buffer.hpp"

namespace foretell::runtime::cpu::kernels {

namespace {

// Channels of images, `length` elements each.
struct Member {
  std::int64_t image = 0;
  std::int64_t channel = 0;
};

class Population {
 public:
  Population(const KernelCall& call, std::int64_t unit) : call_(call) {
    const ir::Shape& shape = call.output.shape;
    if (call.op == ir::OpKind::BatchNorm) {
      first_.channel = unit;
      size_ = shape[0];
    } else {
      const std::int64_t groups = call.attributes->integer(ir::AttrKey::Groups);
      size_ = shape[1] / groups;
      first_ = {.image = unit / groups, .channel = unit % groups * size_};
    }
  }
  std::int64_t size() const { return size_; }
  Member operator[](std::int64_t i) const {
    return call_.op == ir::OpKind::BatchNorm ? Member{.image = i, .channel = first_.channel}
                                             : Member{.image = first_.image, .channel = first_.channel + i};
  }

 private:
  const KernelCall& call_;
  Member first_;
  std::int64_t size_ = 0;
};

std::int64_t units(const KernelCall& call, int /*stage*/) {
  const ir::Shape& shape = call.output.shape;
  return call.op == ir::OpKind::BatchNorm ? shape[1]
                                          : shape[0] * call.attributes->integer(ir::AttrKey::Groups);
}

// All axes but the first two.
Tensor inner_of(const Tensor& tensor) {
  Tensor inner{.data = tensor.data, .dtype = tensor.dtype, .shape = {}, .strides = {}};
  for (std::size_t i = 2; i < tensor.shape.rank(); ++i) {
    inner.shape.push_back(tensor.shape[i]);
    inner.strides.push_back(tensor.strides[i]);
  }
  return inner;
}

// A population's elements as T: those of member i from at(i) on.
template <class T>
class Elements {
 public:
  explicit Elements(const Tensor& x)
      : x_(x), axes_(axes_of(inner_of(x), inner_of(x).shape)), length_(inner_of(x).elements()) {
    is_direct_ = ir::size_bytes(x.dtype) == sizeof(T) &&
                 (axes_.rank == 0 || (axes_.rank == 1 && axes_.stride[0] == 1));
  }
  // Where members don't lie one after another as T, they are laid out so, for several walks over them.
  void read(const Population& population) {
    const auto offset_of = [&](Member at) { return at.image * x_.strides[0] + at.channel * x_.strides[1]; };
    stride_ = population.size() > 1 ? offset_of(population[1]) - offset_of(population[0]) : length_;
    data_ = reinterpret_cast<const T*>(x_.at(offset_of(population[0])));
    if (is_direct_) {
      return;
    }
    T* const to = buffer_.get(population.size() * length_);
    for (std::int64_t i = 0; i < population.size(); ++i) {
      reader_.open(x_.at(offset_of(population[i])), x_.dtype, axes_,
                   sizeof(T) == 4 ? ir::DType::F32 : ir::DType::F64);
      for (std::int64_t first = 0; first < length_; first += kBlock) {
        const std::int64_t n = std::min(kBlock, length_ - first);
        std::copy_n(static_cast<const T*>(reader_.read(first, n)), n, to + i * length_ + first);
      }
    }
    data_ = to;
    stride_ = length_;
  }
  const T* at(std::int64_t i) const { return data_ + i * stride_; }
  std::int64_t length() const { return length_; }

  // The sum of f(elements, how many), in double from block to block.
  template <class F>
  double sum(const Population& population, F f) const {
    const bool is_one_run = stride_ == length_;
    const std::int64_t runs = is_one_run ? 1 : population.size();
    const std::int64_t run = is_one_run ? population.size() * length_ : length_;
    double total = 0;
    for (std::int64_t i = 0; i < runs; ++i) {
      for (std::int64_t first = 0; first < run; first += kUnit) {
        total += f(at(i) + first, std::min(kUnit, run - first));
      }
    }
    return total;
  }

 private:
  const Tensor& x_;
  Axes axes_;
  std::int64_t length_;
  bool is_direct_;
  const T* data_ = nullptr;
  std::int64_t stride_ = 0;
  RowBuffer<T> buffer_;
  Reader reader_;
};

template <class T>
void run_as(const KernelCall& call, std::int64_t begin, std::int64_t end) {
  const auto& blocks = blocks_of<T>();
  const double epsilon = call.attributes->real(ir::AttrKey::Epsilon);
  std::array<RowBuffer<T>, kMaxKernelInputs> buffers;
  std::array<const T*, kMaxKernelInputs> of_channels{};  // weight, bias, mean, variance
  for (std::size_t i = 1; i < call.input_count; ++i) {
    const Tensor& t = call.inputs[i];
    of_channels[i] = read_row(t.data, t.dtype, t.strides[0], t.shape[0], buffers[i]);
  }
  const auto of_channel = [&](std::size_t i, std::int64_t channel, T otherwise) {
    return of_channels[i] == nullptr ? otherwise : of_channels[i][channel];
  };
  Elements<T> elements(call.inputs[0]);
  RowBuffer<T> out_buffer;
  const std::int64_t length = elements.length();
  const bool is_direct = ir::size_bytes(call.output.dtype) == sizeof(T);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const Population population(call, unit);
    elements.read(population);
    double mean = 0;
    double variance = 0;
    if (call.input_count == 5) {
      mean = of_channels[3][unit];
      variance = of_channels[4][unit];
    } else {
      const auto count = static_cast<double>(population.size() * length);
      mean = elements.sum(population, blocks.sum) / count;
      variance = elements.sum(population, [&](const T* x, std::int64_t n) {
        return blocks.sum_of_squares(x, mean, n);
      }) / count;
    }
    const T scale = static_cast<T>(1 / std::sqrt(variance + epsilon));
    for (std::int64_t i = 0; i < population.size(); ++i) {
      const auto [image, channel] = population[i];
      std::byte* const to = call.output.at((image * call.output.shape[1] + channel) * length);
      T* const out = is_direct ? reinterpret_cast<T*>(to) : out_buffer.get(length);
      blocks.normalize(elements.at(i), out, length, static_cast<T>(mean), scale, of_channel(1, channel, 1),
                       of_channel(2, channel, 0), is_direct && call.stream_output);
      if (!is_direct) {
        write_row(out, to, call.output.dtype, 1, length, call.stream_output);
      }
    }
  }
  if (call.stream_output) {
    isa().stream_fence();
  }
}

void run(const KernelCall& call, int /*stage*/, std::int64_t begin, std::int64_t end) {
  if (call.output.dtype == ir::DType::F64) {
    run_as<double>(call, begin, end);
  } else {
    run_as<float>(call, begin, end);
  }
}

}  // namespace

const CpuKernel kImageNormKernel{nullptr, one_stage, units, no_scratch, run};

}  // namespace foretell::runtime::cpu::kernels
