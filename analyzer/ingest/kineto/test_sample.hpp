// SPDX-License-Identifier: Apache-2.0
// The trace that the importer's tests read, cut and damage.
#pragma once

#include <string_view>

namespace foretell::ingest::kineto {

// One of every kind of record, every generation of spelling.
inline constexpr std::string_view kSample = R"j({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA A10", "numSms": 72, "computeMajor": 8, "computeMinor": 6, "warpSize": 32}],
  "environment": {"HOME": "/somewhere", "list": [1, {"a": "\"b\\"}]},
  "record_shapes": 1, "cupti_version": 18,
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 42, "tid": 1, "ts": 100.250, "dur": 50.5,
   "args": {"External id": 7, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"], "Sequence number": 3}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 1, "ts": 110.5, "dur": 5, "args": {"External id": 7, "correlation": 11}},
  {"ph": "s", "id": 11, "pid": 42, "tid": 1, "ts": 110.5, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void gemm<float, 4>(float*)", "pid": 0, "tid": 7, "ts": 120, "dur": 12.345,
   "args": {"External id": 7, "device": 0, "stream": 7, "correlation": 11, "grid": [77, 1, 1], "block": [128, 1, 1], "registers per thread": 32}},
  {"ph": "f", "id": 11, "pid": 0, "tid": 7, "ts": 120, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 140, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 12, "bytes": 616}},
  {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 143, "dur": 1, "args": {"device": 0, "stream": 7, "bytes": 64}},
  {"ph": "X", "cat": "cuda_sync", "name": "Stream Sync", "pid": 0, "tid": 7, "ts": 145, "dur": 9, "args": {"device": 0, "stream": 7}},
  {"ph": "X", "cat": "python_function", "name": "module.py(3): \"forward\" \u00e4", "pid": 42, "tid": 1, "ts": 90, "dur": 100, "args": {}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 42, "tid": 1, "ts": 80, "dur": 130, "args": {"External id": 6}},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#3", "pid": 0, "tid": 7, "ts": 120, "dur": 25, "args": {}},
  {"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 85, "dur": 3, "args": {}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 125, "dur": 30,
   "args": {"device": 0, "stream": 20, "correlation": 13, "Collective name": "allreduce", "Comms Id": 18446744073709551617, "dtype": "bf16", "In msg nelems": 100}},
  {"ph": "X", "cat": "Kernel", "name": "old", "pid": 0, "tid": "stream 7", "ts": 160, "dur": 4, "args": {"external id": 7, "correlation": 14}},
  {"ph": "X", "cat": "kernel", "name": "untimed", "pid": 0, "tid": 7, "ts": 0, "dur": 0, "args": {"device": 0, "stream": 7}},
  {"ph": "i", "name": "[memory]", "pid": 42, "tid": 1, "ts": 101, "s": "t", "args": {"Device Type": 1, "Device Id": 0, "Bytes": 512, "Addr": 140, "Total Allocated": 512, "Total Reserved": 2048}},
  {"ph": "B", "name": "range", "pid": 42, "tid": 2, "ts": 100}, {"ph": "E", "name": "range", "pid": 42, "tid": 2, "ts": "150.125"},
  {"ph": "X", "cat": "Trace", "pid": "Spans", "tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)", "ts": 80, "dur": 200},
  {"ph": "M", "name": "process_name", "pid": 42, "tid": 0, "args": {"name": "python"}},
  {"ph": "i", "name": "Record Window End", "pid": "", "tid": "", "ts": 300, "s": "g"}
  ],
  "distributedInfo": {"rank": 3, "world_size": 8},
  "baseTimeNanoseconds": 1700000000000000000
}
)j";

}  // namespace foretell::ingest::kineto
