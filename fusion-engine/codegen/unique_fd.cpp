// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/unique_fd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "src/base/system_message.hpp"

namespace foretell::codegen {

Result<void> write_all(const UniqueFd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return fail(ErrorCode::Environment, {}, "can't write: " + system_message(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return {};
}

Result<std::string> read_all(const UniqueFd& fd) {
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail(ErrorCode::Environment, {}, "can't read: " + system_message(errno));
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::pread(fd.get(), text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno != EINTR) {
      return fail(ErrorCode::Environment, {}, "can't read: " + system_message(errno));
    }
    if (got == 0) {
      break;
    }
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  text.resize(size);
  return text;
}

Result<UniqueFd> memory_file(const char* name, std::string_view text) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC));
  if (!fd) {
    return fail(ErrorCode::Environment, {}, "can't make a file in memory: " + system_message(errno));
  }
  FORETELL_RETURN_IF_ERROR(write_all(fd, text));
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

}  // namespace foretell::codegen
