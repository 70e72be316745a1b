// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ingest/kineto/metadata.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "analyzer/ingest/kineto/decimal_time.hpp"

namespace foretell::ingest::kineto {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

std::optional<std::int64_t> integer(element value) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) == simdjson::SUCCESS) {
    return number;
  }
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) {
    return parse_integer(text);
  }
  bool flag = false;
  if (value.get_bool().get(flag) == simdjson::SUCCESS) {
    return flag ? 1 : 0;
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer(object fields, std::string_view key) {
  element value;
  return fields[key].get(value) == simdjson::SUCCESS ? integer(value) : std::nullopt;
}

std::optional<bool> flag(element value) {
  const auto number = integer(value);
  return number ? std::optional(*number != 0) : std::nullopt;
}

// The keys as they were first and are now.
std::optional<std::int64_t> either(object fields, std::string_view now, std::string_view before) {
  const auto value = integer(fields, now);
  return value ? value : integer(fields, before);
}

void set_devices(element value, profile::ProfileBuilder& builder) {
  simdjson::dom::array devices;
  if (value.get_array().get(devices) != simdjson::SUCCESS) {
    return;
  }
  for (const element listed : devices) {
    object fields;
    if (listed.get_object().get(fields) != simdjson::SUCCESS) {
      continue;
    }
    const auto id = integer(fields, "id");
    if (!id) {
      continue;
    }
    profile::Device& device = builder.profile().devices[builder.device(*id)];
    std::string_view name;
    if (fields["name"].get_string().get(name) == simdjson::SUCCESS) {
      device.name = name;
    }
    device.compute_major = either(fields, "computeMajor", "major");
    device.compute_minor = either(fields, "computeMinor", "minor");
    device.sm_count = either(fields, "numSms", "multiProcessorCount");
    device.warp_size = integer(fields, "warpSize");
    device.total_memory_bytes = either(fields, "totalGlobalMem", "totalMemory");
    device.max_threads_per_sm = integer(fields, "maxThreadsPerMultiprocessor");
    device.registers_per_sm = integer(fields, "regsPerMultiprocessor");
    device.shared_memory_per_sm_bytes = integer(fields, "sharedMemPerMultiprocessor");
    device.listed = true;
  }
}

}  // namespace

void set_metadata(std::string_view key, std::string_view json, profile::ProfileBuilder& builder) {
  constexpr std::array<std::string_view, 13> kKnown{
      "deviceProperties",    "computeProperties", "distributedInfo",     "baseTimeNanoseconds",
      "record_shapes",       "with_stack",        "profile_memory",      "cuda_runtime_version",
      "cuda_driver_version", "cupti_version",     "hip_runtime_version", "hip_driver_version",
      "roctracer_version",
  };
  if (std::ranges::find(kKnown, key) == kKnown.end()) {
    return;
  }
  simdjson::dom::parser parser;
  element value;
  if (parser.parse(json.data(), json.size()).get(value) != simdjson::SUCCESS) {
    return;
  }
  profile::TraceInfo& info = builder.profile().info;
  if (key == "deviceProperties" || key == "computeProperties") {
    set_devices(value, builder);
  } else if (key == "distributedInfo") {
    object fields;
    if (value.get_object().get(fields) == simdjson::SUCCESS) {
      info.rank = integer(fields, "rank");
      info.world_size = integer(fields, "world_size");
    }
  } else if (key == "baseTimeNanoseconds") {
    info.base_time_ns = integer(value);
  } else if (key == "record_shapes") {
    info.record_shapes = flag(value);
  } else if (key == "with_stack") {
    info.with_stack = flag(value);
  } else if (key == "profile_memory") {
    info.profile_memory = flag(value);
  } else if (key == "cuda_runtime_version") {
    info.cuda_runtime_version = integer(value);
  } else if (key == "cuda_driver_version") {
    info.cuda_driver_version = integer(value);
  } else if (key == "cupti_version") {
    info.cupti_version = integer(value);
  } else if (key == "hip_runtime_version") {
    info.hip_runtime_version = integer(value);
  } else if (key == "hip_driver_version") {
    info.hip_driver_version = integer(value);
  } else {
    info.roctracer_version = integer(value);
  }
}

}  // namespace foretell::ingest::kineto
