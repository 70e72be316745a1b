// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/modules.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "analyzer/timeline/op_times.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::timeline {
namespace {

using namespace profile;

constexpr std::string_view kFramePrefix = "nn.Module: ";
constexpr std::size_t kLongestPath = 4096;  // characters: no model nests that deep, a broken file may

std::vector<bool> names_of_modules(const Profile& profile) {
  std::vector<bool> is_module(profile.strings.size(), false);
  for (std::uint32_t id = 0; id < is_module.size(); ++id) {
    is_module[id] = profile.text(StringId{id}).starts_with(kFramePrefix);
  }
  return is_module;
}

// Gives every host op its module, in two rounds: first what runs forward, then what a backward op encloses,
// which may be modules again (activation checkpoints run their forward within the backward).
class ModuleTree {
 public:
  explicit ModuleTree(const Profile& profile)
      : profile_(profile), ops_(profile.host_ops), is_module_(names_of_modules(profile)) {}

  bool build(Modules& out) {
    modules_ = &out;
    if (!names_modules()) {
      return false;
    }
    out.module_of_op.resize(ops_.size(), kNoRow);
    backward_.resize(ops_.size(), false);
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      const std::uint32_t parent = ops_.parent[row];
      backward_[row] = is_linked_backward(row) || (parent != kNoRow && backward_[parent]);
      if (!backward_[row]) {
        place(row, parent == kNoRow ? kNoRow : out.module_of_op[parent]);
      }
    }
    collect_forward();
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      if (!backward_[row]) {
        continue;
      }
      std::uint32_t around = is_linked_backward(row) ? forward_module(row) : kNoRow;
      if (around == kNoRow && ops_.parent[row] != kNoRow) {
        around = out.module_of_op[ops_.parent[row]];
      }
      place(row, around);
    }
    return !out.all.empty();
  }

 private:
  struct Forward {
    RecordId sequence;
    std::uint32_t row;
  };

  [[nodiscard]] bool names_modules() const {
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      if (is_frame(row)) {
        return true;
      }
    }
    return std::ranges::any_of(profile_.op_details.module_hierarchy,
                               [](StringId text) { return text != StringId::Empty; });
  }
  [[nodiscard]] bool is_frame(std::uint32_t row) const {
    return ops_.kind[row] == HostOpKind::PythonFunction && is_module_[index_of(ops_.name[row])];
  }
  // Forward ops carry thread 0 beside their sequence number.
  [[nodiscard]] bool is_linked_backward(std::uint32_t row) const {
    const std::uint32_t detail = ops_.detail[row];
    return detail != kNoRow && profile_.op_details.forward_thread[detail] > 0 &&
           profile_.op_details.sequence_number[detail] >= 0;
  }

  std::uint32_t child(std::uint32_t parent, StringId name) {
    if (parent != kNoRow && modules_->all[parent].name == name) {
      return parent;  // a module that calls itself is one
    }
    const std::uint64_t key = std::uint64_t{parent} << 32 | index_of(name);
    const auto [found, added] = by_place_.try_emplace(key, static_cast<std::uint32_t>(modules_->all.size()));
    if (added) {
      modules_->all.push_back({.name = name, .parent = parent});
    }
    return found->second;
  }

  // `around`: the module the row runs in, unless it says itself.
  void place(std::uint32_t row, std::uint32_t around) {
    std::uint32_t& module = modules_->module_of_op[row];
    module = around;
    if (is_frame(row)) {
      module = child(around, ops_.name[row]);
    } else if (const std::uint32_t detail = ops_.detail[row];
               detail != kNoRow && (around == kNoRow || !is_module_[index_of(modules_->all[around].name)])) {
      const StringId hierarchy = profile_.op_details.module_hierarchy[detail];
      module = hierarchy == StringId::Empty ? around : child(kNoRow, hierarchy);
    }
    if (module != around) {
      ++modules_->all[module].calls;
    }
  }

  // The op that made the backward node is the last one of its sequence number: those before it only saw the
  // number that would come next.
  void collect_forward() {
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      const std::uint32_t detail = ops_.detail[row];
      if (detail != kNoRow && !backward_[row] && profile_.op_details.sequence_number[detail] >= 0) {
        forward_.push_back({profile_.op_details.sequence_number[detail], row});
      }
    }
    if (!std::ranges::is_sorted(forward_, {}, &Forward::sequence)) {
      std::ranges::stable_sort(forward_, {}, &Forward::sequence);
    }
  }
  [[nodiscard]] std::uint32_t forward_module(std::uint32_t row) const {
    const RecordId sequence = profile_.op_details.sequence_number[ops_.detail[row]];
    const auto behind = std::ranges::upper_bound(forward_, sequence, {}, &Forward::sequence);
    if (behind == forward_.begin() || std::prev(behind)->sequence != sequence) {
      return kNoRow;
    }
    const std::uint32_t forward = std::prev(behind)->row;
    return ops_.start_ns[forward] <= ops_.start_ns[row] ? modules_->module_of_op[forward] : kNoRow;
  }

  const Profile& profile_;
  const HostOps& ops_;
  std::vector<bool> is_module_;
  std::vector<bool> backward_;  // a backward op is among the row and what is around it
  std::vector<Forward> forward_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_place_;
  Modules* modules_ = nullptr;
};

