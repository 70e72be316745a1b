// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/build_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "fusion-engine/codegen/file_lock.hpp"
#include "src/base/directories.hpp"
#include "src/base/system_message.hpp"

namespace foretell::codegen {
namespace {

struct Owner {
  UniqueFd fd;
  int error = 0;  // errno; 0: locked
};

// Locks the directory's owner file, which it makes if need be.
Owner lock_owner(const std::filesystem::path& directory) {
  UniqueFd fd(::open((directory / "owner").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    return {.fd = {}, .error = errno};
  }
  if (const int error = lock_byte(fd, 0, WhenLocked::Refuse); error != 0) {
    return {.fd = {}, .error = error};
  }
  return {.fd = std::move(fd)};
}

// The owner file goes last: until then nobody else can become the owner, and who makes it anew afterwards
// keeps the directory.
void remove_owned(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator item(directory, ignored), end; !ignored && item != end;
       item.increment(ignored)) {
    if (item->path().filename() != "owner") {
      std::error_code gone;
      std::filesystem::remove_all(item->path(), gone);
    }
  }
  ::unlink((directory / "owner").c_str());
  ::rmdir(directory.c_str());
}

}  // namespace

Result<BuildDirectory> BuildDirectory::create(const std::filesystem::path& parent) {
  for (;;) {
    FORETELL_ASSIGN_OR_RETURN(std::filesystem::path path, make_unique_directory(parent, kBuildPrefix));
    // Between the two calls another process may take it for a dead one's: then it has the lock, or it has
    // removed the directory or the file.
    Owner owner = lock_owner(path);
    struct stat status = {};
    if (owner.error == 0 && ::fstat(owner.fd.get(), &status) == 0 && status.st_nlink > 0) {
      return BuildDirectory(std::move(path), std::move(owner.fd));
    }
    if (owner.error != 0 && owner.error != EAGAIN && owner.error != ENOENT) {
      remove_owned(path);
      return fail(ErrorCode::Environment, path.string(), "can't be locked: " + system_message(owner.error));
    }
  }
}

BuildDirectory::~BuildDirectory() {
  if (owner_) {
    remove_owned(path_);
  }
}

void remove_dead_build(const std::filesystem::path& directory) {
  if (const Owner owner = lock_owner(directory); owner.error == 0) {
    remove_owned(directory);
  }
}

}  // namespace foretell::codegen
