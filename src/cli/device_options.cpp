// SPDX-License-Identifier: Apache-2.0
#include "src/cli/device_options.hpp"

#include "src/cli/validators.hpp"

namespace foretell::cli {

void declare_device(CLI::App& app, runtime::cpu::StreamOptions& options) {
  CLI::Option* const threads = app.add_option("--threads", options.threads,
                                              "workers, 1 to 1024 (default: one core fewer than there are)")
                                   ->type_name("N")
                                   ->check(whole_number(1, 1024));
  app.add_flag("--sync", options.one_lane, "without a queue: the calling thread does the work itself")
      ->excludes(threads);  // it has no workers
}

}  // namespace foretell::cli
