// SPDX-License-Identifier: Apache-2.0
// Constants for what the table does not say, each with its rule as source (Assumption in device_table.hpp).
// Position: after the record's own properties were put in; what is there already is never replaced.
//
// A median is taken over the first of these groups that has any value: the rows the device is known to be one
// of, those of its compute capability, those of its vendor, all. It spans from the smallest low to the
// largest high of the group; with fewer than three values, limits apart, at least from half to twice the
// expected one.
#pragma once

#include <span>

#include "analyzer/cost/device_table.hpp"

namespace foretell::cost {

// For a device of the table: memory bandwidth, L2 bandwidth and kernel floors. A missing limit or peak stays
// missing, since there it may mean that the device has none.
void assume_missing(Device& device, const DeviceTable& table);

// For a device that is not in the table: everything.
void assume_all(Device& device, const DeviceTable& table, std::span<const Device* const> similar);

}  // namespace foretell::cost
