// SPDX-License-Identifier: Apache-2.0
#include "fusion-engine/codegen/print_cpp_mentions.hpp"

#include <variant>

namespace foretell::codegen {
namespace {

namespace loop = ir::loop;

void add(const loop::Place& at, Mentions& mentions) {
  for (const loop::Term& term : at.terms) {
    mentions.indices.insert(term.index);
  }
}

void add(const loop::Expr& value, Mentions& mentions) {
  if (const auto* load = std::get_if<loop::Load>(&value)) {
    mentions.buffers.insert(load->buffer);
    add(load->at, mentions);
  } else if (const auto* index = std::get_if<loop::Index>(&value)) {
    add(index->at, mentions);
  } else if (const auto* random = std::get_if<loop::Random>(&value)) {
    add(random->at, mentions);
  }
}

}  // namespace

void find_mentions(const std::vector<loop::Statement>& statements, Mentions& mentions) {
  for (const loop::Statement& statement : statements) {
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
      add(let->value, mentions);
    } else if (const auto* store = std::get_if<loop::Store>(&statement.node)) {
      mentions.buffers.insert(store->buffer);
      mentions.stored.insert(store->buffer);
      add(store->at, mentions);
      mentions.streams = mentions.streams || store->stream;
    } else if (const auto* prefetch = std::get_if<loop::Prefetch>(&statement.node)) {
      mentions.buffers.insert(prefetch->buffer);
      add(prefetch->at, mentions);
    } else if (const auto* inner = std::get_if<loop::For>(&statement.node)) {
      find_mentions(inner->body, mentions);
    } else if (std::holds_alternative<loop::Update>(statement.node)) {
      mentions.accumulates = true;
    }
  }
}

Mentions find_mentions(const std::vector<loop::Statement>& statements) {
  Mentions mentions;
  find_mentions(statements, mentions);
  return mentions;
}

}  // namespace foretell::codegen
