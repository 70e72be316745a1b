// SPDX-License-Identifier: Apache-2.0
// Waits of the host by where they are made.
#pragma once

#include "analyzer/profile/profile.hpp"
#include "analyzer/timeline/host_syncs.hpp"
#include "analyzer/timeline/links.hpp"
#include "analyzer/timeline/steps.hpp"

namespace foretell::timeline {

// Fills `groups` from `all`, and HostSync::group. The part of compute_host_syncs() after the waits are found.
void group_host_syncs(const profile::Profile& profile, const Links& links, const Steps& steps,
                      HostSyncs& syncs);

}  // namespace foretell::timeline
