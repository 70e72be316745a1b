// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/copies.hpp"

#include <gtest/gtest.h>

namespace foretell::timeline {
namespace {

struct CopyCase {
  std::string_view name;
  CopyDirection direction;
  bool pageable;
};

TEST(Copies, TheNameSaysDirectionAndKindOfMemory) {
  for (const CopyCase& row : {
           CopyCase{"Memcpy HtoD (Pageable -> Device)", CopyDirection::HostToDevice, true},
           CopyCase{"Memcpy HtoD (Pinned -> Device)", CopyDirection::HostToDevice, false},
           CopyCase{"Memcpy DtoH (Device -> Pageable)", CopyDirection::DeviceToHost, true},
           CopyCase{"Memcpy DtoD (Device -> Device)", CopyDirection::DeviceToDevice, false},
           CopyCase{"Memcpy PtoP (Device -> Device)", CopyDirection::DeviceToDevice, false},
           CopyCase{"CopyHostToDevice", CopyDirection::HostToDevice, false},
           CopyCase{"CopyDeviceToHost", CopyDirection::DeviceToHost, false},
           CopyCase{"CopyDeviceToDevice", CopyDirection::DeviceToDevice, false},
           CopyCase{"Memcpy (Device -> Pinned)", CopyDirection::DeviceToHost, false},
           CopyCase{"Memcpy", CopyDirection::Unknown, false},
           CopyCase{"", CopyDirection::Unknown, false},
       }) {
    EXPECT_EQ(copy_direction(row.name), row.direction) << row.name;
    EXPECT_EQ(is_pageable_copy(row.name), row.pageable) << row.name;
  }
}

}  // namespace
}  // namespace foretell::timeline
