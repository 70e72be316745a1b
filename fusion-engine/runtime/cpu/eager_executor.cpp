// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/runtime/cpu/eager_executor.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/runtime/cpu/bytes_read.hpp"
#include "fusion-engine/runtime/cpu/copy_command.hpp"
#include "fusion-engine/runtime/cpu/dispatcher.hpp"
#include "fusion-engine/runtime/cpu/eager_schedule.hpp"
#include "fusion-engine/runtime/cpu/op_stamps.hpp"

namespace foretell::runtime::cpu {
namespace {

class EagerExecutor final : public Executor {
 public:
  EagerExecutor(const ir::Graph& graph, CpuDevice& device, InputSet& inputs)
      : device_(device),
        inputs_(inputs),
        schedule_(make_eager_schedule(graph)),
        dispatcher_(device, graph),
        values_(graph.size()),
        owned_(graph.size(), 0),
        shown_(schedule_.outputs.size()) {
    FORETELL_CHECK(inputs.size() == graph.inputs().size());
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
      values_[ir::index(graph.inputs()[i])] = inputs.tensor(i);
    }
    for (const std::size_t id : schedule_.constants) {
      const auto made = dispatcher_.dispatch(static_cast<ir::NodeId>(id), {});
      FORETELL_CHECK(made.has_value());
      values_[id] = made->tensor;
    }
  }

  ~EagerExecutor() override {
    device_.stream->synchronize();
    release_all();
    for (const std::size_t id : schedule_.constants) {
      device_.allocator->release(values_[id].data, bytes_of(values_[id]));
    }
  }

  std::string_view name() const override { return "eager"; }
  void reset() override { inputs_.restore_state(); }
  Result<void> step() override { return enqueue(nullptr); }

  Result<void> synchronize() override {
    device_.stream->synchronize();
    return dispatcher_.take_error();
  }

  ir::HostTensor output(std::size_t index) const override {
    FORETELL_CHECK(shown_[index].data != nullptr);  // there was a step
    return copy_to_host(shown_[index]);
  }
  StepCounters counters() const override { return counters_; }

  Result<std::vector<OpTime>> time_ops() override {
    OpStamps stamps(*device_.stream, schedule_.ops.size() + 1);
    const Result<void> enqueued = enqueue(&stamps);
    FORETELL_RETURN_IF_ERROR(synchronize());  // whatever came of it: the stream writes into the stamps
    FORETELL_RETURN_IF_ERROR(enqueued);
    return stamps.times();
  }

 private:
  Result<void> enqueue(OpStamps* stamps) {
    StepCounters& counters = dispatcher_.counters();
    counters = {};
    const AllocatorCounters before = device_.allocator->counters();
    release_results();
    for (const EagerOp& op : schedule_.ops) {
      if (stamps != nullptr) {
        stamps->begin(counters);
      }
      FORETELL_RETURN_IF_ERROR(run(op));
      if (stamps != nullptr) {
        stamps->end(static_cast<ir::NodeId>(op.id), std::string(ir::to_string(op.node->op)), counters);
      }
    }
    if (stamps != nullptr) {
      stamps->begin(counters);
    }
    const std::int64_t launches = counters.launches;
    update_states();
    if (stamps != nullptr && counters.launches > launches) {
      stamps->end(static_cast<ir::NodeId>(schedule_.outputs.back().id), "state copies", counters);
    }
    counters_ = counters;
    const AllocatorCounters after = device_.allocator->counters();
    counters_.allocations = after.allocations - before.allocations;
    counters_.system_allocations = after.system_allocations - before.system_allocations;
    return {};
  }

  Result<void> run(const EagerOp& op) {
    std::array<Tensor, kFewOperands> few;
    const std::size_t* const operands = schedule_.operands.data() + op.first_operand;
    std::span<const Tensor> tensors(few.data(), op.operand_count);
    if (op.operand_count <= kFewOperands) {
      for (std::size_t i = 0; i < op.operand_count; ++i) {
        few[i] = values_[operands[i]];
      }
    } else {
      many_.clear();
      for (std::size_t i = 0; i < op.operand_count; ++i) {
        many_.push_back(values_[operands[i]]);
      }
      tensors = many_;
    }
    std::byte* const destination = op.destination ? inputs_.tensor(*op.destination).data : nullptr;
    auto result = dispatcher_.dispatch(static_cast<ir::NodeId>(op.id), tensors, destination);
    if (!result) {
      release_all();
      return std::unexpected(std::move(result).error());
    }
    values_[op.id] = result->tensor;
    owned_[op.id] = result->owned ? 1 : 0;
    for (std::size_t i = 0; i < op.release_count; ++i) {
      release(schedule_.releases[op.first_release + i]);
    }
    return {};
  }

  // First what is still needed of old states is put aside, then they are overwritten: so two may change
  // places.
  void update_states() {
    for (std::size_t i = 0; i < schedule_.outputs.size(); ++i) {
      const EagerOutput& output = schedule_.outputs[i];
      shown_[i] = values_[output.id];
      if (output.put_aside) {
        Tensor copy = dense_tensor(nullptr, shown_[i].dtype, shown_[i].shape);
        copy.data = device_.allocator->allocate(bytes_of(copy));
        copy_dense(shown_[i], copy.data);
        shown_[i] = copy;
        aside_.push_back(copy);
      }
    }
    for (std::size_t i = 0; i < schedule_.outputs.size(); ++i) {
      const EagerOutput& output = schedule_.outputs[i];
      if (output.copy_to_state) {
        copy_dense(shown_[i], inputs_.tensor(*output.state).data);
      }
      if (output.state) {
        shown_[i] = inputs_.tensor(*output.state);
      }
    }
  }

  void copy_dense(const Tensor& from, std::byte* to) {
    StepCounters& counters = dispatcher_.counters();
    ++counters.launches;
    counters.bytes_read += bytes_read(from);
    counters.bytes_written += from.size_bytes();
    launch_copy(device_, from, to, device_.streams(from.size_bytes()));
  }

  void release(std::size_t id) {
    if (std::exchange(owned_[id], std::uint8_t{0}) != 0) {
      device_.allocator->release(values_[id].data, bytes_of(values_[id]));
    }
  }

  void release_results() {
    std::ranges::fill(shown_, Tensor{});
    for (const std::size_t id : schedule_.kept) {
      release(id);
    }
    for (const Tensor& tensor : aside_) {
      device_.allocator->release(tensor.data, bytes_of(tensor));
    }
    aside_.clear();
  }

  void release_all() {
    release_results();
    for (std::size_t id = 0; id < owned_.size(); ++id) {
      release(id);
    }
  }

  static constexpr std::size_t kFewOperands = 4;  // only a concat has more

  CpuDevice& device_;
  InputSet& inputs_;
  EagerSchedule schedule_;
  Dispatcher dispatcher_;
  std::vector<Tensor> values_;       // by node
  std::vector<std::uint8_t> owned_;  // by node: its memory is the allocator's, to be released
  std::vector<Tensor> shown_;        // by output, of the last step; without data if it failed
  std::vector<Tensor> aside_;        // copies of old states that outputs show
  std::vector<Tensor> many_;
  StepCounters counters_;
};

}  // namespace

std::unique_ptr<Executor> make_eager_executor(const ir::Graph& graph, CpuDevice& device, InputSet& inputs) {
  return std::make_unique<EagerExecutor>(graph, device, inputs);
}

}  // namespace foretell::runtime::cpu
