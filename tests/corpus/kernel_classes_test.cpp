// SPDX-License-Identifier: Apache-2.0
// How much of the kernels' device time the rules of kernel_class.cpp leave unknown, over all traces below
// $FORETELL_CORPUS.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "analyzer/ingest/all.hpp"
#include "analyzer/timeline/durations.hpp"
#include "analyzer/timeline/kernel_class.hpp"
#include "analyzer/timeline/links.hpp"
#include "tests/corpus/corpus.hpp"

namespace foretell {
namespace {

// Of the kernels' summed device time.
constexpr double kMostUnknownShare = 0.03;

using KernelClasses = corpus::CorpusTest;

TEST_F(KernelClasses, LittleDeviceTimeOfTheCorpusIsUnknown) {
  double all_ns = 0;
  double unknown_ns = 0;
  std::size_t traces = 0;
  for (const std::string& path : files()) {
    const auto profile = ingest::load_trace(path, {.lenient = true});
    if (!profile) {
      continue;  // not every file there is a readable trace
    }
    const auto classes = timeline::classify_activities(*profile);
    const auto audit = timeline::audit_durations(*profile, timeline::link(*profile));
    double kernels_ns = 0;
    double own_unknown_ns = 0;
    for (std::size_t row = 0; row < profile->activities.size(); ++row) {
      if (profile->activities.kind[row] == profile::ActivityKind::Kernel) {
        const auto ns = static_cast<double>(audit.duration_ns[row]);
        kernels_ns += ns;
        own_unknown_ns += classes[row] == timeline::KernelClass::Unknown ? ns : 0;
      }
    }
    traces += kernels_ns > 0 ? 1 : 0;
    if (own_unknown_ns > kMostUnknownShare * kernels_ns) {
      std::cout << path << ": " << 100 * own_unknown_ns / kernels_ns << " % unknown\n";
    }
    all_ns += kernels_ns;
    unknown_ns += own_unknown_ns;
  }
  ASSERT_GT(traces, 0U) << "no trace with kernels";
  std::cout << traces << " traces with kernels, " << 100 * unknown_ns / all_ns << " % unknown\n";
  EXPECT_LE(unknown_ns, kMostUnknownShare * all_ns);
}

}  // namespace
}  // namespace foretell
