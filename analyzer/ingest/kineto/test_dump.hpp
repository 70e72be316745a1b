// SPDX-License-Identifier: Apache-2.0
// What the importer makes of a text, as text: the tests compare ways of reading by it.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/ingest/importer.hpp"
#include "analyzer/profile/profile.hpp"
#include "src/base/result.hpp"

namespace foretell::ingest::kineto {

Result<profile::Profile> load(std::string_view text, const ReadOptions& options = {});

// Every fact and every row of a profile, strings resolved: equal text, equal profile.
std::string dump(const profile::Profile& profile);

// The outcome of reading as text, whichever it is.
std::string outcome(std::string_view text, const ReadOptions& options);

}  // namespace foretell::ingest::kineto
