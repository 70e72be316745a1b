// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/text_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"

namespace foretell::ingest::kineto {

Result<std::size_t> TextStream::read(std::span<char> into) {
  const std::size_t first = std::min(into.size(), given_back_.size() - given_back_at_);
  std::copy_n(given_back_.begin() + static_cast<std::ptrdiff_t>(given_back_at_), first, into.begin());
  given_back_at_ += first;
  std::size_t got = first;
  if (got < into.size()) {
    given_back_.clear();
    given_back_at_ = 0;
    FORETELL_ASSIGN_OR_RETURN(const std::size_t more, source_.read(into.subspan(got)));
    got += more;
  }
  offset_ += got;
  if (offset_ > options_.max_text_bytes) {
    return fail(ErrorCode::Limit, source_.path(),
                fmt::format("the text is longer than {}, the limit for one trace{}",
                            format_bytes(options_.max_text_bytes),
                            source_.container().compressed ? " (a gzip bomb?)" : ""),
                "raise it with --max-text-bytes if the file is to be trusted");
  }
  if (options_.progress) {
    options_.progress(source_.consumed_bytes(), source_.size_bytes());
  }
  return got;
}

void TextStream::give_back(std::string_view text) {
  std::string rest(text);
  rest.append(given_back_, given_back_at_);
  given_back_ = std::move(rest);
  given_back_at_ = 0;
  offset_ -= text.size();
}

}  // namespace foretell::ingest::kineto
