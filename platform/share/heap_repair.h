// SPDX-License-Identifier: Apache-2.0
// The heaps' lists, the list of unused entries and the processes' sums all follow from the blocks
// that are allocated, and are made anew from them: where a process died half way through a change,
// where the tables contradict themselves, and where the heaps get their sizes.
#ifndef CONCLAVE_PLATFORM_SHARE_HEAP_REPAIR_H_
#define CONCLAVE_PLATFORM_SHARE_HEAP_REPAIR_H_

#include "platform/share/block_table.h"

namespace conclave::share {

// Allocated blocks that contradict others are dropped. May be cut short at any point and begun
// again; ends with setting heaps_repaired to what heaps_damaged was at the beginning. The caller
// holds the lock.
void rebuild_heaps(BlockTable& table, Header& header);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_HEAP_REPAIR_H_
