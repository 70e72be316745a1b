// SPDX-License-Identifier: Apache-2.0
// The single probes, one file each; probe.cpp lists them. Constants they give stand beside them.
#pragma once

#include <vector>

#include "fusion-engine/probe/samples.hpp"
#include "fusion-engine/runtime/cpu/cpu_device.hpp"
#include "src/base/result.hpp"

namespace foretell::probe {

// enqueue_ns: host time of one Stream::launch; drain_ns: device time of an empty command behind others;
// sync_ns: an empty command on an idle stream until the host knows it is done.
Result<std::vector<ProbedConstant>> probe_stream(runtime::cpu::CpuDevice& device, Sampler& sampler);
// dispatch_ns: host time of an eager op on a few elements: check, allocate, launch.
Result<std::vector<ProbedConstant>> probe_dispatch(runtime::cpu::CpuDevice& device, Sampler& sampler);
// replay_fixed_ns: a replay of one empty command on an idle stream until the host knows it is done;
// replay_op_ns: device time of an empty command within a replay.
Result<std::vector<ProbedConstant>> probe_replay(runtime::cpu::CpuDevice& device, Sampler& sampler);
// alloc_cached_ns, alloc_system_ns: 4 KiB and back; page_fault_ns: first touch of a fresh 4 KiB page.
Result<std::vector<ProbedConstant>> probe_allocators(runtime::cpu::CpuDevice& device, Sampler& sampler);
// matmul_call_ns: device time of a product of next to no elements: the library's own cost.
// gemm_f32_gflops, gemm_bf16_gflops (where the library has it); fma_f32_gflops: multiply-adds from registers,
// the peak; vector_f32_gflops: flops of a vector routine as op_rows.inc counts them, which is what
// elementwise kernels reach.
Result<std::vector<ProbedConstant>> probe_arithmetic(runtime::cpu::CpuDevice& device, Sampler& sampler);
// streaming_bytes: from this size of a result on a copy is faster with stores past the caches; a power of
// two, and not there where they never win. For LEVEL in l1, l2, llc, dram: LEVEL_copy_bytes (what a copy
// there touches: source and target), LEVEL_memcpy_gbps, LEVEL_plain_gbps, LEVEL_streaming_gbps (bytes read
// and written, 1e9 per second).
Result<std::vector<ProbedConstant>> probe_copies(runtime::cpu::CpuDevice& device, Sampler& sampler);

}  // namespace foretell::probe
