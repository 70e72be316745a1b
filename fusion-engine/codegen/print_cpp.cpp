// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/print_cpp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "fusion-engine/codegen/print_cpp_mentions.hpp"
#include "fusion-engine/codegen/print_cpp_value.hpp"
#include "src/base/check.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using ir::DType;

class Printer {
 public:
  explicit Printer(const loop::Kernel& kernel) : kernel_(kernel), values_(kernel) {}

  std::string run() {
    for (const std::string& text : kernel_.comment) {
      line("// {}", text);
    }
    for (std::size_t i = 0; i < kernel_.stages.size(); ++i) {
      print_stage(i);
    }
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::string(2 * depth_, ' ') + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    line("{} {{", fmt::format(format, std::forward<Args>(args)...));
    ++depth_;
  }
  void close() {
    --depth_;
    line("}}");
  }

  void print_stage(std::size_t number) {
    const loop::Stage& stage = kernel_.stages[number];
    Mentions mentions = find_mentions(stage.prologue);
    find_mentions(stage.body, mentions);
    if (number > 0) {
      text_ += "\n";
    }
    const bool does_work = !stage.body.empty();
    if (!does_work) {
      line("extern \"C\" void {}(void* const*, long, long) {{}}", stage_symbol(kernel_, number));
      return;
    }
    open("extern \"C\" void {}(void* const* buffers, long begin, long end)", stage_symbol(kernel_, number));
    declare_buffers(mentions);
    print(stage.prologue);
    open("for (long unit = begin; unit < end; ++unit)");
    declare_indices(stage, mentions);
    print(stage.body);
    close();
    if (mentions.streams) {
      line("stream_fence();");
    }
    close();
  }

  void declare_buffers(const Mentions& mentions) {
    std::size_t position = 0;
    for (const loop::Buffer& buffer : kernel_.buffers) {
      const bool local = buffer.role == loop::Buffer::Role::Local;
      const bool scratch = buffer.role == loop::Buffer::Role::Scratch;
      const std::string_view type = memory_type(buffer.dtype);
      if (mentions.buffers.contains(buffer.name)) {
        if (local) {
          line("alignas(64) {} {}[{}];", type, buffer.name, buffer.elements);
        } else if (scratch) {
          const std::string offset =
              buffer.offset_bytes == 0 ? "" : fmt::format(" + {}", buffer.offset_bytes);
          line("{0}* const {1} = reinterpret_cast<{0}*>(static_cast<char*>(buffers[{2}]){3});", type,
               buffer.name, position, offset);
        } else {
          const std::string_view constant = buffer.role == loop::Buffer::Role::Input ? "const " : "";
          line("{0}{1}* const {2} = static_cast<{0}{1}*>(buffers[{3}]);", constant, type, buffer.name,
               position);
        }
      }
      position += scratch || local ? 0 : 1;  // all scratch buffers lie in one piece of memory
    }
  }

  void declare_indices(const loop::Stage& stage, const Mentions& mentions) {
    std::int64_t below = loop::units(stage);
    for (std::size_t i = 0; i < stage.units.size(); ++i) {
      const loop::UnitIndex& unit = stage.units[i];
      const std::int64_t count = (unit.extent + unit.block - 1) / unit.block;
      below /= count;
      std::string number = below == 1 ? "unit" : fmt::format("unit / {}", below);
      if (i > 0) {
        number += fmt::format(" % {}", count);
      }
      if (unit.block == 1) {
        line("const long {} = {};", unit.name, number);
        continue;
      }
      const std::string block = unit.name + "_block";
      if (mentions.indices.contains(block)) {
        line("const long {} = {};", block, number);
        number = block;
      }
      line("const long {}_first = {} * {};", unit.name, number, unit.block);
      const std::string past = fmt::format("{}_first + {}", unit.name, unit.block);
      if (unit.extent % unit.block == 0) {
        line("const long {}_last = {};", unit.name, past);
      } else {
        line("const long {0}_last = {1} < {2} ? {1} : {2};", unit.name, past, unit.extent);
      }
      blocks_[unit.name] = unit;
    }
  }

  void print(const std::vector<loop::Statement>& statements) {
    for (const loop::Statement& statement : statements) {
      std::visit([&](const auto& node) { print(node); }, statement.node);
    }
  }

  void print(const loop::Let& let) {
    line("const {} {} = {};", values_.vector_type(let.dtype), let.name, values_.text(let));
  }

  void print(const loop::Accumulator& accumulator) {
    values_.declare(accumulator);
    const std::string type = values_.vector_type(accumulator.dtype);
    if (accumulator.copies == 1) {
      line("{} {} = {};", type, accumulator.name, accumulator.initial);
      return;
    }
    const std::vector<std::string> all(static_cast<std::size_t>(accumulator.copies), accumulator.initial);
    line("{} {}[{}] = {{{}}};", type, accumulator.name, accumulator.copies, fmt::join(all, ", "));
  }

