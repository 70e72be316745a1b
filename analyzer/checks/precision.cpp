// SPDX-License-Identifier: Apache-2.0
// Precision: matrix multiplications in full fp32 where tensor cores would do, and casts that promote whole
// tensors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "analyzer/checks/measure.hpp"
#include "src/base/saturate.hpp"
#include "src/base/text.hpp"

namespace foretell::checks {
namespace {

using namespace profile;

// Names of library kernels that multiply in fp32 without tensor cores.
constexpr std::array<std::string_view, 4> kFullPrecision{"sgemm", "gemmsn", "implicit_convolve_sgemm",
                                                         "scudnn"};
// Of those, names that use tensor cores after all.
constexpr std::array<std::string_view, 4> kTensorCores{"tf32", "tensorop", "884", "1688"};

bool contains_any(const std::string& text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool is_full_precision(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return contains_any(lower, kFullPrecision) && !contains_any(lower, kTensorCores);
}

Finding run(const View& view) {
  if (const auto why = unknown_step(view)) {
    return found(Verdict::Unknown, *why);
  }
  const DeviceActivities& activities = view.profile.activities;
  std::map<StringId, Example> slow;
  std::int64_t gemm_ns = 0;
  std::int64_t full_ns = 0;
  std::int64_t copy_ns = 0;
  std::int64_t all_ns = 0;
  std::vector<std::int8_t> known(view.profile.strings.size(), -1);
  for (std::uint32_t row = 0; row < activities.size(); ++row) {
    if (activities.kind[row] != ActivityKind::Kernel) {
      continue;
    }
    const std::int64_t ns = view.timeline.audit.duration_ns[row];
    add_saturated(all_ns, ns);
    add_saturated(copy_ns, view.timeline.classes[row] == timeline::KernelClass::Copy ? ns : 0);
    if (view.timeline.classes[row] != timeline::KernelClass::Gemm) {
      continue;
    }
    add_saturated(gemm_ns, ns);
    std::int8_t& full = known[index_of(activities.name[row])];
    full = full >= 0 ? full
                     : static_cast<std::int8_t>(is_full_precision(view.profile.text(activities.name[row])));
    if (full == 1) {
      add_saturated(full_ns, ns);
      Example& example = slow[activities.name[row]];
      add_saturated(example.time_ns, ns);
      example.count = example.what.empty() ? 1 : example.count + 1;
      example.what = view.profile.text(activities.name[row]);
    }
  }
  const double full_share = all_ns > 0 ? static_cast<double>(full_ns) / static_cast<double>(all_ns) : 0;
  const auto saved_of = [&](double ratio) {
    return static_cast<std::int64_t>(full_share * static_cast<double>(view.timeline.split.busy_ns) *
                                     (1 - 1 / ratio));
  };
  const auto& fp32 = view.device.fp32_tflops;
  const auto& tf32 =
      view.device.tf32_dense_tflops ? view.device.tf32_dense_tflops : view.device.fp16_dense_tflops;
  const double ratio = fp32 && tf32 && fp32->expected > 0 ? tf32->expected / fp32->expected : 1;
  const std::int64_t saved = ratio > 1 ? saved_of(ratio) : 0;
  Finding finding;
  finding.verdict = verdict_of(view, saved);
  finding.ceiling = ceiling_of(view, saved);
  finding.evidence = {
      measured("gemm_ns", static_cast<double>(gemm_ns)),
      measured("full_fp32_gemm_ns", static_cast<double>(full_ns)),
      measured("full_fp32_gemm_share", full_share),
      measured("copy_and_cast_share",
               all_ns > 0 ? static_cast<double>(copy_ns) / static_cast<double>(all_ns) : 0),
      assumed("tensor_core_peak_ratio", ratio),
  };
  for (auto& [name, example] : slow) {
    finding.examples.push_back(std::move(example));
  }
  std::ranges::stable_sort(finding.examples, std::ranges::greater{}, &Example::time_ns);
  finding.examples.resize(std::min(finding.examples.size(), kMostExamples));
  const bool peak_known = fp32 && fp32->expected > 0;
  if (!peak_known && full_share >= kBindsShare) {
    finding.verdict = Verdict::Unknown;
  }
  if (!view.device.tf32_dense_tflops && view.device.fp16_dense_tflops) {
    finding.remedy = "torch.autocast with fp16 uses the tensor cores; this device has no TF32";
  }
  if (full_ns == 0) {
    finding.reason = gemm_ns == 0 ? "no matrix multiplication is recognised"
                                  : "no matrix multiplication runs in full fp32 without tensor cores";
  } else {
    finding.reason = fmt::format(
        "{} of device time is fp32 matrix multiplication without tensor cores{}", format_share(full_share),
        !peak_known ? std::string("; how much faster this device's would be is not known")
        : ratio > 1 ? fmt::format("; their peak is {:.1f}x higher on this device", ratio)
                    : std::string("; this device has nothing faster for it"));
  }
  finding.reasoning = {
      "fp32 library kernels are told by name (sgemm without a tensor-core mark). TF32 keeps the range of "
      "fp32 and ten bits "
      "of mantissa; results change.",
      fmt::format("Ceiling: their share of device time at the ratio of the peaks ({:.1f}x, assumed from the "
                  "device table): "
                  "{:.2f}x. Real kernels reach less.",
                  ratio, *finding.ceiling),
  };
  return finding;
}

}  // namespace

extern const Check kPrecision;
const Check kPrecision{"precision", "Does fp32 cost tensor cores?",
                       "torch.set_float32_matmul_precision(\"high\") allows TF32; torch.autocast uses bf16",
                       "", run};

}  // namespace foretell::checks
