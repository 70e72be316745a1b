// SPDX-License-Identifier: Apache-2.0
// Names that Kineto files use: event categories, API calls, compiler markers. Spellings of every generation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/profile/profile.hpp"

namespace foretell::ingest::kineto {

enum class Category : std::uint8_t {
  None,  // the event has no category
  CpuOp,
  UserAnnotation,
  PythonFunction,
  Runtime,
  Driver,
  Kernel,
  Memcpy,
  Memset,
  Sync,
  DeviceAnnotation,
  Overhead,
  CounterRange,
  Trace,
  UnsupportedAccelerator,
  Unknown,
};

// Case does not matter.
Category category_of(std::string_view text);

// "MTIA" for "mtia_runtime": the accelerator of a category that is recognised and declined.
std::string_view accelerator_of(std::string_view category);

// Kind of a runtime or driver API call by its name; suffixes (_v11060, _ptsz) and vendors don't matter.
profile::ApiKind api_kind_of(std::string_view name);

// Compiler markers among host ops; nullopt: none.
std::optional<profile::CompileKind> compile_kind_of(std::string_view name);

}  // namespace foretell::ingest::kineto
