// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/fused_executor.hpp"

#include <utility>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/copy_command.hpp"
#include "fusion-engine/runtime/cpu/dispatcher.hpp"
#include "fusion-engine/runtime/cpu/fused_kernels.hpp"
#include "fusion-engine/runtime/cpu/fused_steps.hpp"
#include "fusion-engine/runtime/cpu/kernel_command.hpp"
#include "fusion-engine/runtime/cpu/op_stamps.hpp"

namespace foretell::runtime::cpu {
namespace {

class FusedExecutor final : public Executor {
 public:
  // The library is owned by all executors whose kernels it holds.
  FusedExecutor(const FusedProgram& program, std::shared_ptr<const codegen::KernelLibrary> library,
                CpuDevice& device, InputSet& inputs)
      : program_(program),
        library_(std::move(library)),
        device_(device),
        inputs_(inputs),
        dispatcher_(device, program.graph),
        plan_(resolve_steps(program)),
        memory_(plan_.slot_bytes.size()),
        owned_(plan_.slot_bytes.size(), false) {
    const ir::Graph& graph = program.graph;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
      memory_[ir::index(graph.inputs()[i])] = inputs.tensor(i).data;
    }
    for (const auto& [slot, state] : plan_.aliases) {
      memory_[slot] = memory_[state];
    }
    for (const ir::NodeId id : plan_.constants) {
      ir::HostTensor value = ir::make_tensor(graph.type(id));
      ir::set(value, 0, graph.node(id).attributes.real(ir::AttrKey::Value));
      constants_.push_back(std::move(value.bytes));
      memory_[ir::index(id)] = constants_.back().data();
    }
    for (const FusedStep& step : plan_.steps) {
      commands_.push_back(command_of(step));
    }
  }

  ~FusedExecutor() override {
    device_.stream->synchronize();
    release_results();
  }

  std::string_view name() const override { return "fused"; }

  void reset() override { inputs_.restore_state(); }
  Result<void> step() override { return enqueue(nullptr); }

  Result<void> synchronize() override {
    device_.stream->synchronize();
    return dispatcher_.take_error();
  }

  ir::HostTensor output(std::size_t index) const override {
    const Reading& reading = plan_.outputs[index];
    FORETELL_CHECK(memory_[reading.slot] != nullptr);  // there was a step
    return copy_to_host(tensor(reading));
  }

  StepCounters counters() const override { return counters_; }

  Result<std::vector<OpTime>> time_ops() override {
    OpStamps stamps(*device_.stream, plan_.steps.size() + 1);
    const Result<void> enqueued = enqueue(&stamps);
    FORETELL_RETURN_IF_ERROR(synchronize());  // whatever came of it: the stream writes into the stamps
    FORETELL_RETURN_IF_ERROR(enqueued);
    return stamps.times();
  }

 private:
  KernelCommand command_of(const FusedStep& step) const {
    std::vector<StageCall> stages;
    if (step.is_kernel) {
      for (const codegen::KernelStage& stage : program_.kernels[step.group].stages) {
        const codegen::KernelEntry entry = library_->find(stage.symbol);
        FORETELL_CHECK(entry != nullptr);
        stages.push_back({.entry = entry, .units = stage.units});
      }
    }
    return KernelCommand(std::move(stages), step.buffers.size() + (step.scratch_bytes > 0 ? 1 : 0));
  }

  void allocate(std::size_t slot) {
    memory_[slot] = device_.allocator->allocate(plan_.slot_bytes[slot]);
    owned_[slot] = true;
  }

  void release(std::size_t slot) {
    if (owned_[slot]) {
      device_.allocator->release(memory_[slot], plan_.slot_bytes[slot]);
      memory_[slot] = nullptr;
      owned_[slot] = false;
    }
  }

  void release_results() {
    if (!failed_) {
      for (const std::size_t slot : plan_.kept) {
        release(slot);
      }
      return;
    }
    for (std::size_t slot = 0; slot < memory_.size(); ++slot) {
      release(slot);
    }
  }

  Tensor tensor(const Reading& reading) const {
    Tensor result = reading.layout;
    result.data = memory_[reading.slot] + reading.offset_bytes;
    return result;
  }

  void launch_kernel(const FusedStep& step, KernelCommand& command) {
    for (const std::size_t slot : step.allocates) {
      allocate(slot);
    }
    const std::span<void*> buffers = command.buffers();
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
      buffers[i] = memory_[step.buffers[i]];
    }
    std::byte* scratch = nullptr;
    if (step.scratch_bytes > 0) {
      scratch = device_.allocator->allocate(step.scratch_bytes);
      buffers[step.buffers.size()] = scratch;
    }
    command.launch(*device_.stream);
    if (scratch != nullptr) {
      device_.allocator->release(scratch, step.scratch_bytes);
    }
    count(step.bytes_read, step.bytes_written);
  }

