// SPDX-License-Identifier: Apache-2.0
// foretell probe [--refresh]
#include "src/cli/probe.hpp"

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>

#include "src/base/directories.hpp"
#include "src/bridge/probe_session.hpp"
#include "src/cli/device_options.hpp"
#include "src/cli/output.hpp"
#include "src/cli/progress.hpp"
#include "src/cli/run_main.hpp"

namespace foretell::cli {
namespace {

struct ProbeCommand {
  OutputOptions output;
  bool refresh = false;
  runtime::cpu::StreamOptions stream;
};

Exit failed(const Error& error) {
  print_error(error);
  return exit_of(error.code);
}

Exit run_probe(const ProbeCommand& command) {
  if (const auto checked = check_output(command.output); !checked) {
    return failed(checked.error());
  }
  auto device = runtime::cpu::open_cpu_device({.stream = command.stream, .allocator = "caching"});
  if (!device) {
    return failed(device.error());
  }
  Result<bridge::ProbeSession> session = [&] {
    Progress progress("probing");
    return bridge::open_probe_session(
        *device, {.directory = cache_directory().value_or(std::filesystem::path()),
                  .refresh = command.refresh,
                  .now_s = std::time(nullptr),
                  .on_probe = [&](std::size_t i) { progress.stage(probe::all_probes()[i].title); },
                  .state = nullptr});
  }();
  if (!session) {
    return failed(session.error());
  }
  if (!session->note.empty()) {
    print_note(session->note);
  }
  const auto written = write_output(bridge::probe_model(*session, *device), command.output);
  return written ? Exit::Done : failed(written.error());
}

}  // namespace

std::function<Exit()> declare_probe(CLI::App& app) {
  const auto command = std::make_shared<ProbeCommand>();  // owners: the parser's bindings and the action
  declare_output(app, command->output);
  app.add_flag("--refresh", command->refresh, "probe now, even if constants of this machine are kept");
  declare_device(app, command->stream);
  return [command] { return run_probe(*command); };
}

}  // namespace foretell::cli
