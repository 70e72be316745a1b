// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/print_cpp_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "fusion-engine/codegen/print_cpp_value.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;

// `number`: of the block; it gets the name `block` where that is asked for.
void declare_index(const loop::UnitIndex& unit, std::string number, const std::string& block, CppText& text) {
  if (unit.block == 1) {
    if (number != unit.name) {
      text.line("const long {} = {};", unit.name, number);
    }
    return;
  }
  if (!block.empty() && number != block) {
    text.line("const long {} = {};", block, number);
    number = block;
  }
  text.line("const long {}_first = {} * {};", unit.name, number, unit.block);
  const std::string past = fmt::format("{}_first + {}", unit.name, unit.block);
  if (unit.extent % unit.block == 0) {
    text.line("const long {}_last = {};", unit.name, past);
  } else {
    text.line("const long {0}_last = {1} < {2} ? {1} : {2};", unit.name, past, unit.extent);
  }
}

}  // namespace

void declare_buffers(const loop::Kernel& kernel, const Mentions& mentions, CppText& text) {
  std::size_t position = 0;
  for (const loop::Buffer& buffer : kernel.buffers) {
    const bool local = buffer.role == loop::Buffer::Role::Local;
    const bool scratch = buffer.role == loop::Buffer::Role::Scratch;
    if (mentions.buffers.contains(buffer.name)) {
      const std::string_view constant = mentions.stored.contains(buffer.name) ? "" : "const ";
      const std::string type = fmt::format("{}{}", constant, memory_type(buffer.dtype));
      if (local) {
        text.line("alignas(64) {} {}[{}];", type, buffer.name, buffer.elements);
      } else if (buffer.offset_bytes == 0) {
        text.line("{0}* const {1} = static_cast<{0}*>(buffers[{2}]);", type, buffer.name, position);
      } else {
        text.line("{0}* const {1} = reinterpret_cast<{0}*>(static_cast<{2}char*>(buffers[{3}]) + {4});", type,
                  buffer.name, constant, position, buffer.offset_bytes);
      }
    }
    position += scratch || local ? 0 : 1;  // all scratch buffers lie in one piece of memory
  }
}

void open_units(const loop::Stage& stage, const Mentions& mentions, CppText& text) {
  const auto& units = stage.units;
  const auto block_name = [](const loop::UnitIndex& unit) { return unit.name + "_block"; };
  std::string counter = "unit";
  if (units.size() == 1 && units[0].block == 1) {
    counter = units[0].name;
  } else if (units.size() == 1 && mentions.indices.contains(block_name(units[0]))) {
    counter = block_name(units[0]);
  }
  text.open("for (long {0} = begin; {0} < end; ++{0})", counter);
  std::int64_t below = loop::units(stage);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const loop::UnitIndex& unit = units[i];
    below /= std::max<std::int64_t>(1, unit.blocks());
    std::string number = below == 1 ? counter : fmt::format("{} / {}", counter, below);
    if (i > 0) {
      number += fmt::format(" % {}", unit.blocks());
    }
    declare_index(unit, number, mentions.indices.contains(block_name(unit)) ? block_name(unit) : "", text);
  }
}

}  // namespace foretell::codegen