  void print(const loop::Prefetch& prefetch) {
    if (!values_.partial()) {
      const std::string at = values_.address(prefetch.buffer, prefetch.at);
      line("__builtin_prefetch({}{});", at, prefetch.nearest ? "" : ", 0, 1");  // 0: to read; 1: far
    }
  }

  void print(const loop::Update& update) {
    const std::string target = values_.arg(update.accumulator);
    const std::string value = values_.text(update.value);
    if (values_.partial()) {
      line("{0} = keep_first({1}, n, {0});", target, value);
    } else {
      line("{} = {};", target, value);
    }
  }

  void print(const loop::Store& store) {
    const std::string at = values_.address(store.buffer, store.at);
    FORETELL_CHECK(store.at.lane_stride == 0 || store.at.lane_stride == 1);
    if (store.at.lane_stride == 0) {
      line("store_part({}, {}, 1);", at, store.value);
    } else if (values_.partial() && !values_.is_local(store.buffer)) {
      line("store_part({}, {}, n);", at, store.value);
    } else {
      line("{}({}, {});", store.stream ? "stream" : "store", at, store.value);
    }
  }

  void print(const loop::For& loop) {
    if (loop.kind == loop::For::Kind::Vector) {
      print_vector(loop);
      return;
    }
    const std::string first = loop.of_unit ? loop.index + "_first" : "0";
    const std::string last = loop.of_unit ? loop.index + "_last" : std::to_string(loop.extent);
    open("for (long {0} = {1}; {0} < {2}; ++{0})", loop.index, first, last);
    print(loop.body);
    close();
  }

  // Whole steps, then what is left: vector by vector, the last one in part.
  void print_vector(const loop::For& loop) {
    const std::int64_t lanes = kernel_.lanes;
    const std::int64_t step = lanes * loop.copies;
    const std::string first = loop.of_unit ? loop.index + "_first" : "0";
    const std::string last = loop.of_unit ? loop.index + "_last" : std::to_string(loop.extent);
    const std::int64_t block = loop.of_unit ? blocks_.at(loop.index).block : loop.extent;
    // Local buffers are whole vectors: what touches no others may run past the last element.
    const bool even =
        (loop.extent % step == 0 && block % step == 0) || (loop.copies == 1 && is_local(loop.body));
    const bool whole_vectors = loop.extent % lanes == 0 && block % lanes == 0;
    const bool some_whole = loop.of_unit || loop.extent >= step || even;
    if (some_whole) {
      const bool by_unit = loop.of_unit && !even;
      const std::string whole = loop.of_unit || even ? last : std::to_string(loop.extent / step * step);
      print_whole_steps(loop, first, by_unit ? fmt::format("{} - {}", last, step) : whole,
                        by_unit ? "<=" : "<", step);
    }
    if (even) {
      return;
    }
    const std::string rest = loop.of_unit ? fmt::format("{1} - ({1} - {0}) % {2}", first, last, step)
                                          : std::to_string(loop.extent / step * step);
    open("for (long {0} = {1}; {0} < {2}; {0} += {3})", loop.index, rest, last, lanes);
    if (!whole_vectors && loop.copies == 1) {
      line("const long n = {} - {};", last, loop.index);
    } else if (!whole_vectors) {
      line("const long n = {1} - {0} < {2} ? {1} - {0} : {2};", loop.index, last, lanes);
    }
    values_.set_loop(loop.copies, !whole_vectors, "0");
    print(loop.body);
    values_.set_loop(1, false, {});
    close();
  }

  // Whether the statements change local buffers only.
  bool is_local(const std::vector<loop::Statement>& statements) const {
    const Mentions mentions = find_mentions(statements);
    return !mentions.accumulates && std::ranges::all_of(mentions.buffers, [&](const std::string& name) {
      return values_.is_local(name);
    });
  }

  void print_whole_steps(const loop::For& loop, const std::string& first, const std::string& last,
                         std::string_view below, std::int64_t step) {
    if (loop.copies == 1) {
      open("for (long {0} = {1}; {0} {4} {2}; {0} += {3})", loop.index, first, last, step, below);
      values_.set_loop(1, false, {});
      print(loop.body);
      close();
      return;
    }
    open("for (long {0}_step = {1}; {0}_step {4} {2}; {0}_step += {3})", loop.index, first, last, step,
         below);
    text_ += fmt::format("#pragma GCC unroll {}\n", loop.copies);
    open("for (long copy = 0; copy < {}; ++copy)", loop.copies);
    line("const long {0} = {0}_step + copy * {1};", loop.index, kernel_.lanes);
    values_.set_loop(loop.copies, false, "copy");
    print(loop.body);
    values_.set_loop(1, false, {});
    close();
    close();
  }

  const loop::Kernel& kernel_;
  ValuePrinter values_;
  std::map<std::string, loop::UnitIndex> blocks_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

std::string stage_symbol(const loop::Kernel& kernel, std::size_t stage) {
  return kernel.stages.size() == 1 ? kernel.name : fmt::format("{}_{}", kernel.name, stage);
}

std::string print_cpp(const loop::Kernel& kernel) { return Printer(kernel).run(); }

}  // namespace foretell::codegen
