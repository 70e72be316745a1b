// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/print_cpp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fusion-engine/codegen/print_cpp_mentions.hpp"
#include "fusion-engine/codegen/print_cpp_stage.hpp"
#include "fusion-engine/codegen/print_cpp_text.hpp"
#include "fusion-engine/codegen/print_cpp_value.hpp"
#include "src/base/check.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;
using Statements = std::vector<loop::Statement>;

class Printer {
 public:
  explicit Printer(const loop::Kernel& kernel) : kernel_(kernel), values_(kernel) {}

  std::string run() {
    for (const std::string& text : kernel_.comment) {
      text_.line("// {}", text);
    }
    for (std::size_t i = 0; i < kernel_.stages.size(); ++i) {
      print_stage(i);
    }
    return text_.take();
  }

 private:
  void print_stage(std::size_t number) {
    stage_ = &kernel_.stages[number];
    Mentions mentions = find_mentions(stage_->prologue);
    find_mentions(stage_->body, mentions);
    if (number > 0) {
      text_.raw("");
    }
    if (stage_->body.empty()) {
      text_.line("extern \"C\" void {}(void* const*, long, long) {{}}", stage_symbol(kernel_, number));
      return;
    }
    text_.open("extern \"C\" void {}(void* const* buffers, long begin, long end)",
               stage_symbol(kernel_, number));
    declare_buffers(kernel_, mentions, text_);
    print(stage_->prologue);
    open_units(*stage_, mentions, text_);
    print_block(stage_->body);
    text_.close();
    if (mentions.streams) {
      text_.line("stream_fence();");
    }
    text_.close();
  }

  void print(const Statements& statements) {
    for (const loop::Statement& statement : statements) {
      std::visit([&](const auto& node) { print(node); }, statement.node);
    }
  }

  // The statements of a block that is open, with the sums that they share.
  void print_block(const Statements& statements) {
    for (const NamedSums::Name& sum : values_.sums().enter(statements, !values_.partial())) {
      text_.line("const long {} = {};", sum.name, sum.sum);
    }
    print(statements);
    values_.sums().leave();
  }

  void print(const loop::Let& let) {
    text_.line("const {} {} = {};", values_.vector_type(let.dtype), let.name, values_.text(let));
  }

  void print(const loop::Remark& remark) { text_.line("// {}", remark.text); }

  void print(const loop::Accumulator& accumulator) {
    values_.declare(accumulator);
    const std::string type = values_.vector_type(accumulator.dtype);
    if (accumulator.copies == 1) {
      text_.line("{} {} = {};", type, accumulator.name, accumulator.initial);
      return;
    }
    const std::vector<std::string> all(static_cast<std::size_t>(accumulator.copies), accumulator.initial);
    text_.line("{} {}[{}] = {{{}}};", type, accumulator.name, accumulator.copies, fmt::join(all, ", "));
  }

  void print(const loop::Prefetch& prefetch) {
    if (!values_.partial()) {
      const std::string at = values_.address(prefetch.buffer, prefetch.at);
      text_.line("__builtin_prefetch({}{});", at, prefetch.nearest ? "" : ", 0, 1");  // 0: to read; 1: far
    }
  }

  void print(const loop::Update& update) {
    const std::string target = values_.arg(update.accumulator);
    const auto& args = update.value.args;
    const std::string value = values_.text(update.value, values_.dtype(update.accumulator));
    if (values_.partial()) {
      text_.line("{0} = keep_first({1}, {2}, {0});", target, value, values_.count());
    } else if (update.value.op == ir::OpKind::Add && args[0] == update.accumulator) {
      text_.line("{} += {};", target, values_.arg(args[1]));
    } else {
      text_.line("{} = {};", target, value);
    }
  }

  void print(const loop::Store& store) {
    const std::string at = values_.address(store.buffer, store.at);
    FORETELL_CHECK(store.at.lane_stride == 0 || store.at.lane_stride == 1);
    if (store.at.lane_stride == 0) {
      text_.line("store_one({}, {});", at, store.value);
    } else if (values_.partial() && !values_.is_local(store.buffer)) {
      text_.line("store_part({}, {}, {});", at, store.value, values_.count());
    } else {
      text_.line("{}({}, {});", store.stream ? "stream" : "store", at, store.value);
    }
  }

  struct Range {
    std::string first;
    std::string last;
    std::int64_t block = 0;  // of one unit: at most so many
  };
  Range range_of(const loop::For& loop) const {
    if (!loop.of_unit) {
      return {.first = "0", .last = std::to_string(loop.extent), .block = loop.extent};
    }
    const auto unit = std::ranges::find(stage_->units, loop.index, &loop::UnitIndex::name);
    FORETELL_CHECK(unit != stage_->units.end());
    return {.first = loop.index + "_first", .last = loop.index + "_last", .block = unit->block};
  }

  // A loop of one step: a block in which the index has that value.
  void print_once(const loop::For& loop, const std::string& value) {
    text_.open("");
    if (find_mentions(loop.body).indices.contains(loop.index)) {
      text_.line("const long {} = {};", loop.index, value);
    }
    print_block(loop.body);
    text_.close();
  }

