// SPDX-License-Identifier: Apache-2.0
// The emitter's outputs, hints and buffers.
#include <algorithm>

#include "fusion-engine/codegen/lower_emitter.hpp"
#include "fusion-engine/codegen/lower_extents.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::DType;
using ir::NodeId;

// Scratch buffers start on cache lines.
constexpr std::int64_t kLineBytes = 64;

}  // namespace

bool Emitter::is_written_once(NodeId output) const {
  const NestAccess& access = nest_.accesses[nest_.writes.at(output)];
  for (std::size_t dim = nest_.outer; dim < nest_.outer + nest_.reduced; ++dim) {
    if (access.strides[dim] != 0) {
      return false;
    }
  }
  return true;
}

// The eager kernels compute all but the cheapest ops into a block in the cache and stream that, since a loop
// that is slow with arithmetic empties the write-combining buffers half full
// (docs/measurements/eager-kernels). Fused kernels stream from the loop all the same: their reads are fetched
// ahead (prefetch_ahead, prefetch_inputs), so stores come steadily, and a block would be written and read
// once more for each output.
void Emitter::store_output(NodeId id) {
  const auto position = std::ranges::find(group_.outputs, id) - group_.outputs.begin();
  const loop::Buffer& buffer = buffers_[group_.inputs.size() + static_cast<std::size_t>(position)];
  const NestAccess& access = nest_.accesses[nest_.writes.at(id)];
  std::string value = member(id);
  const bool stream =
      ir::size_bytes(graph_.type(id)) >= options_.streaming_bytes && access.strides[vector_dim()] == 1;
  append(
      {loop::Store{.buffer = buffer.name, .at = place(access), .value = std::move(value), .stream = stream}});
}

void Emitter::prefetch_inputs(std::size_t dim) {
  for (const NestAccess& access : nest_.accesses) {
    const auto input = input_of(access);
    if (input && access.strides[vector_dim()] == 1 && access.strides[dim] != 0) {
      loop::Place at = place(access);
      at.offset += access.strides[dim];
      append({loop::Prefetch{.buffer = buffers_[*input].name, .at = at, .nearest = true}});
      if (ir::size_bytes(graph_.type(access.value)) >= options_.streaming_bytes) {
        at.offset += access.strides[dim];
        append({loop::Prefetch{.buffer = buffers_[*input].name, .at = std::move(at), .nearest = false}});
      }
    }
  }
}

void Emitter::prefetch_ahead(std::int64_t bytes) {
  for (const NestAccess& access : nest_.accesses) {
    const auto input = input_of(access);
    if (!input || access.strides[vector_dim()] != 1 ||
        ir::size_bytes(graph_.type(access.value)) < options_.streaming_bytes) {
      continue;
    }
    loop::Place at = place(access);
    const loop::Buffer& buffer = buffers_[*input];
    at.offset += bytes / static_cast<std::int64_t>(ir::size_bytes(buffer.dtype));
    append({loop::Prefetch{.buffer = buffer.name, .at = std::move(at), .nearest = false}});
  }
}

std::optional<std::size_t> Emitter::input_of(const NestAccess& access) const {
  const auto input = std::ranges::find(group_.inputs, access.value, &passes::Operand::value);
  return input == group_.inputs.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(input - group_.inputs.begin()));
}

std::string Emitter::add_scratch(DType dtype, std::int64_t elements) {
  std::string name = fresh("partial");
  buffers_.push_back({.name = name,
                      .dtype = dtype,
                      .role = loop::Buffer::Role::Scratch,
                      .elements = elements,
                      .offset_bytes = scratch_bytes_});
  const std::int64_t bytes = elements * static_cast<std::int64_t>(ir::size_bytes(dtype));
  scratch_bytes_ += round_up(bytes, kLineBytes);
  return name;
}

std::string Emitter::add_local(std::string_view prefix, DType dtype, std::int64_t elements) {
  std::string name = fresh(prefix);
  buffers_.push_back({.name = name, .dtype = dtype, .role = loop::Buffer::Role::Local, .elements = elements});
  return name;
}

}  // namespace foretell::codegen
