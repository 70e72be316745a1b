// SPDX-License-Identifier: Apache-2.0
// Interned strings: equal text has one id, ids are dense and in order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace foretell {

// Id 0 is the empty string in every table.
enum class StringId : std::uint32_t { Empty = 0 };

constexpr std::uint32_t index_of(StringId id) { return static_cast<std::uint32_t>(id); }

class StringTable {
 public:
  StringTable();
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  // The text is copied; the id stays valid for the table's life.
  StringId intern(std::string_view text);

  [[nodiscard]] std::string_view operator[](StringId id) const { return texts_[index_of(id)]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::size_t allocated_bytes() const { return allocated_bytes_; }

  // Gives an id another text. Ids of equal text may then differ: use it only to mend what was read wrong.
  void replace(StringId id, std::string_view text);

  // Forgets all but the empty string; keeps its memory for the next use.
  void clear();

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

  std::string_view store(std::string_view text);
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> hashes_;                // by id
  std::vector<std::uint32_t> slots_;                 // open addressing: id + 1, 0 is free
  std::vector<std::unique_ptr<char[]>> blocks_;      // kBlockBytes each, filled in order
  std::vector<std::unique_ptr<char[]>> long_texts_;  // one text each
  std::size_t block_used_ = kBlockBytes;
  std::size_t allocated_bytes_ = 0;
};

}  // namespace foretell