  void print(const loop::For& loop) {
    if (!loop.of_unit && loop.extent == 0) {
      return;  // the blocks of loops of one step would take that step
    }
    if (loop.kind == loop::For::Kind::Vector) {
      print_vector(loop);
      return;
    }
    const Range range = range_of(loop);
    if (!loop.of_unit && loop.extent == 1) {
      print_once(loop, range.first);
      return;
    }
    text_.open("for (long {0} = {1}; {0} < {2}; ++{0})", loop.index, range.first, range.last);
    print_block(loop.body);
    text_.close();
  }

  // Whole steps, then what is left: vector by vector, the last one in part.
  void print_vector(const loop::For& loop) {
    const std::int64_t step = std::int64_t{kernel_.lanes} * loop.copies;
    const Range range = range_of(loop);
    // Local buffers are whole vectors: what touches no others may run past the last element.
    const bool even =
        (loop.extent % step == 0 && range.block % step == 0) || (loop.copies == 1 && is_local(loop.body));
    if (loop.of_unit || loop.extent >= step || even) {
      print_whole_steps(loop, range, even);
    }
    if (!even && loop.of_unit) {
      print_rest_of_unit(loop, range);
    } else if (!even) {
      print_rest(loop);
    }
    values_.set_loop({}, {});
  }

  // Whether the statements change local buffers only.
  bool is_local(const Statements& statements) const {
    const Mentions mentions = find_mentions(statements);
    return !mentions.accumulates && std::ranges::all_of(mentions.buffers, [&](const std::string& name) {
      return values_.is_local(name);
    });
  }

  void print_whole_steps(const loop::For& loop, const Range& range, bool even) {
    const std::int64_t step = std::int64_t{kernel_.lanes} * loop.copies;
    const std::string index = loop.copies == 1 ? loop.index : loop.index + "_step";
    std::string condition = fmt::format("{} < {}", index, range.last);
    if (!even && loop.of_unit) {
      condition = fmt::format("{} <= {} - {}", index, range.last, step);
    } else if (!even) {
      condition = fmt::format("{} < {}", index, loop.extent / step * step);
    }
    const bool once = !loop.of_unit && (even ? loop.extent <= step : loop.extent < 2 * step);
    if (loop.copies == 1 && once) {
      print_once(loop, range.first);
      return;
    }
    if (!once) {
      text_.open("for (long {} = {}; {}; {} += {})", index, range.first, condition, index, step);
    }
    if (loop.copies == 1) {
      print_block(loop.body);
    } else {
      print_copies(loop, once ? "" : index + " + ");
    }
    if (!once) {
      text_.close();
    }
  }

  void print_copies(const loop::For& loop, const std::string& from) {
    text_.raw(fmt::format("#pragma GCC unroll {}", loop.copies));
    text_.open("for (long copy = 0; copy < {}; ++copy)", loop.copies);
    text_.line("const long {} = {}copy * {};", loop.index, from, kernel_.lanes);
    values_.set_loop("copy", {});
    print_block(loop.body);
    text_.close();
  }

  // Known here: fewer than one step.
  void print_rest(const loop::For& loop) {
    const std::int64_t lanes = kernel_.lanes;
    const std::int64_t step = lanes * loop.copies;
    const std::int64_t first = loop.extent / step * step;
    const std::int64_t count = loop.extent - first;
    if (count <= lanes) {
      values_.set_loop("0", count == lanes ? std::string() : std::to_string(count));
      print_once(loop, std::to_string(first));
      return;
    }
    print_rest_loop(loop, std::to_string(first), std::to_string(loop.extent), count % lanes == 0);
  }

  void print_rest_of_unit(const loop::For& loop, const Range& range) {
    const std::int64_t lanes = kernel_.lanes;
    const std::int64_t step = lanes * loop.copies;
    if (loop.copies == 1) {
      text_.open("if (const long n = ({} - {}) % {}; n > 0)", range.last, range.first, lanes);
      text_.line("const long {} = {} - n;", loop.index, range.last);
      values_.set_loop("0", "n");
      print_block(loop.body);
      text_.close();
      return;
    }
    const std::string first = fmt::format("{1} - ({1} - {0}) % {2}", range.first, range.last, step);
    print_rest_loop(loop, first, range.last, loop.extent % lanes == 0 && range.block % lanes == 0);
  }

  void print_rest_loop(const loop::For& loop, const std::string& first, const std::string& last,
                       bool whole_vectors) {
    const int lanes = kernel_.lanes;
    text_.open("for (long {0} = {1}; {0} < {2}; {0} += {3})", loop.index, first, last, lanes);
    if (!whole_vectors) {
      text_.line("const long n = {1} - {0} < {2} ? {1} - {0} : {2};", loop.index, last, lanes);
    }
    values_.set_loop("0", whole_vectors ? "" : "n");
    print_block(loop.body);
    text_.close();
  }

  const loop::Kernel& kernel_;
  const loop::Stage* stage_ = nullptr;  // at hand
  ValuePrinter values_;
  CppText text_;
};

}  // namespace

std::string stage_symbol(const loop::Kernel& kernel, std::size_t stage) {
  return kernel.stages.size() == 1 ? kernel.name : fmt::format("{}_{}", kernel.name, stage);
}

std::string print_cpp(const loop::Kernel& kernel) { return Printer(kernel).run(); }

}  // namespace foretell::codegen
