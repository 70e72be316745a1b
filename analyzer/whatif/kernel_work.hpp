// SPDX-License-Identifier: Apache-2.0
// Bytes moved and floating-point operations per device activity, and how each figure was got.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/cost/device_table.hpp"
#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/kernel_class.hpp"
#include "analyzer/timeline/timeline.hpp"

namespace foretell::whatif {

enum class WorkSource : std::uint8_t {
  None,       // nothing known
  Recorded,   // the record says so (copies and sets)
  Shapes,     // from the op's recorded shapes and dtypes
  Geometry,   // from launch geometry and template arguments of an ATen kernel: an upper bound
  Bandwidth,  // time x achievable bandwidth of the device: assumed
};
std::string_view to_string(WorkSource source);  // "recorded", "shapes", "geometry", "bandwidth", "none"
Provenance provenance_of(WorkSource source);

// In what the operations of a matrix product are done; Unknown where none are counted.
enum class Precision : std::uint8_t { Unknown, Fp32, Tf32, Fp16, Bf16, Fp8 };

struct KernelWork {
  Column<double> bytes;  // read + written, per row of profile.activities; 0: unknown
  Column<double> flops;  // multiply and add count as two; 0: unknown or none
  Column<WorkSource> bytes_source;
  Column<Precision> precision;
};

// How the figures are got:
// - Copies and sets: the recorded bytes; twice within a device, which reads and writes them.
// - Shapes: what the op must move (op_work.hpp), the op being the innermost around the launch whose recorded
//   arguments hold a tensor. If it launched several kernels its bytes and flops are divided by device time:
//   their sum stays that of inputs and outputs, so what passes between the kernels is not counted and each
//   figure is a lower bound. Bytes and flops of a product, convolution or attention go to its gemm and
//   attention kernels; conversions around them count as without shapes.
// - Flops come from shapes only.

// Achievable memory bandwidth, else the peak, in bytes/ns (= GB/s); 0: unknown.
double dram_bytes_per_ns(const cost::Device& device);

// `bandwidth`: dram_bytes_per_ns() of the device, for the last resort; 0: unknown.
KernelWork compute_kernel_work(const profile::Profile& profile, const timeline::Timeline& timeline,
                               double bandwidth);

// One row of the table of kernel classes, over the whole trace, classes without an activity left out,
// longest device time first.
struct ClassRow {
  timeline::KernelClass kernel_class = timeline::KernelClass::Unknown;
  std::uint64_t activities = 0;
  std::int64_t device_ns = 0;  // a sum over streams
  double share = 0;            // of the device time of all classes
  double bytes = 0;
  double flops = 0;
  WorkSource bytes_source = WorkSource::None;  // of most of the bytes
  double bytes_per_ns = 0;  // achieved, over the activities whose bytes are not assumed; GB/s
  double flops_per_ns = 0;  // achieved, over the activities with flops; GFLOP/s
  // Roofline: operations per byte, and what share of the roof at that intensity was reached; 0: unknown.
  double flops_per_byte = 0;
  double roof_share = 0;
};
// The roof is the lower of bandwidth x intensity and the device's dense peak for the precision in which most
// of the class's flops are done; without flops, the bandwidth. Achievable bandwidth, else the peak. A share
// above 1 is what caches add.
std::vector<ClassRow> tabulate_classes(const profile::Profile& profile, const timeline::Timeline& timeline,
                                       const KernelWork& work, const cost::Device& device);

}  // namespace foretell::whatif
