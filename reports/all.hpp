// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "reports/renderer.hpp"

namespace foretell::reports {

// Every report format; the first is the default.
std::span<const Renderer> all_renderers();

}  // namespace foretell::reports
