// SPDX-License-Identifier: Apache-2.0
// Rebuilds the heaps' lists, the list of unused entries and the processes' sums, all of which
// follow from the allocated blocks. It does so if a process died half way through a change, if the
// tables contradict themselves, and when the heaps get their sizes.
#ifndef CONCLAVE_PLATFORM_SHARE_HEAP_REPAIR_H_
#define CONCLAVE_PLATFORM_SHARE_HEAP_REPAIR_H_

#include "platform/share/block_table.h"

namespace conclave::share {

// Drops allocated blocks that contradict others. May be interrupted at any point and begun again.
// At its end it sets heaps_repaired to the value that heaps_damaged had at the beginning. The
// caller holds the lock.
void rebuild_heaps(BlockTable& table, Header& header);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_HEAP_REPAIR_H_
