// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "analyzer/ingest/importer.hpp"

namespace foretell::ingest {

// Every format, in the order in which they are asked.
std::span<const Importer> all_importers();

// Opens, recognises and reads a trace file. Errors name the file; what is recognised but not read (archives,
// databases, pointers to files that were never fetched) is said by its name.
Result<profile::Profile> load_trace(const std::string& path, const ReadOptions& options);
Result<profile::Profile> load_trace(ByteSource& source, const ReadOptions& options);

}  // namespace foretell::ingest
