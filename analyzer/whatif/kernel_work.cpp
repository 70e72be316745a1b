// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/kernel_work.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analyzer/timeline/copies.hpp"
#include "analyzer/whatif/kernel_geometry.hpp"
#include "analyzer/whatif/op_shapes.hpp"
#include "analyzer/whatif/op_work.hpp"

namespace foretell::whatif {
namespace {

using profile::ActivityKind;
using profile::kNoRow;
using profile::Profile;
using timeline::KernelClass;

// How far outside the launching op its shapes are looked for. An op that calls the launching one through more
// levels takes other arguments.
constexpr int kMostLevels = 3;

bool moves_memory(KernelClass kernel_class) {
  return timeline::is_fusible(kernel_class) || kernel_class == KernelClass::Gather ||
         kernel_class == KernelClass::Fused;
}

Precision precision_of(DType dtype, std::string_view kernel_name) {
  switch (dtype) {
    case DType::Float32: {
      // "tf32" in cuDNN's and cuBLAS's newer names; 1688 is the shape of the TF32 instruction in CUTLASS's.
      const bool tf32 =
          kernel_name.find("tf32") != kernel_name.npos || kernel_name.find("s1688") != kernel_name.npos;
      return tf32 ? Precision::Tf32 : Precision::Fp32;
    }
    case DType::Float16: return Precision::Fp16;
    case DType::BFloat16: return Precision::Bf16;
    case DType::Float8: return Precision::Fp8;
    case DType::Unknown:
    case DType::Bool:
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::Float64:
    case DType::Complex64:
    case DType::Complex128: break;
  }
  return Precision::Unknown;
}

// What decides the work of an op: ops alike are computed once.
struct CallKey {
  StringId op, dims, types, concrete;
  KernelClass kernel_class;
  DType fallback;
  friend bool operator==(const CallKey&, const CallKey&) = default;
};
struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {std::uint64_t{index_of(key.op)}, std::uint64_t{index_of(key.dims)},
          std::uint64_t{index_of(key.types)}, std::uint64_t{index_of(key.concrete)},
          std::uint64_t{static_cast<std::uint8_t>(key.kernel_class)} << 8 |
              std::uint64_t{static_cast<std::uint8_t>(key.fallback)}}) {
      hash = (hash ^ part) * kMix;
      hash ^= hash >> 32;
    }
    return hash;
  }
};
struct Call {
  OpWork work;
  bool has_tensors = false;
};

// What a kernel's name alone tells; each name is read once.
struct NameFacts {
  DType dtype = DType::Unknown;
  ElementwiseTraits elementwise;
};

class WorkCounter {
 public:
  WorkCounter(const Profile& profile, const timeline::Timeline& timeline, double bandwidth)
      : profile_(profile), timeline_(timeline), dram_bytes_per_ns_(bandwidth) {
    const std::size_t rows = profile.activities.size();
    work_.bytes.resize(rows, 0);
    work_.flops.resize(rows, 0);
    work_.bytes_source.resize(rows, WorkSource::None);
    work_.precision.resize(rows, Precision::Unknown);
    names_.resize(profile.strings.size());
  }

