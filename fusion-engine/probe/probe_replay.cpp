// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "fusion-engine/probe/probes.hpp"
#include "fusion-engine/runtime/clock.hpp"
#include "fusion-engine/runtime/cpu/recording.hpp"

namespace foretell::probe {
namespace {

using runtime::cpu::Lane;
using runtime::cpu::Recording;
using runtime::cpu::Stream;

constexpr int kCommands = 256;  // as many as the probe of the stream drains

void record_empty(Stream& stream, int commands) {
  for (int i = 0; i < commands; ++i) {
    stream.launch([](const Lane&) {});
  }
}

}  // namespace

Result<std::vector<ProbedConstant>> probe_replay(runtime::cpu::CpuDevice& device, Sampler& sampler) {
  Stream& stream = *device.stream;
  Recording single;
  stream.begin_recording(single);
  record_empty(stream, 1);
  stream.end_recording();
  FORETELL_ASSIGN_OR_RETURN(auto fixed, sampler.constant(
                                            "replay_fixed_ns", "ns",
                                            [&] {
                                              const std::int64_t begin = runtime::now_ns();
                                              stream.replay(single);
                                              stream.synchronize();
                                              return static_cast<double>(runtime::now_ns() - begin);
                                            },
                                            "a replay of one empty command on an idle stream, and the host's "
                                            "wait for it: what each further segment costs"));
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Recording many;
  stream.begin_recording(many);
  stream.record_time(&begin);
  record_empty(stream, kCommands);
  stream.record_time(&end);
  stream.end_recording();
  FORETELL_ASSIGN_OR_RETURN(auto per_op, sampler.constant(
                                             "replay_op_ns", "ns",
                                             [&] {
                                               stream.replay(many);
                                               stream.synchronize();
                                               return static_cast<double>(end - begin) / kCommands;
                                             },
                                             "device time of an empty command within a replay"));
  return std::vector{std::move(fixed), std::move(per_op)};
}

}  // namespace foretell::probe
