// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "analyzer/whatif/kernel_work.hpp"
#include "src/base/saturate.hpp"

namespace foretell::whatif {
namespace {

using profile::ActivityKind;
using timeline::KernelClass;

constexpr std::size_t kSources = static_cast<std::size_t>(WorkSource::Bandwidth) + 1;
constexpr std::size_t kPrecisions = static_cast<std::size_t>(Precision::Fp8) + 1;

// Sums of one class.
struct Sums {
  ClassRow row;
  std::array<double, kSources> bytes_by_source{};
  std::array<double, kPrecisions> flops_by_precision{};
  double told_bytes = 0, told_ns = 0;                                 // bytes not assumed
  double computing_ns = 0, computing_flops = 0, computing_bytes = 0;  // activities with flops
};

template <std::size_t N>
std::size_t largest_of(const std::array<double, N>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

// 0: unknown.
double peak_flops_per_ns(const cost::Device& device, Precision precision) {
  constexpr double kFlopsPerNsOfTflops = 1e3;
  const auto of = [](const std::optional<cost::Quantity>& peak) {
    return peak ? peak->expected * kFlopsPerNsOfTflops : 0;
  };
  switch (precision) {
    case Precision::Fp32: return of(device.fp32_tflops);
    case Precision::Tf32: return of(device.tf32_dense_tflops);
    case Precision::Bf16: return of(device.bf16_dense_tflops);
    case Precision::Fp8: return of(device.fp8_dense_tflops);
    case Precision::Fp16:
    case Precision::Unknown: break;
  }
  return of(device.fp16_dense_tflops);
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

ClassRow finish(const Sums& sums, double all_ns, const cost::Device& device) {
  ClassRow row = sums.row;
  row.share = ratio(static_cast<double>(row.device_ns), all_ns);
  row.bytes_source =
      row.bytes > 0 ? static_cast<WorkSource>(largest_of(sums.bytes_by_source)) : WorkSource::None;
  // figures of a small part would not speak for the class
  const bool told = sums.told_ns * 2 >= static_cast<double>(row.device_ns);
  row.bytes_per_ns = told ? ratio(sums.told_bytes, sums.told_ns) : 0;
  const bool computed = sums.computing_ns * 2 >= static_cast<double>(row.device_ns);
  row.flops_per_ns = computed ? ratio(sums.computing_flops, sums.computing_ns) : 0;
  row.flops_per_byte = computed ? ratio(sums.computing_flops, sums.computing_bytes) : 0;
  const double bandwidth = dram_bytes_per_ns(device);
  if (row.flops_per_byte > 0) {
    const double peak =
        peak_flops_per_ns(device, static_cast<Precision>(largest_of(sums.flops_by_precision)));
    if (peak > 0 && bandwidth > 0) {
      row.roof_share = ratio(row.flops_per_ns, std::min(peak, bandwidth * row.flops_per_byte));
    }
  } else if (sums.computing_flops <= 0) {
    row.roof_share = ratio(row.bytes_per_ns, bandwidth);
  }
  return row;
}

}  // namespace

std::vector<ClassRow> tabulate_classes(const profile::Profile& profile, const timeline::Timeline& timeline,
                                       const KernelWork& work, const cost::Device& device) {
  std::array<Sums, timeline::kKernelClasses> classes{};
  double all_ns = 0;
  for (std::size_t row = 0; row < profile.activities.size(); ++row) {
    if (profile.activities.kind[row] == ActivityKind::Sync) {
      continue;
    }
    const std::int64_t duration_ns = timeline.audit.duration_ns[row];
    const double ns = static_cast<double>(duration_ns);
    Sums& sums = classes[static_cast<std::size_t>(timeline.classes[row])];
    all_ns += ns;
    ++sums.row.activities;
    add_saturated(sums.row.device_ns, duration_ns);
    sums.row.bytes += work.bytes[row];
    sums.row.flops += work.flops[row];
    const WorkSource source = work.bytes_source[row];
    sums.bytes_by_source[static_cast<std::size_t>(source)] += work.bytes[row];
    if (source != WorkSource::None && source != WorkSource::Bandwidth) {
      sums.told_bytes += work.bytes[row];
      sums.told_ns += ns;
    }
    if (work.flops[row] > 0) {
      sums.flops_by_precision[static_cast<std::size_t>(work.precision[row])] += work.flops[row];
      sums.computing_ns += ns;
      sums.computing_flops += work.flops[row];
      sums.computing_bytes += work.bytes[row];
    }
  }
  std::vector<ClassRow> rows;
  for (std::size_t each = 0; each < classes.size(); ++each) {
    if (classes[each].row.activities > 0) {
      classes[each].row.kernel_class = static_cast<KernelClass>(each);
      rows.push_back(finish(classes[each], all_ns, device));
    }
  }
  std::ranges::stable_sort(rows, std::greater{}, &ClassRow::device_ns);
  return rows;
}

}  // namespace foretell::whatif
