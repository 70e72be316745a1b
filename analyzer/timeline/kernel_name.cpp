// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/kernel_name.hpp"

#include <algorithm>
#include <array>

namespace foretell::timeline {
namespace {

// Kernels that say nothing of themselves: what they do is a template argument.
constexpr std::array<std::string_view, 3> kGeneric{"elementwise_kernel", "reduce_kernel",
                                                   "multi_tensor_apply"};
// What such an argument is called, and what can be left out of its name.
constexpr std::array<std::string_view, 5> kWorkers{"Functor", "_kernel_cuda", "Ops", "_kernel_impl",
                                                   "_functor"};
constexpr std::array<std::string_view, 2> kPrefixes{"CUDAFunctorOnSelf_", "CUDAFunctor_"};
constexpr std::array<std::string_view, 3> kSuffixes{"_kernel_cuda", "_kernel_impl", "Functor"};
constexpr std::string_view kLauncher = "gpu_kernel";  // gpu_kernel_impl_nocast and kin launch the worker

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trimmed(std::string_view worker) {
  for (const std::string_view prefix : kPrefixes) {
    if (worker.size() > prefix.size() && worker.starts_with(prefix)) {
      worker.remove_prefix(prefix.size());
    }
  }
  for (const std::string_view suffix : kSuffixes) {
    if (worker.size() > suffix.size() && worker.ends_with(suffix)) {
      worker.remove_suffix(suffix.size());
    }
  }
  return worker;
}

// The first identifier in the template arguments that names the work; empty: there is none.
std::string_view worker_of(std::string_view arguments) {
  std::size_t at = 0;
  while (at < arguments.size()) {
    const auto begin =
        std::find_if(arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end(), is_identifier);
    const auto end = std::find_if_not(begin, arguments.end(), is_identifier);
    const std::string_view word(begin, end);
    const bool names_work = std::ranges::any_of(
        kWorkers, [&](std::string_view part) { return word.find(part) != std::string_view::npos; });
    if (names_work && !word.starts_with(kLauncher) && !trimmed(word).empty()) {
      return trimmed(word);
    }
    at = static_cast<std::size_t>(end - arguments.begin());
  }
  return {};
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string_view rest = name.starts_with("void ") ? name.substr(5) : name;
  if (const std::size_t at = rest.find(kAnonymous); at != std::string_view::npos) {
    rest = rest.substr(at + kAnonymous.size());
  }
  const std::size_t end = rest.find_first_of("<(");
  std::string_view base = rest.substr(0, end);
  if (const std::size_t scope = base.rfind("::"); scope != std::string_view::npos) {
    base = base.substr(scope + 2);
  }
  const bool generic = std::ranges::any_of(
      kGeneric, [&](std::string_view part) { return base.find(part) != std::string_view::npos; });
  if (generic && end != std::string_view::npos) {
    if (const std::string_view worker = worker_of(rest.substr(end)); !worker.empty()) {
      return std::string(worker);
    }
  }
  return std::string(base.empty() ? name : base);
}

}  // namespace foretell::timeline
