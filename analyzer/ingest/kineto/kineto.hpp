// SPDX-License-Identifier: Apache-2.0
// The PyTorch profiler's JSON ("Kineto" trace), from the writer that came before it (a root array) to
// today's, for CUDA and ROCm. One event, as written in 2026:
//
//   { "ph": "X", "cat": "kernel", "name": "vectorized_add", "pid": 0, "tid": 7,     row: device 0, stream 7
//     "ts": 6744669505873.574, "dur": 3.725,                       us, relative to baseTimeNanoseconds
//     "args": { "External id": 8230,                               the op that launched it
//               "correlation": 17375, "stream": 7, "device": 0,    the API call that launched it
//               "grid": [77, 1, 1], "block": [128, 1, 1] } }
#pragma once

#include <string_view>

#include "analyzer/ingest/importer.hpp"

namespace foretell::ingest::kineto {

// JSON: '{' or '[' after white space and an optional byte order mark.
bool sniff(std::string_view prefix);

// Reads the event array in windows of about a MiB on all cores; memory beside the tables is bounded by the
// number of windows in flight. A window that the fast parser refuses is read again event by event: repairable
// faults (non-finite numbers, bad escapes, raw control characters, invalid UTF-8) are mended and counted; any
// other ends in an Error with byte, line, event number and context, or, with `lenient`, costs that one event.
Result<profile::Profile> read(ByteSource& source, std::string_view prefix, const ReadOptions& options);

}  // namespace foretell::ingest::kineto
