// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/program_executor.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/copy_command.hpp"
#include "fusion-engine/runtime/cpu/dispatcher.hpp"
#include "fusion-engine/runtime/cpu/kernel_command.hpp"
#include "fusion-engine/runtime/cpu/op_stamps.hpp"
#include "fusion-engine/runtime/cpu/program_memory.hpp"
#include "fusion-engine/runtime/cpu/program_steps.hpp"
#include "fusion-engine/runtime/cpu/stand_in_allocators.hpp"

namespace foretell::runtime::cpu {
namespace {

class ProgramExecutor final : public Executor {
 public:
  ProgramExecutor(const Program& program, const ExecutionForm& form,
                  std::shared_ptr<const codegen::KernelLibrary> library, CpuDevice& device, InputSet& inputs)
      : program_(program),
        form_(form),
        library_(std::move(library)),
        device_(device),
        inputs_(inputs),
        dispatcher_(device, program.graph),
        plan_(resolve_steps(program)),
        order_(plan_.steps.size()),
        memory_(plan_.slot_bytes.size()),
        owned_(plan_.slot_bytes.size(), false) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
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
    for (const ProgramStep& step : plan_.steps) {
      commands_.push_back(command_of(step));
    }
  }

  ~ProgramExecutor() override {
    device_.stream->synchronize();
    if (!form_.recorded) {
      release_results();
    }
    if (arena_ != nullptr) {
      device_.allocator->release(arena_, arena_bytes());
    }
  }

  // What is done once.
  Result<void> prepare() {
    if (form_.planned) {
      FORETELL_RETURN_IF_ERROR(measure_scratch());
      place();
    }
    return form_.recorded ? record() : Result<void>{};
  }

  std::string_view name() const override { return form_.name; }

  void reset() override { inputs_.restore_state(); }

  Result<void> step() override {
    if (form_.recorded) {
      device_.stream->replay(*recording_);
      return {};
    }
    return enqueue(nullptr);
  }

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

  const MemoryLayout* memory() const override { return layout_ ? &*layout_ : nullptr; }

  Result<std::vector<OpTime>> time_ops() override {
    if (form_.recorded) {
      return time_replayed_ops();
    }
    OpStamps stamps(*device_.stream, plan_.steps.size() + 1);
    const Result<void> enqueued = enqueue(&stamps);
    FORETELL_RETURN_IF_ERROR(synchronize());  // whatever came of it: the stream writes into the stamps
    FORETELL_RETURN_IF_ERROR(enqueued);
    return stamps.times();
  }

 private:
  // Where a step's scratch memory is in the arena.
  struct Scratch {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
  };

  KernelCommand command_of(const ProgramStep& step) const {
    std::vector<StageCall> stages;
    if (step.is_kernel()) {
      for (const codegen::KernelStage& stage : program_.kernels[step.planned.group].stages) {
        const codegen::KernelEntry entry = library_->find(stage.symbol);
        FORETELL_CHECK(entry != nullptr);
        stages.push_back({.entry = entry, .units = stage.units});
      }
    }
    return KernelCommand(std::move(stages),
                         step.reads.size() + step.results.size() + (step.scratch_bytes > 0 ? 1 : 0));
  }

  // Scratch memory of ops is known when they have been dispatched: so they are, to a recording that nobody
  // replays.
  Result<void> measure_scratch() {
    auto meter = std::make_unique<ScratchAllocator>();
    ScratchAllocator* const measured = meter.get();
    std::unique_ptr<Allocator> stand_in = std::move(meter);
    slots_ = make_caching_allocator();
    const AllocatorScope scope(device_, stand_in);
    Recording discarded;
    device_.stream->begin_recording(discarded);
    scratch_.assign(plan_.steps.size(), {});
    failed_ = true;
    Result<void> dispatched;
    for (std::size_t i = 0; i < plan_.steps.size() && dispatched; ++i) {
      measured->place(nullptr, 0);
      dispatched = launch(i);
      scratch_[i].bytes = measured->used_bytes();
    }
    device_.stream->end_recording();
    release_results();
    failed_ = false;
    slots_.reset();
    return dispatched;
  }

  std::size_t arena_bytes() const { return static_cast<std::size_t>(layout_->plan.arena_bytes); }

