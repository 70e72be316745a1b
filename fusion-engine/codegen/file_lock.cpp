// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/file_lock.hpp"

#include <fcntl.h>

#include <cerrno>

namespace foretell::codegen {

int lock_byte(const UniqueFd& file, off_t offset, WhenLocked when) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = offset;
  range.l_len = 1;
  while (::fcntl(file.get(), when == WhenLocked::Wait ? F_OFD_SETLKW : F_OFD_SETLK, &range) != 0) {
    if (errno != EINTR) {
      return errno == EACCES ? EAGAIN : errno;  // POSIX allows both for "somebody else has it"
    }
  }
  return 0;
}

}  // namespace foretell::codegen
