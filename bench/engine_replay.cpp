// SPDX-License-Identifier: Apache-2.0
// What a replay adds to the work itself: recorded launches against a loop over the same function pointers on
// the same tensors, and the replay executor on a graph of the same ops.
//
//   engine_replay [ROUNDS]
//
// All three run on the device's team and take turns; times are per op, medians of the rounds. The ratio to
// the loop is the figure of merit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fusion-engine/ir/text.hpp"
#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/cpu/kernel_launch.hpp"
#include "fusion-engine/runtime/cpu/program_executor.hpp"

namespace {

using namespace foretell;
using namespace foretell::runtime::cpu;

constexpr std::size_t kOps = 200;
constexpr int kStepsOfASample = 20;  // so that starting and waiting are a small part

template <class T>
T value_or_exit(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "engine_replay: %s\n", result.error().message.c_str());
    std::exit(70);
  }
  return std::move(*result);
}

struct BareCall {
  void (*run)(const KernelCall& call, int stage, std::int64_t begin, std::int64_t end);
  KernelCall call;
  std::int64_t units;
};

// add and sub in turn, from each tensor to the next of a few.
std::vector<std::pair<const CpuKernel*, KernelCall>> make_calls(CpuDevice& device, std::int64_t elements) {
  std::array<Tensor, 4> tensors;
  for (Tensor& tensor : tensors) {
    tensor = dense_tensor(nullptr, ir::DType::F32, {elements});
    tensor.data = device.allocator->allocate(bytes_of(tensor));
    std::fill_n(tensor.data, bytes_of(tensor), std::byte{0});
  }
  std::vector<std::pair<const CpuKernel*, KernelCall>> calls;
  for (std::size_t i = 0; i < kOps; ++i) {
    KernelCall call;
    call.op = i % 2 == 0 ? ir::OpKind::Add : ir::OpKind::Sub;
    call.inputs[0] = tensors[i % 3];
    call.inputs[1] = tensors[3];
    call.input_count = 2;
    call.output = tensors[(i + 1) % 3];
    calls.emplace_back(find_kernel(call.op), call);
  }
  return calls;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void compare(CpuDevice& device, std::int64_t bytes, int rounds) {
  const std::int64_t elements = bytes / 4;
  auto calls = make_calls(device, elements);
  std::vector<BareCall> bare;
  for (const auto& [kernel, call] : calls) {
    bare.push_back({kernel->run, call, kernel->units(call, 0)});
  }
  Recording recording;
  device.stream->begin_recording(recording);
  for (auto& [kernel, call] : calls) {
    launch_kernel(device, *kernel, call);
  }
  device.stream->end_recording();

  const ir::Graph graph = value_or_exit(ir::parse(fmt::format(
      "graph replay\nx = input(to=f32, shape=[{0}])\ny = input(to=f32, shape=[{0}])\nrepeat {1} {{\n"
      "  x = add(x, y)\n  x = sub(x, y)\n}}\nreturn x=x\n",
      elements, kOps / 2)));
  InputSet inputs = InputSet::random(graph, device, 1);
  const Program program = build_op_program(graph);
  const auto executor = value_or_exit(make_program_executor(program, kReplay, nullptr, device, inputs));

  const std::array<std::pair<const char*, std::function<void()>>, 3> contestants{{
      {"loop",
       [&] {
         device.stream->launch([first = bare.data()](const Lane& lane) {
           for (const BareCall* each = first; each != first + kOps; ++each) {
             each->run(each->call, 0, lane.begin(each->units), lane.end(each->units));
             lane.barrier();
           }
         });
       }},
      {"recording", [&] { device.stream->replay(recording); }},
      {"executor",
       [&] {
         if (!executor->step()) {
           std::exit(70);
         }
       }},
  }};
  std::array<std::vector<double>, 3> samples;
  for (int round = -rounds / 10; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const std::int64_t begin = runtime::now_ns();
      for (int step = 0; step < kStepsOfASample; ++step) {
        contestants[i].second();
      }
      device.stream->synchronize();
      if (round >= 0) {
        samples[i].push_back(static_cast<double>(runtime::now_ns() - begin) / kStepsOfASample /
                             static_cast<double>(kOps));
      }
    }
  }
  const double loop_ns = median(samples[0]);
  fmt::print("{:>7} bytes", bytes);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const double ns = median(samples[i]);
    fmt::print("   {} {:.1f} ns an op, {:.3f} of the loop", contestants[i].first, ns, ns / loop_ns);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(10, std::atoi(argv[1])) : 500;
  CpuDevice device = value_or_exit(open_cpu_device());
  for (const std::int64_t bytes : {64, 1024, 4096, 16384, 65536}) {
    compare(device, bytes, rounds);
  }
}