  void place() {
    std::vector<std::int64_t> scratch_bytes;
    std::ranges::transform(scratch_, std::back_inserter(scratch_bytes), &Scratch::bytes);
    const ProgramMemory memory = program_memory(program_, plan_, scratch_bytes);
    layout_ = plan_layout(memory, plan_);
    const passes::MemoryPlan& planned = layout_->plan;
    arena_ = device_.allocator->allocate(arena_bytes());
    for (std::size_t buffer = 0; buffer < memory.slots.size(); ++buffer) {
      memory_[memory.slots[buffer]] = arena_ + planned.offsets[buffer];
    }
    order_.assign(planned.order.begin(), planned.order.end());
    std::erase(order_, plan_.steps.size());  // the copies
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      scratch_[i].offset = planned.scratch_offsets[i];
      plan_.steps[i].allocates.clear();
      plan_.steps[i].releases.clear();
    }
    for (FinalCopy& copy : plan_.copies) {
      copy.allocates = false;
    }
    plan_.kept.clear();
    auto scratch = std::make_unique<ScratchAllocator>();
    placed_scratch_ = scratch.get();
    stand_in_ = std::move(scratch);
  }

  Result<void> record() { return record(nullptr); }

  // Memory of a recording is its own: of a pool if not of the arena.
  Result<void> record(std::optional<OpStamps>* stamps) {
    if (!stand_in_) {
      stand_in_ = make_caching_allocator();
    }
    recording_ = std::make_unique<Recording>();
    device_.stream->begin_recording(*recording_);
    if (stamps != nullptr) {
      stamps->emplace(*device_.stream, plan_.steps.size() + 1);
    }
    const Result<void> enqueued = enqueue(stamps == nullptr ? nullptr : &**stamps);
    device_.stream->end_recording();
    counters_.dispatches = counters_.launches = static_cast<std::int64_t>(recording_->segments().size());
    counters_.replayed = static_cast<std::int64_t>(recording_->commands());
    counters_.allocations = counters_.system_allocations = 0;
    return enqueued;
  }

  // The recording with stamps is another one; host times are those of recording, which no step pays.
  Result<std::vector<OpTime>> time_replayed_ops() {
    std::optional<OpStamps> stamps;
    FORETELL_RETURN_IF_ERROR(synchronize());
    FORETELL_RETURN_IF_ERROR(record(&stamps));
    FORETELL_RETURN_IF_ERROR(step());
    const Result<void> done = synchronize();
    std::vector<OpTime> times = stamps->times();
    std::ranges::for_each(times, [](OpTime& time) { time.host_ns = 0; });
    FORETELL_RETURN_IF_ERROR(record());
    FORETELL_RETURN_IF_ERROR(done);
    return times;
  }

  Allocator& slot_allocator() { return slots_ ? *slots_ : *device_.allocator; }

  void allocate(std::size_t slot) {
    memory_[slot] = slot_allocator().allocate(plan_.slot_bytes[slot]);
    owned_[slot] = true;
  }

  void release(std::size_t slot) {
    if (owned_[slot]) {
      slot_allocator().release(memory_[slot], plan_.slot_bytes[slot]);
      memory_[slot] = nullptr;
      owned_[slot] = false;
    }
  }

  // All that is owned: what outputs show, and after a step that failed half way anything.
  void release_results() {
    for (const std::size_t slot : plan_.kept) {
      release(slot);
    }
    for (std::size_t slot = 0; failed_ && slot < memory_.size(); ++slot) {
      release(slot);
    }
  }

  Tensor tensor(const Reading& reading) const {
    Tensor result = reading.layout;
    result.data = memory_[reading.slot] + reading.offset_bytes;
    return result;
  }

  void launch_kernel(const ProgramStep& step, KernelCommand& command) {
    const std::span<void*> buffers = command.buffers();
    auto buffer = buffers.begin();
    for (const std::vector<std::size_t>* const slots : {&step.reads, &step.results}) {
      for (const std::size_t slot : *slots) {
        *buffer++ = memory_[slot];
      }
    }
    std::byte* scratch = nullptr;
    if (step.scratch_bytes > 0) {
      scratch = device_.allocator->allocate(step.scratch_bytes);
      *buffer = scratch;
    }
    command.launch(*device_.stream);
    if (scratch != nullptr) {
      device_.allocator->release(scratch, step.scratch_bytes);
    }
    count(step.bytes_read, step.bytes_written);
  }

