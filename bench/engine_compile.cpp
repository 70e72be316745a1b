// SPDX-License-Identifier: Apache-2.0
// What fused kernels cost to compile, and to load again: `engine_compile [KERNELS] [REPEATS]` (50, 5). The
// kernels are pointwise chains, layer norms and softmaxes over different extents and ops. Each repeat has an
// empty cache directory. Prints medians in milliseconds and whether the bars are met: 50 kernels cold in at
// most 2 s, warm at most 5 % of that. Cold and warm include finding the compiler, hashing and loading.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "fusion-engine/codegen/generate.hpp"
#include "fusion-engine/codegen/kernel_library.hpp"
#include "fusion-engine/passes/fuse.hpp"
#include "fusion-engine/passes/pass.hpp"
#include "src/base/directories.hpp"

namespace {

using namespace foretell;
using Clock = std::chrono::steady_clock;
using ir::OpKind;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Graph `number`: no two are alike.
ir::Graph make_graph(std::int64_t number) {
  constexpr std::array kOps{OpKind::Tanh, OpKind::Exp, OpKind::Gelu, OpKind::Sigmoid, OpKind::Square};
  ir::Graph graph("bench");
  const ir::Shape shape{512, 500 + 7 * number};
  ir::NodeId x = graph.input("x", {ir::DType::F32, shape}).value();
  const ir::NodeId y = graph.input("y", {ir::DType::F32, shape}).value();
  if (number % 3 == 1) {
    x = graph.add(OpKind::LayerNorm, {x}).value();
  } else if (number % 3 == 2) {
    x = graph.add(OpKind::Softmax, {x}, {{ir::AttrKey::Axis, std::int64_t{1}}}).value();
  }
  for (std::int64_t i = 0; i < 1 + number % 4; ++i) {
    x = graph.add(kOps[static_cast<std::size_t>(number + i) % kOps.size()], {x}).value();
    x = graph.add(OpKind::Add, {x, y}).value();
  }
  graph.output("out", x).value();
  return graph;
}

std::vector<codegen::KernelSource> make_kernels(std::size_t count) {
  std::vector<codegen::KernelSource> kernels;
  for (std::int64_t number = 0; kernels.size() < count; ++number) {
    const auto passed = passes::run_pipeline(make_graph(number));
    const passes::FusionPlan plan = passes::fuse(passed->graph);
    for (const passes::FusionGroup& group : plan.groups) {
      if (kernels.size() < count) {
        kernels.push_back(
            codegen::generate_kernel(passed->graph, group, fmt::format("kernel{}", kernels.size()), {}));
      }
    }
  }
  return kernels;
}

// Of all compilers that have ended.
double children_cpu_ms() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto milliseconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

struct Times {
  double total_ms = 0;
  bool from_cache = false;
};
Times load(std::span<const std::string> units, const std::filesystem::path& directory) {
  const auto start = Clock::now();
  const auto compiler = codegen::find_compiler();
  if (!compiler) {
    std::fprintf(stderr, "engine_compile: %s\n", compiler.error().message.c_str());
    std::exit(4);
  }
  const auto library = codegen::KernelLibrary::load(units, *compiler, {.directory = directory});
  if (!library) {
    std::fprintf(stderr, "engine_compile: %s\n", library.error().message.c_str());
    std::exit(4);
  }
  return {.total_ms = milliseconds_since(start), .from_cache = library->stats().from_cache};
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 50;
  const int repeats = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 5;
  const auto start = Clock::now();
  const std::vector<codegen::KernelSource> kernels = make_kernels(count);
  const double codegen_ms = milliseconds_since(start);

  // As the fused executor cuts them.
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::vector<std::string> units = codegen::translation_units(kernels, processors);
  const std::string whole = codegen::translation_unit(kernels);

  std::vector<double> cold;
  std::vector<double> one_unit;
  std::vector<double> cpu;
  std::vector<double> warm;
  for (int i = 0; i < repeats; ++i) {
    for (const bool parted : {true, false}) {
      const auto directory = make_unique_directory(std::filesystem::temp_directory_path(), "engine_compile_");
      if (!directory) {
        std::fprintf(stderr, "engine_compile: %s: %s\n", directory.error().where.c_str(),
                     directory.error().message.c_str());
        return 4;
      }
      const std::span<const std::string> sources =
          parted ? std::span<const std::string>(units) : std::span(&whole, 1);
      const double cpu_before = children_cpu_ms();
      (parted ? cold : one_unit).push_back(load(sources, *directory).total_ms);
      if (parted) {
        cpu.push_back(children_cpu_ms() - cpu_before);
      }
      const Times again = load(sources, *directory);
      if (!again.from_cache) {
        std::fprintf(stderr, "engine_compile: the second load was not from the cache\n");
        return 70;
      }
      if (parted) {
        warm.push_back(again.total_ms);
      }
      std::filesystem::remove_all(*directory);
    }
  }
  const double ratio = median(warm) / median(cold);
  const double cold_50 = median(cold) * 50 / static_cast<double>(count);
  std::printf("%zu kernels, %zu bytes of source, passes and code generation %.1f ms\n", count, whole.size(),
              codegen_ms);
  std::printf(
      "cold %.0f ms (%zu compilers side by side, %.0f ms of processor time), %.0f ms in one unit; warm %.2f "
      "ms\n",
      median(cold), units.size(), median(cpu), median(one_unit), median(warm));
  std::printf("50 kernels cold %.2f s: bar 2 s %s; warm / cold %.4f: bar 0.05 %s\n", cold_50 / 1000,
              cold_50 <= 2000 ? "met" : "missed", ratio, ratio <= 0.05 ? "met" : "missed");
  return 0;
}
