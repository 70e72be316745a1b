// SPDX-License-Identifier: Apache-2.0
// Locks on bytes of a file, between processes and between descriptors of one process alike (F_OFD_SETLK).
// They end with their descriptor, so with their holder; over NFS they work too, where locks on directories
// don't.
#pragma once

#include <sys/types.h>

#include "fusion-engine/codegen/unique_fd.hpp"

namespace foretell::codegen {

enum class WhenLocked : std::uint8_t { Wait, Refuse };

// Locks the byte at `offset`, which need not exist, for this descriptor alone; it must be open for writing.
// 0 or errno: EAGAIN if somebody else has it and `when` is Refuse.
int lock_byte(const UniqueFd& file, off_t offset, WhenLocked when);

}  // namespace foretell::codegen