// A call runs in the module of the innermost row that is open on its thread, a Python frame perhaps; failing
// that, of the op it is linked to.
void place_calls(const Profile& profile, const Links& links, Modules& modules) {
  const HostOps& ops = profile.host_ops;
  const ApiCalls& calls = profile.api_calls;
  modules.module_of_call.resize(calls.size(), kNoRow);
  std::uint32_t op = 0;
  std::uint32_t open = kNoRow;
  for (std::uint32_t call = 0; call < calls.size(); ++call) {
    const std::uint32_t thread = calls.thread[call];
    while (op < ops.size() && (ops.thread[op] < thread ||
                               (ops.thread[op] == thread && ops.start_ns[op] <= calls.start_ns[call]))) {
      open = op++;
    }
    // what has ended stays ended for the calls behind this one
    while (open != kNoRow && (ops.thread[open] != thread ||
                              ops.start_ns[open] + ops.duration_ns[open] <= calls.start_ns[call])) {
      open = ops.parent[open];
    }
    const std::uint32_t row = open != kNoRow ? open : links.op_of_call[call];
    modules.module_of_call[call] = row == kNoRow ? kNoRow : modules.module_of_op[row];
  }
}

void measure(const Profile& profile, const Links& links, const DurationAudit& audit, Modules& modules) {
  const HostOps& ops = profile.host_ops;
  const Column<std::int64_t> self = compute_self_times(ops);
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const std::uint32_t module = modules.module_of_op[row];
    if (module != kNoRow && ops.kind[row] == HostOpKind::Operator) {
      add_saturated(modules.all[module].self_cpu_ns, self[row]);
    }
  }
  for (std::uint32_t call = 0; call < profile.api_calls.size(); ++call) {
    const std::uint32_t module = modules.module_of_call[call];
    if (module != kNoRow && is_launch(profile.api_calls.kind[call])) {
      ++modules.all[module].launches;
    }
  }
  const DeviceActivities& activities = profile.activities;
  modules.module_of_activity.resize(activities.size(), kNoRow);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    const std::uint32_t call = links.call_of_activity[row];
    const std::uint32_t op = links.op_of_activity[row];
    const std::uint32_t module = call != kNoRow ? modules.module_of_call[call]
                                 : op != kNoRow ? modules.module_of_op[op]
                                                : kNoRow;
    modules.module_of_activity[row] = module;
    if (module != kNoRow) {
      add_saturated(modules.all[module].device_ns, audit.duration_ns[row]);
      modules.all[module].kernels += activities.kind[row] == ActivityKind::Kernel ? 1 : 0;
    }
  }
}

void sort_modules(const Profile& profile, Modules& modules) {
  std::vector<std::uint32_t> order(modules.all.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto cost = [&](std::uint32_t module) {
    std::int64_t sum = modules.all[module].self_cpu_ns;
    add_saturated(sum, modules.all[module].device_ns);
    return sum;
  };
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return cost(a) != cost(b) ? cost(a) > cost(b)
                              : profile.text(modules.all[a].name) < profile.text(modules.all[b].name);
  });
  std::vector<std::uint32_t> place(order.size());
  std::vector<Module> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    place[order[at]] = at;
    sorted.push_back(modules.all[order[at]]);
  }
  modules.all = std::move(sorted);
  const auto moved = [&](std::uint32_t& module) { module = module == kNoRow ? kNoRow : place[module]; };
  for (Module& module : modules.all) {
    moved(module.parent);
  }
  std::ranges::for_each(modules.module_of_op, moved);
  std::ranges::for_each(modules.module_of_call, moved);
  std::ranges::for_each(modules.module_of_activity, moved);
}

}  // namespace

Modules compute_modules(const Profile& profile, const Links& links, const DurationAudit& audit) {
  Modules modules;
  if (!ModuleTree(profile).build(modules)) {
    return {};
  }
  place_calls(profile, links, modules);
  measure(profile, links, audit, modules);
  sort_modules(profile, modules);
  return modules;
}

std::string module_path(const Profile& profile, const Modules& modules, std::uint32_t module) {
  std::vector<std::string_view> names;  // innermost first
  std::size_t length = 0;
  for (; module < modules.all.size(); module = modules.all[module].parent) {
    std::string_view name = profile.text(modules.all[module].name);
    name.remove_prefix(name.starts_with(kFramePrefix) ? kFramePrefix.size() : 0);
    length += name.size() + 1;
    if (!names.empty() && length > kLongestPath) {
      names.emplace_back("...");
      break;
    }
    names.push_back(name);
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    path.append(path.empty() ? "" : "/").append(*name);
  }
  return printable(path);
}

}  // namespace foretell::timeline
