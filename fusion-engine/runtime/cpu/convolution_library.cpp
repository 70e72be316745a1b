// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/convolution_library.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fusion-engine/runtime/cpu/convolution_plan.hpp"
#include "fusion-engine/runtime/cpu/one_thread.hpp"

namespace foretell::runtime::cpu {
namespace {

struct ShapeHash {
  std::size_t operator()(const ConvolutionLibrary::Shape& shape) const {
    std::size_t hash = static_cast<std::size_t>(shape.op) * 16 + static_cast<std::size_t>(shape.dtype);
    const auto mix = [&](const auto& values) {
      for (const std::int64_t value : values) {
        hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
        hash ^= hash >> 32U;
      }
    };
    mix(shape.of.x);
    mix(shape.of.weight);
    mix(shape.of.strides);
    mix(shape.of.padding);
    mix(shape.of.dilation);
    return hash;
  }
};

// 16 channels, 3 by 3.
ConvolutionLibrary::Shape probe_of(ir::OpKind op, ir::DType dtype) {
  return {.op = op,
          .dtype = dtype,
          .of = {.x = {1, 16, 8, 8},
                 .weight = {16, 16, 3, 3},
                 .y = {1, 16, 6, 6},
                 .strides = {1, 1},
                 .padding = {0, 0},
                 .dilation = {1, 1}}};
}

}  // namespace

struct ConvolutionLibrary::State {
  int team_size = 1;
  dnnl::engine engine;
  std::unordered_map<ir::DType, bool> has;
  std::unordered_map<Shape, std::unique_ptr<Plan>, ShapeHash> plans;

  const dnnl::engine& open_engine() {
    if (!engine) {
      engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
    }
    return engine;
  }
};

ConvolutionLibrary::ConvolutionLibrary(int team_size) : state_(std::make_unique<State>()) {
  state_->team_size = team_size;
}
ConvolutionLibrary::~ConvolutionLibrary() = default;

bool ConvolutionLibrary::has(ir::DType dtype) {
  if (const auto known = state_->has.find(dtype); known != state_->has.end()) {
    return known->second;
  }
  bool found = library_type(dtype) != dnnl::memory::data_type::undef;
  try {
    const OneThread one_thread;
    for (const ir::OpKind op :
         {ir::OpKind::Conv2d, ir::OpKind::Conv2dInputGrad, ir::OpKind::Conv2dWeightGrad}) {
      found = found && !is_reference(probe_of(op, dtype), state_->open_engine());
    }
  } catch (const dnnl::error&) {
    found = false;
  }
  state_->has.emplace(dtype, found);
  return found;
}

Result<ConvolutionLibrary::Plan*> ConvolutionLibrary::prepare(const Shape& shape) {
  if (const auto known = state_->plans.find(shape); known != state_->plans.end()) {
    return known->second.get();
  }
  try {
    const OneThread one_thread;
    auto plan = std::make_unique<Plan>(shape, state_->open_engine(), state_->team_size);
    return state_->plans.emplace(shape, std::move(plan)).first->second.get();
  } catch (const dnnl::error& error) {
    return fail(ErrorCode::Unsupported, std::string(ir::to_string(shape.op)),
                std::string("oneDNN: ") + error.what());
  }
}

std::size_t ConvolutionLibrary::scratch_bytes(const Plan& plan) { return plan.scratch_bytes(); }

void ConvolutionLibrary::run(Plan& plan, const Lane& lane, const Addresses& at, std::atomic<int>& status) {
  // Whatever happens to one lane, the others wait for it at the barrier.
  const auto guarded = [&](auto stage) {
    try {
      stage();
    } catch (const dnnl::error& error) {
      status.store(static_cast<int>(error.status), std::memory_order_relaxed);
    }
  };
  guarded([&] { plan.lay_out_operands(lane, at); });
  lane.barrier();
  guarded([&] { plan.convolve(lane, at); });
}

}  // namespace foretell::runtime::cpu
