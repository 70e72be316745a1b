// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/recipe.hpp"

#include <array>
#include <cstddef>

namespace foretell::timeline {
namespace {

constexpr std::string_view kTorch = "PyTorch profiler: with torch.profiler.profile(...) as prof";
constexpr std::string_view kBare = "Step time without the profiler";
constexpr std::string_view kNsys = "Nsight Systems";
constexpr std::string_view kRanks = "Several ranks";

constexpr std::array kLines{
    RecipeLine{Recipe::Activities, "R1", kTorch,
               "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]: neither says much alone"},
    RecipeLine{Recipe::Schedule, "R2", kTorch,
               "schedule=schedule(wait=5, warmup=3, active=5, repeat=1); prof.step() ends every step"},
    RecipeLine{Recipe::Lean, "R3", kTorch,
               "for times: record_shapes, with_stack, profile_memory and acc_events all False"},
    RecipeLine{Recipe::Detail, "R4", kTorch,
               "for shapes and source lines: another recording, active=2, record_shapes and with_stack True"},
    RecipeLine{Recipe::SyncEvents, "R5", kTorch,
               "experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)"},
    RecipeLine{Recipe::Synchronize, "R6", kTorch,
               "torch.cuda.synchronize() before the profiler starts and before it stops, not in the steps"},
    RecipeLine{Recipe::ShortWindow, "R7", kTorch,
               "few steps and under a million events: beyond that buffers overflow and records are lost"},
    RecipeLine{Recipe::OneProfiler, "R8", kTorch,
               "no other profiler at the same time, and no hardware counters: they take kernel records away"},
    RecipeLine{
        Recipe::WholeFile, "R9", kTorch,
        R"(prof.export_chrome_trace("trace.json.gz") after the block; wait until the program has ended)"},
    RecipeLine{Recipe::CurrentVersions, "R10", kTorch,
               "a current PyTorch and driver: old ones round times and let host and device clocks drift"},
    RecipeLine{Recipe::GraphCapture, "R11", kTorch,
               "CUDA graphs: also record the capture; replays hold no op names, and loop bodies only once"},
    RecipeLine{
        Recipe::BareTime, "R12", kBare,
        "synchronize, time 50 steps, synchronize; give the time of one: foretell analyze --wall-ms MS"},
    RecipeLine{Recipe::NsysTrace, "R13", kNsys,
               "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node --sample=none --cpuctxsw=none CMD"},
    RecipeLine{Recipe::NsysSteps, "R14", kNsys,
               R"(torch.cuda.nvtx.range_push(f"step {i}") ... range_pop() around every step)"},
    RecipeLine{
        Recipe::NsysRange, "R15", kNsys,
        "--capture-range=cudaProfilerApi: cudaProfilerStart() after the warm-up, Stop() 5 steps later"},
    RecipeLine{Recipe::NsysExport, "R16", kNsys,
               "nsys export --type=sqlite --output=run.sqlite run.nsys-rep"},
    RecipeLine{
        Recipe::OneFilePerRank, "R17", kRanks,
        "one file per rank with the rank in its name; init_process_group() before the profiler starts"},
    RecipeLine{Recipe::SameSteps, "R18", kRanks,
               "the same steps on every rank: by count, not by time; DDP settles in its first two steps"},
    RecipeLine{Recipe::EveryRank, "R19", kRanks,
               "every rank, or one per node at least: a wait in a collective is another rank's work"},
};
static_assert(kLines.size() == static_cast<std::size_t>(Recipe::kCount));
static_assert([] {
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    if (static_cast<std::size_t>(kLines[i].recipe) != i) {
      return false;
    }
  }
  return true;
}());

}  // namespace

std::span<const RecipeLine> all_recipe_lines() { return kLines; }

std::string_view recipe_id(Recipe recipe) { return kLines[static_cast<std::size_t>(recipe)].id; }

}  // namespace foretell::timeline
