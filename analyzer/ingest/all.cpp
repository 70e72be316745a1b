// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/all.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "analyzer/ingest/kineto/kineto.hpp"

namespace foretell::ingest {
namespace {

constexpr std::array kImporters{
    Importer{"kineto", "PyTorch profiler (Kineto) JSON", kineto::sniff, kineto::read},
};

constexpr std::size_t kPrefixBytes = 4096;

// Files that people hand over by mistake, and what to do instead.
struct Foreign {
  std::string_view magic;
  std::size_t offset;
  std::string_view what;
  std::string_view hint;
};
constexpr std::array kForeign{
    Foreign{"SQLite format 3", 0, "an SQLite database",
            "Nsight Systems exports are not read by this version"},
    Foreign{"ustar", 257, "a tar archive", "extract it and name the JSON files"},
    Foreign{"PK\x03\x04", 0, "a zip archive", "extract it and name the JSON files"},
    Foreign{"\x28\xb5\x2f\xfd", 0, "a zstd stream", "decompress it first: zstd -d"},
    Foreign{"BZh", 0, "a bzip2 stream", "decompress it first: bunzip2"},
    Foreign{"version https://git-lfs", 0, "a Git LFS pointer, not the file itself", "fetch it: git lfs pull"},
    Foreign{"\x7f"
            "ELF",
            0, "a program or library", ""},
};

// What a source without a byte is.
std::string_view nothing_in(const ContainerFacts& container) {
  if (!container.compressed) {
    return "an empty file";
  }
  return container.damaged      ? "a compressed stream that is damaged at its start"
         : container.ends_early ? "a compressed stream that ends before its first byte"
                                : "a compressed stream that holds no byte";
}

}  // namespace

std::span<const Importer> all_importers() { return kImporters; }

Result<profile::Profile> load_trace(ByteSource& source, const ReadOptions& options) {
  std::string prefix(kPrefixBytes, '\0');
  FORETELL_ASSIGN_OR_RETURN(const std::size_t got, source.read(prefix));
  prefix.resize(got);
  if (prefix.empty()) {
    return fail(ErrorCode::BadInput, source.path(),
                fmt::format("expected a trace, found {}", nothing_in(source.container())));
  }
  for (const Importer& importer : all_importers()) {
    if (!importer.sniff(prefix)) {
      continue;
    }
    FORETELL_ASSIGN_OR_RETURN(profile::Profile read, importer.read(source, prefix, options));
    read.info.path = source.path();
    read.info.format = importer.name;
    read.info.size_bytes = source.size_bytes() != 0 ? source.size_bytes() : source.consumed_bytes();
    return read;
  }
  for (const Foreign& foreign : kForeign) {
    if (std::string_view(prefix).substr(0, foreign.offset + foreign.magic.size()).ends_with(foreign.magic) &&
        prefix.size() >= foreign.offset + foreign.magic.size()) {
      return fail(ErrorCode::BadInput, source.path(), fmt::format("expected a trace, found {}", foreign.what),
                  std::string(foreign.hint));
    }
  }
  return fail(ErrorCode::BadInput, source.path(),
              "expected a trace (JSON that starts with { or [, plain or gzip), found something else");
}

Result<profile::Profile> load_trace(const std::string& path, const ReadOptions& options) {
  FORETELL_ASSIGN_OR_RETURN(const auto source, open_source(path));
  return load_trace(*source, options);
}

}  // namespace foretell::ingest
