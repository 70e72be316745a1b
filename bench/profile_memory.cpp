// SPDX-License-Identifier: Apache-2.0
// Peak memory of a Profile of N events, the sort at the end included: `profile_memory [N]`, 20 million unless
// said otherwise. The mix is that of a training trace without Python frames, which has the widest rows: 40 %
// host ops (shuffled, so that the sort has work), 25 % API calls, 25 % kernels with geometry, 10 % memory
// events.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "analyzer/profile/profile_builder.hpp"

namespace {

using namespace foretell;
using namespace foretell::profile;

void add_host_op(Profile& profile, std::int64_t at, std::uint32_t thread, StringId name) {
  HostOps& ops = profile.host_ops;
  ops.append({.start_ns = at,
              .duration_ns = 5000,
              .external_id = at,
              .name = name,
              .thread = thread,
              .detail = static_cast<std::uint32_t>(profile.op_details.size()),
              .kind = HostOpKind::Operator});
  OpDetails& details = profile.op_details;
  for (auto* column : {&details.input_dims, &details.input_types, &details.concrete_inputs,
                       &details.input_strides, &details.call_stack, &details.module_hierarchy}) {
    column->push_back(name);
  }
  details.sequence_number.push_back(at);
  details.forward_thread.push_back(0);
}

void add_api_call(Profile& profile, std::int64_t at, std::uint32_t thread, StringId name) {
  ApiCalls& calls = profile.api_calls;
  calls.append({.start_ns = at,
                .duration_ns = 3000,
                .correlation = at,
                .external_id = at,
                .name = name,
                .thread = thread,
                .kind = ApiKind::KernelLaunch});
}

void add_kernel(Profile& profile, std::int64_t at, std::uint32_t stream, StringId name) {
  DeviceActivities& rows = profile.activities;
  rows.append({.start_ns = at,
               .duration_ns = 2000,
               .correlation = at,
               .external_id = at,
               .name = name,
               .stream = stream,
               .launch = static_cast<std::uint32_t>(profile.kernel_launches.size()),
               .kind = ActivityKind::Kernel});
  KernelLaunches& launches = profile.kernel_launches;
  for (auto* column :
       {&launches.grid_x, &launches.grid_y, &launches.grid_z, &launches.block_x, &launches.block_y,
        &launches.block_z, &launches.registers_per_thread, &launches.shared_memory_bytes}) {
    column->push_back(32);
  }
  launches.occupancy_ratio.push_back(0.5F);
}

void add_memory_event(Profile& profile, std::int64_t at, std::uint32_t thread) {
  MemoryEvents& rows = profile.memory_events;
  rows.time_ns.push_back(at);
  rows.bytes.push_back(4096);
  rows.total_allocated_bytes.push_back(1 << 20);
  rows.total_reserved_bytes.push_back(1 << 21);
  rows.address.push_back(0x7f0000000000);
  rows.device_id.push_back(0);
  rows.thread.push_back(thread);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000'000;
  ProfileBuilder builder;
  Profile& profile = builder.profile();
  const std::uint32_t threads[2] = {builder.thread({.number = 1}, {.number = 1}),
                                    builder.thread({.number = 1}, {.number = 2})};
  const std::uint32_t stream = builder.stream(0, 7);
  const StringId name = profile.strings.intern("aten::add");
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto at = static_cast<std::int64_t>(i * 1000 + random() % 100'000);
    const std::uint32_t thread = threads[i % 2];
    switch (i % 20) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
      case 7: add_host_op(profile, at, thread, name); break;
      case 8:
      case 9:
      case 10:
      case 11:
      case 12: add_api_call(profile, at, thread, name); break;
      case 13:
      case 14:
      case 15:
      case 16:
      case 17: add_kernel(profile, at, stream, name); break;
      default: add_memory_event(profile, at, thread); break;
    }
  }
  const Profile finished = builder.finish();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  std::printf("%llu events, %zu of them host ops: peak memory %.2f GB, %.0f bytes an event\n",
              static_cast<unsigned long long>(events), finished.host_ops.size(), bytes / 1e9,
              bytes / static_cast<double>(events));
  return 0;
}