  KernelWork count() && {
    const std::uint32_t rows = static_cast<std::uint32_t>(profile_.activities.size());
    for (std::uint32_t row = 0; row < rows; ++row) {
      switch (profile_.activities.kind[row]) {
        case ActivityKind::Memcpy:
        case ActivityKind::Memset: count_copy(row); break;
        case ActivityKind::Kernel: find_call(row); break;
        case ActivityKind::Sync: break;
      }
    }
    share_calls();
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (profile_.activities.kind[row] == ActivityKind::Kernel && work_.bytes[row] <= 0) {
        estimate(row);
      }
    }
    return std::move(work_);
  }

 private:
  struct Member {
    std::uint32_t op, row;
    const Call* call;
  };

  const NameFacts& facts_of(std::uint32_t row) {
    const StringId name = profile_.activities.name[row];
    std::optional<NameFacts>& facts = names_[index_of(name)];
    if (!facts) {
      const std::string_view text = profile_.text(name);
      facts = {.dtype = dtype_in_name(text), .elementwise = read_elementwise_traits(text)};
    }
    return *facts;
  }

  void count_copy(std::uint32_t row) {
    const std::int64_t bytes = profile_.activities.bytes[row];
    if (bytes <= 0) {
      return;
    }
    const std::string_view name = profile_.text(profile_.activities.name[row]);
    const bool within = timeline::copy_direction(name) == timeline::CopyDirection::DeviceToDevice;
    work_.bytes[row] = static_cast<double>(bytes) * (within ? 2 : 1);
    work_.bytes_source[row] = WorkSource::Recorded;
  }

  const Call& call_of(std::uint32_t op, std::uint32_t row) {
    const std::uint32_t detail = profile_.host_ops.detail[op];
    const profile::OpDetails& details = profile_.op_details;
    const CallKey key{.op = profile_.host_ops.name[op],
                      .dims = details.input_dims[detail],
                      .types = details.input_types[detail],
                      .concrete = details.concrete_inputs[detail],
                      .kernel_class = timeline_.classes[row],
                      .fallback = facts_of(row).dtype};
    const auto [at, is_new] = calls_.try_emplace(key);
    if (is_new) {
      const std::vector<Argument> arguments =
          parse_arguments(profile_.text(key.dims), profile_.text(key.types), profile_.text(key.concrete));
      at->second.has_tensors = std::ranges::any_of(arguments, &Argument::is_tensor);
      at->second.work = compute_op_work(profile_.text(key.op), arguments, key.kernel_class, key.fallback);
    }
    return at->second;
  }

  void find_call(std::uint32_t row) {
    std::uint32_t op = timeline_.links.op_of_activity[row];
    for (int level = 0; op != kNoRow && level < kMostLevels; ++level, op = profile_.host_ops.parent[op]) {
      if (profile_.host_ops.kind[op] != profile::HostOpKind::Operator) {
        return;
      }
      const std::uint32_t detail = profile_.host_ops.detail[op];
      if (detail == kNoRow || profile_.op_details.input_dims[detail] == StringId::Empty) {
        continue;
      }
      const Call& call = call_of(op, row);
      if (!call.has_tensors) {
        continue;
      }
      const bool wanted = call.work.bytes > 0 || call.work.flops > 0;
      if (wanted && (!call.work.of_library_only || timeline::is_compute_library(timeline_.classes[row]))) {
        members_.push_back({.op = op, .row = row, .call = &call});
      }
      return;
    }
  }

  void share_calls() {
    std::ranges::sort(members_, {}, [](const Member& each) { return std::pair(each.op, each.row); });
    for (std::size_t begin = 0; begin < members_.size();) {
      std::size_t end = begin;
      double total_ns = 0;
      while (end < members_.size() && members_[end].op == members_[begin].op) {
        total_ns += static_cast<double>(timeline_.audit.duration_ns[members_[end++].row]);
      }
      for (std::size_t i = begin; i < end; ++i) {
        const auto& [op, row, call] = members_[i];
        const double own_ns = static_cast<double>(timeline_.audit.duration_ns[row]);
        const double share = total_ns > 0 ? own_ns / total_ns : 1.0 / static_cast<double>(end - begin);
        work_.bytes[row] = call->work.bytes * share;
        work_.flops[row] = call->work.flops * share;
        work_.bytes_source[row] = work_.bytes[row] > 0 ? WorkSource::Shapes : WorkSource::None;
        if (work_.flops[row] > 0) {
          work_.precision[row] = precision_of(call->work.dtype, profile_.text(profile_.activities.name[row]));
        }
      }
      begin = end;
    }
  }

  // Without shapes.
  void estimate(std::uint32_t row) {
    const std::uint32_t launch = profile_.activities.launch[row];
    if (launch != kNoRow) {
      const profile::KernelLaunches& launches = profile_.kernel_launches;
      const auto volume = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
        return static_cast<double>(std::max(x, 0)) * std::max(y, 1) * std::max(z, 1);
      };
      work_.bytes[row] =
          bound_bytes(facts_of(row).elementwise,
                      volume(launches.grid_x[launch], launches.grid_y[launch], launches.grid_z[launch]),
                      volume(launches.block_x[launch], launches.block_y[launch], launches.block_z[launch]));
      work_.bytes_source[row] = work_.bytes[row] > 0 ? WorkSource::Geometry : WorkSource::None;
    }
    if (work_.bytes[row] <= 0 && moves_memory(timeline_.classes[row]) && dram_bytes_per_ns_ > 0) {
      work_.bytes[row] = static_cast<double>(timeline_.audit.duration_ns[row]) * dram_bytes_per_ns_;
      work_.bytes_source[row] = work_.bytes[row] > 0 ? WorkSource::Bandwidth : WorkSource::None;
    }
  }

  const Profile& profile_;
  const timeline::Timeline& timeline_;
  double dram_bytes_per_ns_;
  KernelWork work_;
  std::vector<std::optional<NameFacts>> names_;           // by StringId
  std::unordered_map<CallKey, Call, CallKeyHash> calls_;  // nodes stay in place
  std::vector<Member> members_;
};

}  // namespace

std::string_view to_string(WorkSource source) {
  switch (source) {
    case WorkSource::None: return "none";
    case WorkSource::Recorded: return "recorded";
    case WorkSource::Shapes: return "shapes";
    case WorkSource::Geometry: return "geometry";
    case WorkSource::Bandwidth: return "bandwidth";
  }
  return "none";
}

Provenance provenance_of(WorkSource source) {
  switch (source) {
    case WorkSource::Recorded: return Provenance::Measured;
    case WorkSource::Shapes:
    case WorkSource::Geometry: return Provenance::Derived;
    case WorkSource::None:
    case WorkSource::Bandwidth: break;
  }
  return Provenance::Assumed;
}

double dram_bytes_per_ns(const cost::Device& device) {
  const auto& bandwidth = device.dram_achievable_gbps ? device.dram_achievable_gbps : device.dram_peak_gbps;
  return bandwidth ? bandwidth->expected : 0;
}

KernelWork compute_kernel_work(const Profile& profile, const timeline::Timeline& timeline, double bandwidth) {
  return WorkCounter(profile, timeline, bandwidth).count();
}

}  // namespace foretell::whatif