  Result<void> dispatch_op(const FusedStep& step) {
    operands_.clear();
    for (const Reading& operand : step.operands) {
      operands_.push_back(tensor(operand));
    }
    FORETELL_ASSIGN_OR_RETURN(const Dispatcher::Dispatched result,
                              dispatcher_.dispatch(step.node, operands_));
    // The plan has no op step for what is only another reading of its operand.
    FORETELL_CHECK(result.owned);
    const std::size_t slot = ir::index(step.node);
    memory_[slot] = result.tensor.data;
    owned_[slot] = true;
    return {};
  }

  void copy(const FinalCopy& final_copy) {
    if (final_copy.allocates) {
      allocate(final_copy.to);
    }
    const Tensor from = tensor(final_copy.from);
    launch_copy(device_, from, memory_[final_copy.to], device_.streams(from.size_bytes()));
    count(bytes_read(from), from.size_bytes());
  }

  void count(std::int64_t bytes_read, std::int64_t bytes_written) {
    StepCounters& counters = dispatcher_.counters();
    ++counters.dispatches;
    ++counters.launches;
    counters.bytes_read += bytes_read;
    counters.bytes_written += bytes_written;
  }

  // Memory is released as soon as its last reader is enqueued: whoever gets it next is enqueued later.
  Result<void> enqueue(OpStamps* stamps) {
    release_results();
    failed_ = true;
    StepCounters& counters = dispatcher_.counters();
    counters = {};
    const AllocatorCounters before = device_.allocator->counters();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const FusedStep& step = plan_.steps[i];
      if (stamps != nullptr) {
        stamps->begin(counters);
      }
      if (step.is_kernel) {
        launch_kernel(step, commands_[i]);
      } else {
        FORETELL_RETURN_IF_ERROR(dispatch_op(step));
      }
      for (const std::size_t slot : step.releases) {
        release(slot);
      }
      if (stamps != nullptr) {
        stamps->end(step.node, step.name, counters);
      }
    }
    if (stamps != nullptr) {
      stamps->begin(counters);
    }
    for (const FinalCopy& final_copy : plan_.copies) {
      copy(final_copy);
    }
    if (stamps != nullptr && !plan_.copies.empty()) {
      stamps->end(program_.graph.outputs().back().node, "state copies", counters);
    }
    const AllocatorCounters after = device_.allocator->counters();
    counters_ = counters;
    counters_.allocations = after.allocations - before.allocations;
    counters_.system_allocations = after.system_allocations - before.system_allocations;
    failed_ = false;
    return {};
  }

  const FusedProgram& program_;
  std::shared_ptr<const codegen::KernelLibrary> library_;
  CpuDevice& device_;
  InputSet& inputs_;
  Dispatcher dispatcher_;
  FusedSteps plan_;
  std::vector<std::byte*> memory_;  // by slot
  std::vector<bool> owned_;         // by slot: from the allocator, still to be released
  std::vector<std::vector<std::byte>> constants_;
  std::vector<KernelCommand> commands_;  // by step; empty for ops
  std::vector<Tensor> operands_;         // of the op at hand
  StepCounters counters_;
  bool failed_ = false;  // the last step stopped half way: anything may be owned
};

Result<void> check_inputs(const FusedProgram& program, const InputSet& inputs) {
  const ir::Graph& graph = program.graph;
  bool same = inputs.size() == graph.inputs().size();
  for (std::size_t i = 0; same && i < inputs.size(); ++i) {
    const Tensor& tensor = inputs.tensor(i);
    same = graph.type(graph.inputs()[i]) == ir::Type{.dtype = tensor.dtype, .shape = tensor.shape};
  }
  if (!same) {
    return fail(ErrorCode::BadInput, graph.name(), "the inputs belong to another graph");
  }
  return {};
}

}  // namespace

Result<std::vector<std::unique_ptr<Executor>>> make_fused_executors(std::span<FusedProgram* const> programs,
                                                                    const codegen::Compiler& compiler,
                                                                    const codegen::CacheOptions& cache,
                                                                    CpuDevice& device,
                                                                    std::span<InputSet* const> inputs) {
  FORETELL_CHECK(programs.size() == inputs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    FORETELL_RETURN_IF_ERROR(check_inputs(*programs[i], *inputs[i]));
  }
  FORETELL_ASSIGN_OR_RETURN(const auto library, load_fused_kernels(programs, compiler, cache, device));
  std::vector<std::unique_ptr<Executor>> executors;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (library) {
      programs[i]->report.library = library->stats();
    }
    executors.push_back(std::make_unique<FusedExecutor>(*programs[i], library, device, *inputs[i]));
  }
  return executors;
}

Result<std::unique_ptr<Executor>> make_fused_executor(FusedProgram& program,
                                                      const codegen::Compiler& compiler,
                                                      const codegen::CacheOptions& cache, CpuDevice& device,
                                                      InputSet& inputs) {
  FusedProgram* const programs[]{&program};
  InputSet* const input_sets[]{&inputs};
  FORETELL_ASSIGN_OR_RETURN(auto executors,
                            make_fused_executors(programs, compiler, cache, device, input_sets));
  return std::move(executors[0]);
}

}  // namespace foretell::runtime::cpu
