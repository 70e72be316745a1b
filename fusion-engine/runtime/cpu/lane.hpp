// SPDX-License-Identifier: Apache-2.0
// What a command of a stream is to the workers that run it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretell::runtime::cpu {

class Team;  // the barrier; stream.cpp

// One worker's place in the team while it runs a command.
struct Lane {
  int rank = 0;
  int size = 1;
  Team* team = nullptr;
  // All lanes of the command have arrived.
  void barrier() const;
  // This lane's share of `units`: [begin, end). A team of one need not divide.
  std::int64_t begin(std::int64_t units) const { return size == 1 ? 0 : units * rank / size; }
  std::int64_t end(std::int64_t units) const { return size == 1 ? units : units * (rank + 1) / size; }
};

// Runs the work whose bytes are at `payload`.
using CommandEntry = void (*)(const std::byte* payload, const Lane& lane);

}  // namespace foretell::runtime::cpu
