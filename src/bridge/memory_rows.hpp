// SPDX-License-Identifier: Apache-2.0
// Planned memory, as the report and its picture show it.
#pragma once

#include <string>

#include "fusion-engine/runtime/memory_layout.hpp"
#include "reports/memory_picture.hpp"
#include "reports/run_model.hpp"

namespace foretell::bridge {

reports::MemoryRow memory_row(const runtime::MemoryLayout& layout);
reports::MemoryPicture memory_picture(const runtime::MemoryLayout& layout, std::string title);

}  // namespace foretell::bridge
