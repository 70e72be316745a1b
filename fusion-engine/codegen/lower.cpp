// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/lower.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fusion-engine/codegen/lower_emitter.hpp"
#include "fusion-engine/codegen/lower_reduction.hpp"

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;

// Elements of a unit of pointwise work: 32 KiB of f32. Large against the cost of a call and of a partial last
// vector, small enough that a team shares a tensor of a megabyte.
constexpr std::int64_t kPointwiseElements = 8192;

// Ahead of loads that miss all caches: the hardware's prefetchers stop at the end of a page, this reaches
// into the next one. Measured on chains over 512 MiB: 5 to 10 % more bandwidth; half and twice as much do
// about the same.
constexpr std::int64_t kPrefetchBytes = 4096;

// Pointwise: the lanes walk the last dimension, in blocks; short rows come several to a unit.
class Pointwise {
 public:
  Pointwise(Emitter& emitter, loop::Kernel& kernel)
      : emitter_(emitter), kernel_(kernel), dims_(emitter.nest().dims) {}

  void run() {
    const std::size_t last = dims_.size() - 1;
    loop::Stage stage;
    const std::int64_t block = std::min(kPointwiseElements, dims_[last].extent);
    const std::int64_t rows = last == 0 ? 1 : std::min(dims_[last - 1].extent, kPointwiseElements / block);
    std::vector<std::size_t> of_unit;
    for (std::size_t dim = 0; dim < last; ++dim) {
      const std::int64_t taken = dim + 1 == last ? rows : 1;
      if (taken < dims_[dim].extent) {
        stage.units.push_back({.name = dims_[dim].name, .extent = dims_[dim].extent, .block = taken});
      }
      if (taken == 1) {
        of_unit.push_back(dim);
      }
    }
    const bool cut = block < dims_[last].extent;
    if (cut) {
      stage.units.push_back({.name = dims_[last].name, .extent = dims_[last].extent, .block = block});
    }
    emitter_.open({});
    emitter_.open(of_unit);
    if (rows > 1) {
      emitter_.open({last - 1});
    }
    emitter_.open({last});
    emitter_.prefetch_ahead(kPrefetchBytes);
    for (const ir::NodeId output : emitter_.group().outputs) {
      emitter_.store_output(output);
    }
    emitter_.append_loop(dims_[last], cut, loop::For::Kind::Vector, 1);
    if (rows > 1) {
      emitter_.append_loop(dims_[last - 1], rows < dims_[last - 1].extent, loop::For::Kind::Serial, 1);
    }
    stage.body = emitter_.close();
    stage.prologue = emitter_.close();
    kernel_.stages.push_back(std::move(stage));
  }

 private:
  Emitter& emitter_;
  loop::Kernel& kernel_;
  const std::vector<NestDim>& dims_;
};

// An extent of 0 among the dimensions that outputs have.
bool writes_nothing(const Nest& nest) {
  for (std::size_t dim = 0; dim < nest.dims.size(); ++dim) {
    const bool reduced = dim >= nest.outer && dim < nest.outer + nest.reduced;
    if (!reduced && nest.dims[dim].extent == 0) {
      return true;
    }
  }
  return false;
}

std::string describe_operand(const ir::Graph& graph, const loop::Buffer& buffer, ir::NodeId value) {
  return fmt::format("{}: {}", buffer.name, ir::to_string(graph.type(value)));
}

std::string describe_units(const loop::Stage& stage) {
  if (stage.units.empty()) {
    return "one unit";
  }
  std::string text = fmt::format("{} units: ", loop::units(stage));
  for (std::size_t i = 0; i < stage.units.size(); ++i) {
    const loop::UnitIndex& unit = stage.units[i];
    text += fmt::format("{}{} < {}", i == 0 ? "" : ", ", unit.name, unit.extent);
    text += unit.block > 1 ? fmt::format(" by {}", unit.block) : "";
  }
  return text;
}

void write_comment(const ir::Graph& graph, const passes::FusionGroup& group,
                   const ReductionSchedule& schedule, loop::Kernel& kernel) {
  std::string ops;
  for (const ir::NodeId id : group.nodes) {
    ops += fmt::format("{}{}", ops.empty() ? "" : ", ", ir::to_string(graph.node(id).op));
  }
  kernel.comment.push_back(fmt::format("foretell kernel, interface {}: {}", kKernelInterface, ops));
  std::string operands;
  for (std::size_t i = 0; i < group.inputs.size() + group.outputs.size(); ++i) {
    const bool input = i < group.inputs.size();
    const ir::NodeId value = input ? group.inputs[i].value : group.outputs[i - group.inputs.size()];
    operands +=
        fmt::format("{}{}", operands.empty() ? "" : ", ", describe_operand(graph, kernel.buffers[i], value));
  }
  kernel.comment.push_back(operands);
  const std::string all = fmt::format("{}, {} lanes", schedule.all, kernel.lanes);
  if (kernel.stages.size() == 1) {
    kernel.comment.push_back(fmt::format("{}; {}", all, describe_units(kernel.stages[0])));
    return;
  }
  kernel.comment.push_back(all);
  for (std::size_t i = 0; i < kernel.stages.size(); ++i) {
    kernel.comment.push_back(
        fmt::format("stage {}, {}; {}", i, describe_units(kernel.stages[i]), schedule.stages[i]));
  }
}

}  // namespace

loop::Kernel lower(const ir::Graph& graph, const passes::FusionGroup& group, std::string_view name,
                   const CodegenOptions& options) {
  const Nest nest = build_nest(graph, group);
  Emitter emitter(graph, group, nest, options);
  loop::Kernel kernel{
      .name = std::string(name), .comment = {}, .lanes = emitter.lanes(), .buffers = {}, .stages = {}};
  ReductionSchedule schedule{.all = "nothing to do", .stages = {}};
  if (writes_nothing(nest)) {
    kernel.stages.push_back({.units = {{.name = "i0", .extent = 0, .block = 1}}, .prologue = {}, .body = {}});
  } else if (nest.reduced == 0) {
    Pointwise(emitter, kernel).run();
    schedule.all = "pointwise";
  } else {
    schedule = lower_reduction(emitter, kernel);
  }
  kernel.buffers = emitter.buffers();
  write_comment(graph, group, schedule, kernel);
  return kernel;
}

}  // namespace foretell::codegen
