// SPDX-License-Identifier: Apache-2.0
// The heaps of one user: their sizes by the configuration, and what dead processes leave in them.
#ifndef CONCLAVE_MONITOR_TENANT_HEAPS_H_
#define CONCLAVE_MONITOR_TENANT_HEAPS_H_

#include "monitor/process_watch.h"
#include "monitor/quotas.h"
#include "monitor/tenant.h"
#include "platform/base/config.h"
#include "platform/share/heap.h"

namespace conclave::monitor {

// The sizes in bytes of the heaps of a user with that quota.
share::Heap::Sizes heap_sizes(const Config& config, const Quota& quota);

// Gives the heaps these sizes, unless they have them. Heaps that hold something keep theirs, and the log
// says so. Waits for the heaps' lock, which a client may hold: call it without the daemon's mutex.
void configure_heaps(const Tenant& tenant, const share::Heap::Sizes& sizes);

// Frees the blocks of a dead process. Waits for the heaps' lock too.
void free_blocks(Tenant& tenant, const ProcessWatch::Dead& dead);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TENANT_HEAPS_H_
