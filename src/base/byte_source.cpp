// SPDX-License-Identifier: Apache-2.0
#include "src/base/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "src/base/system_message.hpp"

namespace foretell {
namespace {

// Raw bytes: a file descriptor or memory. Like ByteSource::read, short only at the end.
class RawInput {
 public:
  virtual ~RawInput() = default;
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

class FdInput final : public RawInput {
 public:
  FdInput(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~FdInput() override {
    if (fd_ > STDIN_FILENO) {
      ::close(fd_);
    }
  }
  FdInput(const FdInput&) = delete;
  FdInput& operator=(const FdInput&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::read(fd_, into.data() + done, into.size() - done);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return fail(ErrorCode::Environment, path_, fmt::format("can't read: {}", system_message(errno)));
      }
      if (got == 0) {
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int fd_;
  std::string path_;
};

class MemoryInput final : public RawInput {
 public:
  explicit MemoryInput(std::span<const char> bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), rest_.size());
    std::copy_n(rest_.begin(), count, into.begin());
    rest_ = rest_.subspan(count);
    return count;
  }

 private:
  std::span<const char> rest_;
};

constexpr std::size_t kRawChunkBytes = std::size_t{1} << 18;

class Source final : public ByteSource {
 public:
  Source(std::unique_ptr<RawInput> input, std::uint64_t size_bytes, std::string path)
      : input_(std::move(input)), size_bytes_(size_bytes), path_(std::move(path)), raw_(kRawChunkBytes) {}

  // Looks at the first bytes. Must be called once before read().
  Result<void> start() {
    FORETELL_RETURN_IF_ERROR(refill());
    facts_.compressed = at_member();
    if (facts_.compressed) {
      inflate_ = std::make_unique<inflate_state>();
      begin_member();
    }
    return {};
  }

  Result<std::size_t> read(std::span<char> into) override {
    return facts_.compressed ? read_inflated(into) : read_plain(into);
  }
  [[nodiscard]] const ContainerFacts& container() const override { return facts_; }
  [[nodiscard]] std::uint64_t consumed_bytes() const override { return consumed_ - rest(); }
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  [[nodiscard]] std::size_t rest() const { return raw_end_ - raw_begin_; }

  // Moves what is left to the front and reads more behind it.
  Result<void> refill() {
    std::memmove(raw_.data(), raw_.data() + raw_begin_, rest());
    raw_end_ = rest();
    raw_begin_ = 0;
    FORETELL_ASSIGN_OR_RETURN(const std::size_t got,
                              input_->read({raw_.data() + raw_end_, raw_.size() - raw_end_}));
    raw_end_ += got;
    consumed_ += got;
    return {};
  }

  Result<std::size_t> read_plain(std::span<char> into) {
    const std::size_t first = std::min(into.size(), rest());
    std::copy_n(raw_.data() + raw_begin_, first, into.data());
    raw_begin_ += first;
    if (first == into.size()) {
      return first;
    }
    FORETELL_ASSIGN_OR_RETURN(const std::size_t more, input_->read(into.subspan(first)));
    consumed_ += more;
    return first + more;
  }

  [[nodiscard]] bool at_member() const {
    return rest() >= 2 && raw_[raw_begin_] == '\x1f' && raw_[raw_begin_ + 1] == '\x8b';
  }

  void begin_member() {
    isal_inflate_init(inflate_.get());
    inflate_->crc_flag = ISAL_GZIP;
  }

  // After a whole member: skips zero padding; starts the next member, or notes what follows and ends.
  Result<void> next_member() {
    ++facts_.members;
    while (true) {
      while (rest() > 0 && raw_[raw_begin_] == '\0') {
        ++raw_begin_;
      }
      if (rest() >= 2) {
        break;
      }
      const std::size_t before = rest();
      FORETELL_RETURN_IF_ERROR(refill());
      if (rest() == before) {
        break;
      }
    }
    if (at_member()) {
      begin_member();
      return {};
    }
    facts_.trailing_bytes = rest() > 0;
    ended_ = true;
    return {};
  }

  Result<std::size_t> read_inflated(std::span<char> into) {
    std::size_t done = 0;
    while (done < into.size() && !ended_) {
      if (rest() == 0) {
        FORETELL_RETURN_IF_ERROR(refill());
      }
      const std::size_t asked = std::min<std::size_t>(into.size() - done, UINT32_MAX / 2);
      inflate_->next_in = reinterpret_cast<std::uint8_t*>(raw_.data() + raw_begin_);
      inflate_->avail_in = static_cast<std::uint32_t>(rest());
      inflate_->next_out = reinterpret_cast<std::uint8_t*>(into.data() + done);
      inflate_->avail_out = static_cast<std::uint32_t>(asked);
      const std::size_t before_in = rest();
      const int status = isal_inflate(inflate_.get());
      raw_begin_ = raw_end_ - inflate_->avail_in;
      const std::size_t got = asked - inflate_->avail_out;
      done += got;
      if (status == ISAL_INCORRECT_CHECKSUM) {
        facts_.checksum_mismatch = true;
        ended_ = true;
      } else if (status < 0 || status == ISAL_NEED_DICT) {
        facts_.damaged = true;
        ended_ = true;
      } else if (inflate_->block_state == ISAL_BLOCK_FINISH) {
        FORETELL_RETURN_IF_ERROR(next_member());
      } else if (got == 0 && before_in == 0) {
        facts_.ends_early = true;  // no input left and nothing more to come out
        ended_ = true;
      }
    }
    return done;
  }

  std::unique_ptr<RawInput> input_;
  std::uint64_t size_bytes_;
  std::string path_;
  std::vector<char> raw_;
  std::size_t raw_begin_ = 0;
  std::size_t raw_end_ = 0;
  std::uint64_t consumed_ = 0;
  std::unique_ptr<inflate_state> inflate_;
  ContainerFacts facts_;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  int fd = STDIN_FILENO;
  const std::string shown = path == "-" ? "<stdin>" : path.empty() ? "''" : path;
  if (path != "-") {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      const int code = errno;
      return fail(
          code == ENOENT ? ErrorCode::BadInput : ErrorCode::Environment, shown,
          code == ENOENT ? std::string("no such file") : fmt::format("can't open: {}", system_message(code)));
    }
  }
  auto input = std::make_unique<FdInput>(fd, shown);
  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    return fail(ErrorCode::Environment, shown, fmt::format("can't stat: {}", system_message(errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    return fail(ErrorCode::BadInput, shown, "expected a trace file, found a directory",
                "name the files: foretell analyze " + shown + "/*.json.gz");
  }
  const std::uint64_t size = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  auto source = std::make_unique<Source>(std::move(input), size, shown);
  FORETELL_RETURN_IF_ERROR(source->start());
  return source;
}

std::unique_ptr<ByteSource> open_memory(std::span<const char> bytes, std::string path) {
  auto source = std::make_unique<Source>(std::make_unique<MemoryInput>(bytes), bytes.size(), std::move(path));
  (void)source->start();  // memory can't fail to be read
  return source;
}

}  // namespace foretell
