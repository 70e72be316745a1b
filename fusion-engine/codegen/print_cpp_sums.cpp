// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/print_cpp_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;

const loop::Place* place_of(const loop::Statement& statement, bool with_prefetches) {
  if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
    const auto* load = std::get_if<loop::Load>(&let->value);
    return load == nullptr ? nullptr : &load->at;
  }
  if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
    return &store->at;
  }
  const auto* prefetch = std::get_if<loop::Prefetch>(&statement.node);
  return prefetch == nullptr || !with_prefetches ? nullptr : &prefetch->at;
}

void append_signed(std::string& text, bool negative, std::string_view term) {
  const std::string_view sign = text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
  text.append(sign).append(term);
}

}  // namespace

std::string sum_of_terms(const loop::Place& at) {
  std::string text;
  for (const loop::Term& term : at.terms) {
    const std::int64_t size = std::abs(term.stride);
    append_signed(text, term.stride < 0, size == 1 ? term.index : fmt::format("{} * {}", term.index, size));
  }
  return text;
}

std::string with_offset(std::string sum, const loop::Place& at) {
  if (at.offset != 0 || sum.empty()) {
    append_signed(sum, at.offset < 0, fmt::format("{}", std::abs(at.offset)));
  }
  return sum;
}

std::vector<NamedSums::Name> NamedSums::enter(const std::vector<loop::Statement>& statements,
                                              bool with_prefetches) {
  std::vector<std::pair<std::string, int>> counts;  // in order of first use
  for (const loop::Statement& statement : statements) {
    if (const loop::Place* at = place_of(statement, with_prefetches)) {
      const std::string sum = sum_of_terms(*at);
      const auto known = std::ranges::find(counts, sum, &std::pair<std::string, int>::first);
      known == counts.end() ? counts.emplace_back(sum, 1).second : ++known->second;
    }
  }
  std::vector<Name> added;
  std::vector<std::string> sums;
  for (const auto& [sum, count] : counts) {
    const bool is_named = std::ranges::any_of(
        in_blocks_, [&](const auto& block) { return std::ranges::find(block, sum) != block.end(); });
    if (count > 1 && sum.contains(' ') && !is_named) {
      const auto number = names_.size();
      added.push_back(
          {.sum = sum, .name = names_.try_emplace(sum, fmt::format("offset{}", number)).first->second});
      sums.push_back(sum);
    }
  }
  in_blocks_.push_back(std::move(sums));
  return added;
}

void NamedSums::leave() { in_blocks_.pop_back(); }

std::string NamedSums::text(const loop::Place& at) const {
  std::string sum = sum_of_terms(at);
  for (const auto& block : in_blocks_) {
    if (std::ranges::find(block, sum) != block.end()) {
      sum = names_.at(sum);
      break;
    }
  }
  return with_offset(std::move(sum), at);
}

}  // namespace foretell::codegen
