// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/library_call.hpp"

#include "fusion-engine/runtime/cpu/one_thread.hpp"

namespace foretell::runtime::cpu {

dnnl::memory::data_type library_type(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::F32: return dnnl::memory::data_type::f32;
    case ir::DType::BF16: return dnnl::memory::data_type::bf16;
    case ir::DType::F16: return dnnl::memory::data_type::f16;
    case ir::DType::F64:
    case ir::DType::I32:
    case ir::DType::I64:
    case ir::DType::Bool: break;
  }
  return dnnl::memory::data_type::undef;
}

dnnl::primitive_attr with_own_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

LibraryCall::LibraryCall(const dnnl::primitive& primitive, const dnnl::memory::desc& scratch,
                         std::initializer_list<Argument> arguments, const dnnl::engine& engine, int team_size)
    : primitive_(primitive), scratch_bytes_(scratch.get_size()) {
  for (int rank = 0; rank < team_size; ++rank) {
    Lane lane{.stream = dnnl::stream(engine), .memories = {}, .arguments = {}};
    const auto add = [&](int name, const dnnl::memory::desc& layout) {
      lane.memories.emplace_back(layout, engine, nullptr);
      lane.arguments.push_back({.arg = name, .memory = lane.memories.back().get()});
    };
    for (const Argument& argument : arguments) {
      add(argument.name, argument.layout);
    }
    add(DNNL_ARG_SCRATCHPAD, scratch);
    lanes_.push_back(std::move(lane));
  }
}

void LibraryCall::run(int rank, std::initializer_list<const std::byte*> addresses, std::byte* scratch) {
  thread_local const OneThread kOneThread;  // a worker's, until it ends: two calls less per block
  Lane& lane = lanes_[static_cast<std::size_t>(rank)];
  auto memory = lane.memories.begin();
  for (const std::byte* address : addresses) {
    (memory++)->set_data_handle(const_cast<std::byte*>(address));  // the library has no reading view
  }
  lane.memories.back().set_data_handle(scratch);
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), lane.stream.get(), static_cast<int>(lane.arguments.size()),
                             lane.arguments.data()),
      "could not execute a primitive");
}

}  // namespace foretell::runtime::cpu
