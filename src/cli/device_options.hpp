// SPDX-License-Identifier: Apache-2.0
// --threads and --sync, the same for every verb that opens the CPU as a device.
#pragma once

#include <CLI/CLI.hpp>

#include "fusion-engine/runtime/cpu/stream.hpp"

namespace foretell::cli {

void declare_device(CLI::App& app, runtime::cpu::StreamOptions& options);

}  // namespace foretell::cli
