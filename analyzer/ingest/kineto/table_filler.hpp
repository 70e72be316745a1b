// SPDX-License-Identifier: Apache-2.0
// From batches of events, in file order, to the Profile's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/ingest/kineto/event_batch.hpp"
#include "analyzer/profile/profile_builder.hpp"

namespace foretell::ingest::kineto {

class TableFiller {
 public:
  explicit TableFiller(profile::ProfileBuilder& builder) : builder_(builder) {}

  void append(const EventBatch& batch);

  // After the last batch: mends names that were read from an unescaped writer, tells the vendor and
  // generation.
  void finish();

 private:
  enum class NameClass : std::uint8_t { Unseen, Plain, ProfilerStep, ProfilerRow, Memory, Compile };
  struct NameFacts {
    NameClass kind = NameClass::Unseen;
    profile::CompileKind compile{};
    profile::ApiKind api{};
    bool api_known = false;
  };

  StringId remap(StringId id) const { return strings_[index_of(id)]; }
  profile::RecordId remap(profile::RecordId id) const;
  profile::TrackId remap(const profile::TrackId& track) const;
  // The number of a track label that is already remapped.
  std::int64_t number_of(const profile::TrackId& track) const;
  NameFacts& facts_of(StringId name);

  void append_complete(const EventBatch& batch, const Event& event);
  void append_host_op(const EventBatch& batch, const Event& event, profile::HostOpKind kind);
  void append_api_call(const Event& event);
  void append_activity(const EventBatch& batch, const Event& event, profile::ActivityKind kind);
  void append_communication(const EventBatch& batch, const Event& event, bool on_device);
  void append_instant(const EventBatch& batch, const Event& event);
  // False, and counted, where the event has no time stamp that can be used.
  bool has_usable_time(const Event& event);
  void cover(const Event& event);

  profile::ProfileBuilder& builder_;
  std::vector<StringId> strings_;      // batch id -> profile id
  std::vector<NameFacts> name_facts_;  // by profile id
  bool has_fraction_ = false;
  bool has_illegal_escapes_ = false;
  bool has_categories_ = false;
  bool has_legacy_rows_ = false;
  bool has_hip_calls_ = false;
  bool has_cuda_calls_ = false;
  std::optional<std::uint64_t> first_repair_;
};

}  // namespace foretell::ingest::kineto
