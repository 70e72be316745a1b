// SPDX-License-Identifier: Apache-2.0
#include "src/base/string_table.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "src/base/check.hpp"

namespace foretell {

StringTable::StringTable() : slots_(64, 0) { intern({}); }

StringId StringTable::intern(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>{}(text);
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    const std::uint32_t id = slots_[slot] - 1;
    if (hashes_[id] == hash && texts_[id] == text) {
      return StringId{id};
    }
    slot = (slot + 1) & (slots_.size() - 1);
  }
  FORETELL_CHECK(texts_.size() < UINT32_MAX - 1);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back(store(text));
  hashes_.push_back(hash);
  slots_[slot] = id + 1;
  if (texts_.size() * 2 > slots_.size()) {
    grow();
  }
  return StringId{id};
}

void StringTable::replace(StringId id, std::string_view text) { texts_[index_of(id)] = store(text); }

void StringTable::clear() {
  texts_.clear();
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
  long_texts_.clear();
  blocks_.resize(std::min<std::size_t>(blocks_.size(), 1));
  allocated_bytes_ = blocks_.size() * kBlockBytes;
  block_used_ = blocks_.empty() ? kBlockBytes : 0;
  intern({});
}

std::string_view StringTable::store(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  if (text.size() > kBlockBytes / 4) {
    auto own = std::make_unique_for_overwrite<char[]>(text.size());
    std::memcpy(own.get(), text.data(), text.size());
    allocated_bytes_ += text.size();
    long_texts_.push_back(std::move(own));
    return {long_texts_.back().get(), text.size()};
  }
  if (block_used_ + text.size() > kBlockBytes) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
    allocated_bytes_ += kBlockBytes;
    block_used_ = 0;
  }
  char* data = blocks_.back().get() + block_used_;
  std::memcpy(data, text.data(), text.size());
  block_used_ += text.size();
  return {data, text.size()};
}

void StringTable::grow() {
  std::vector<std::uint32_t> slots(slots_.size() * 2, 0);
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    std::size_t slot = hashes_[id] & (slots.size() - 1);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slots.size() - 1);
    }
    slots[slot] = id + 1;
  }
  slots_ = std::move(slots);
}

}  // namespace foretell
