// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/fusion_member.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "src/base/saturate.hpp"

namespace foretell::whatif {
namespace {

using namespace profile;
using timeline::KernelClass;

// How far outside the launching op its shapes are looked for, as compute_kernel_work() does.
constexpr int kMostLevels = 3;

bool in_place(std::string_view op) { return op.ends_with('_'); }

// A parent has a smaller row than its children.
std::vector<bool> find_optimizer_ops(const Profile& profile) {
  const HostOps& ops = profile.host_ops;
  std::vector<bool> found(ops.size(), false);
  for (std::size_t row = 0; row < ops.size(); ++row) {
    const std::uint32_t parent = row < ops.parent.size() ? ops.parent[row] : kNoRow;
    found[row] = (parent < row && found[parent]) ||
                 (ops.kind[row] == HostOpKind::UserAnnotation &&
                  profile.text(ops.name[row]).starts_with("Optimizer.step"));  // the framework's own range
  }
  return found;
}

}  // namespace

FusionMemberReader::FusionMemberReader(const Profile& profile, const timeline::Timeline& timeline,
                                       const KernelWork& work)
    : profile_(profile), timeline_(timeline), work_(work), in_optimizer_(find_optimizer_ops(profile)) {}

std::size_t FusionMemberReader::OpKeyHash::operator()(const OpKey& key) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = 0;
  for (const StringId part : {key.op, key.dims, key.types}) {
    hash = (hash ^ index_of(part)) * kMix;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

const FusionMemberReader::OpFacts& FusionMemberReader::facts_of_op(std::uint32_t op) {
  const std::uint32_t detail = profile_.host_ops.detail[op];
  const OpKey key{.op = profile_.host_ops.name[op],
                  .dims = profile_.op_details.input_dims[detail],
                  .types = profile_.op_details.input_types[detail]};
  const auto [at, inserted] = op_facts_.try_emplace(key);
  if (inserted) {
    const std::vector<Argument> arguments =
        parse_arguments(profile_.text(key.dims), profile_.text(key.types), {});
    double elements = 0;
    std::vector<Dims> shapes;
    for (const Argument& argument : arguments) {
      elements = std::max(elements, argument.elements());
      shapes.insert(shapes.end(), argument.tensors.begin(), argument.tensors.end());
    }
    if (const auto result = broadcast(shapes)) {
      elements = std::max(elements, shapes.empty() ? 0 : count_elements(*result));
    }
    at->second.extent = {.low = elements, .high = elements};
    at->second.split = split_by_arguments(profile_.text(key.op), arguments);
  }
  return at->second;
}

const FusionMemberReader::NameFacts& FusionMemberReader::facts_of_name(StringId name) {
  const auto [at, inserted] = name_facts_.try_emplace(name);
  if (inserted) {
    const std::string_view text = profile_.text(name);
    at->second = {.split = split_by_name(text), .elementwise = read_elementwise_traits(text)};
  }
  return at->second;
}

void FusionMemberReader::read_geometry(FusionMember& member, const ElementwiseTraits& traits) const {
  const KernelLaunches& launches = profile_.kernel_launches;
  const std::uint32_t launch = profile_.activities.launch[member.row];
  if (launch >= launches.size()) {
    return;
  }
  const auto product = [](double x, double y, double z) { return x > 0 && y > 0 && z > 0 ? x * y * z : 0; };
  const double blocks = product(launches.grid_x[launch], launches.grid_y[launch], launches.grid_z[launch]);
  const double block = product(launches.block_x[launch], launches.block_y[launch], launches.block_z[launch]);
  member.threads = blocks * block;
  member.extent = extent_of_geometry(traits, blocks, block);
}

void FusionMemberReader::read_shapes(FusionMember& member, const NameSplit& by_name) {
  const HostOps& ops = profile_.host_ops;
  member.split = by_name.split;
  std::uint32_t op = member.op;
  for (int level = 0; level < kMostLevels && op < ops.size(); ++level, op = ops.parent[op]) {
    if (ops.kind[op] != HostOpKind::Operator) {
      break;
    }
    if (ops.detail[op] >= profile_.op_details.size()) {
      continue;
    }
    const OpFacts& facts = facts_of_op(op);
    if (facts.extent.known()) {
      member.shaped_op = op;
      member.extent = facts.extent;
      if (facts.split && !by_name.certain) {
        member.split = *facts.split;
      }
      break;
    }
  }
  if (member.kernel_class == KernelClass::Fill) {
    member.split = {.reads = 0, .side_reads = 0, .writes = 1};
  }
}

FusionMember FusionMemberReader::read(std::uint32_t row) {
  const DeviceActivities& activities = profile_.activities;
  FusionMember member{.row = row,
                      .op = timeline_.links.op_of_activity[row],
                      .call = timeline_.links.call_of_activity[row],
                      .name = activities.name[row],
                      .kernel_class = timeline_.classes[row],
                      .bytes = std::isfinite(work_.bytes[row]) ? std::max(work_.bytes[row], 0.0) : 0,
                      .source = work_.bytes_source[row],
                      .start_ns = activities.start_ns[row],
                      .end_ns = activities.start_ns[row],
                      .duration_ns = timeline_.audit.duration_ns[row]};
  add_saturated(member.end_ns, member.duration_ns);
  member.in_replay =
      activities.graph_id[row] != kNoId || (member.call < profile_.api_calls.size() &&
                                            profile_.api_calls.kind[member.call] == ApiKind::GraphLaunch);
  member.lasting = member.kernel_class == KernelClass::Optimizer ||
                   (member.op < in_optimizer_.size() && in_optimizer_[member.op] &&
                    in_place(profile_.text(profile_.host_ops.name[member.op])));
  const NameFacts& facts = facts_of_name(member.name);
  read_geometry(member, facts.elementwise);
  read_shapes(member, facts.split);
  member.evident = member.extent.known() || member.threads > 0;
  return member;
}

}  // namespace foretell::whatif
