// SPDX-License-Identifier: Apache-2.0
// Reads a trace with the installed libraries and prints its number of kernels.
#include <cstdio>

#include "analyzer/ingest/all.hpp"
#include "analyzer/profile/profile.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  const auto trace = foretell::ingest::load_trace(argv[1], {});
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 3;
  }
  std::size_t kernels = 0;
  for (const auto kind : trace->activities.kind) {
    kernels += kind == foretell::profile::ActivityKind::Kernel ? 1 : 0;
  }
  std::printf("%zu kernels\n", kernels);
  return kernels > 0 ? 0 : 1;
}
