// SPDX-License-Identifier: Apache-2.0
// What the name of a copy record says: "Memcpy HtoD (Pageable -> Device)", "CopyHostToDevice".
#pragma once

#include <cstdint>
#include <string_view>

namespace foretell::timeline {

enum class CopyDirection : std::uint8_t { Unknown, HostToDevice, DeviceToHost, DeviceToDevice, HostToHost };
CopyDirection copy_direction(std::string_view name);

// Through ordinary host memory: such a copy holds its caller.
bool is_pageable_copy(std::string_view name);

}  // namespace foretell::timeline