  Result<void> dispatch_op(const ProgramStep& step) {
    operands_.clear();
    for (const Reading& operand : step.operands) {
      operands_.push_back(tensor(operand));
    }
    FORETELL_RETURN_IF_ERROR(
        dispatcher_.dispatch(step.planned.node, operands_, memory_[step.results.front()]));
    return {};
  }

  Result<void> launch(std::size_t index) {
    const ProgramStep& step = plan_.steps[index];
    for (const std::size_t slot : step.allocates) {
      allocate(slot);
    }
    if (step.is_kernel()) {
      launch_kernel(step, commands_[index]);
    } else {
      FORETELL_RETURN_IF_ERROR(dispatch_op(step));
    }
    // Memory is released as soon as its last reader is enqueued: whoever gets it next is enqueued later.
    for (const std::size_t slot : step.releases) {
      release(slot);
    }
    return {};
  }

  void copy_to_states() {
    for (const FinalCopy& copy : plan_.copies) {
      if (copy.allocates) {
        allocate(copy.to);
      }
      const Tensor from = tensor(copy.from);
      launch_copy(device_, from, memory_[copy.to], device_.streams(from.size_bytes()));
      count(bytes_read(from), from.size_bytes());
    }
  }

  void count(std::int64_t bytes_read, std::int64_t bytes_written) {
    StepCounters& counters = dispatcher_.counters();
    ++counters.dispatches;
    ++counters.launches;
    counters.bytes_read += bytes_read;
    counters.bytes_written += bytes_written;
  }

  Result<void> enqueue(OpStamps* stamps) {
    std::optional<AllocatorScope> scope;
    if (stand_in_) {
      scope.emplace(device_, stand_in_);
    }
    release_results();
    failed_ = true;
    StepCounters& counters = dispatcher_.counters();
    counters = {};
    const AllocatorCounters before = device_.allocator->counters();
    for (const std::size_t i : order_) {
      if (placed_scratch_ != nullptr) {
        placed_scratch_->place(arena_ + scratch_[i].offset, scratch_[i].bytes);
      }
      if (stamps != nullptr) {
        stamps->begin(counters);
      }
      FORETELL_RETURN_IF_ERROR(launch(i));
      if (stamps != nullptr) {
        stamps->end(plan_.steps[i].planned.node, plan_.steps[i].name, counters);
      }
    }
    if (placed_scratch_ != nullptr) {
      placed_scratch_->place(arena_, 0);  // copies need none
    }
    if (stamps != nullptr) {
      stamps->begin(counters);
    }
    copy_to_states();
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

  const Program& program_;
  const ExecutionForm form_;
  std::shared_ptr<const codegen::KernelLibrary> library_;
  CpuDevice& device_;
  InputSet& inputs_;
  Dispatcher dispatcher_;
  ProgramSteps plan_;
  std::vector<std::size_t> order_;  // of steps
  std::vector<std::byte*> memory_;  // by slot
  std::vector<bool> owned_;         // by slot: from the allocator, still to be released
  std::vector<std::vector<std::byte>> constants_;
  std::vector<KernelCommand> commands_;  // by step; empty for ops
  std::vector<Tensor> operands_;         // of the op at hand
  std::unique_ptr<Allocator> slots_;     // while scratch memory is measured: where results come from
  std::unique_ptr<Allocator> stand_in_;  // the device's while commands are enqueued; null: its own
  std::unique_ptr<Recording> recording_;
  std::optional<MemoryLayout> layout_;
  std::byte* arena_ = nullptr;
  std::vector<Scratch> scratch_;                // by step, of planned memory
  ScratchAllocator* placed_scratch_ = nullptr;  // the stand-in, of planned memory
  StepCounters counters_;
  bool failed_ = false;  // the last step stopped half way: anything may be owned
};

Result<void> check_inputs(const Program& program, const InputSet& inputs) {
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

Result<std::unique_ptr<Executor>> make_program_executor(const Program& program, const ExecutionForm& form,
                                                        std::shared_ptr<const codegen::KernelLibrary> library,
                                                        CpuDevice& device, InputSet& inputs) {
  FORETELL_RETURN_IF_ERROR(check_inputs(program, inputs));
  auto executor = std::make_unique<ProgramExecutor>(program, form, std::move(library), device, inputs);
  FORETELL_RETURN_IF_ERROR(executor->prepare());
  return executor;
}

}  // namespace foretell::runtime::cpu
