// SPDX-License-Identifier: Apache-2.0
// The device's memory as a resource that all processes share: three heaps of addresses, in which
// each block belongs to a process. Only the account is shared: the bytes behind an address are
// private to the block's owner.
//
// Allocation is first fit in the order of addresses, and neighbours merge when freed. All changes
// happen under a lock of the segment (segment_lock.h). A block is allocated when its state says so,
// and everything else follows from that. When the lock is taken over from a holder that died or was
// stopped, or when the lists contradict themselves, the next holder rebuilds them from the
// allocated blocks. All members that take the lock throw DamagedSegment if that does not help, or
// if they cannot get the lock.
#ifndef CONCLAVE_PLATFORM_SHARE_HEAP_H_
#define CONCLAVE_PLATFORM_SHARE_HEAP_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "platform/share/layout.h"
#include "platform/share/owner.h"

namespace conclave::share {

enum class HeapId : uint32_t { kDdr1, kDdr2, kMsmc };
inline constexpr std::array<const char*, 3> kHeapNames = {"ddr_heap1", "ddr_heap2", "msmc_heap"};

class Heap {
 public:
  // Blocks start at, and are a multiple of, this many bytes.
  static constexpr uint64_t kAlignment = 128;

  // Where each heap starts, and how large it can be, by HeapId. ddr_heap1 starts where it does on
  // TI's AM57 boards, msmc_heap where K2H has its on-chip memory, and ddr_heap2 beyond the largest
  // ddr_heap1.
  struct Range {
    uint64_t base, most;  // bytes
  };
  static constexpr std::array<Range, 3> kRanges = {{
      {0xa2000000, uint64_t{1} << 43},
      {uint64_t{1} << 44, uint64_t{1} << 43},
      {0x0c000000, uint64_t{2} << 30},
  }};

  // Bytes, by HeapId; 0: no such heap. Rounded down to kAlignment and to what its range holds.
  struct Sizes {
    uint64_t bytes[3];
  };
  struct Allocation {
    HeapId heap;
    uint32_t block;
    uint64_t address, size;
  };
  struct Report {
    struct Block {
      uint64_t address, size;
      Owner owner;  // none: free
    };
    // The sizes of the free blocks add up to `available`, those of all blocks to `size`.
    uint64_t base = 0, size = 0, available = 0, align = 0;
    std::vector<Block> blocks;  // by address
  };

  explicit Heap(const Layout& layout) : layout_(layout) {}

  // Prepares the tables in zeroed memory that nobody else knows yet. The heaps have size 0.
  static void initialize(const Layout& layout);

  // Sets the heaps' sizes if nothing is allocated. The process that makes the segment, or its first
  // user, calls it. False, without any change, if there are allocations.
  bool configure(const Sizes& sizes);

  // A block of at least `size` bytes for `owner`. Throws Error{CL_MEM_OBJECT_ALLOCATION_FAILURE},
  // saying what is free, if the heap is full or absent, and Error{CL_OUT_OF_RESOURCES}, naming
  // linux-shmem-size-KB, if the segment has no room for another block.
  Allocation allocate(HeapId heap, uint64_t size, Owner owner);

  // The same from global memory, by TI's rule: what is smaller than an eighth of the largest free
  // block of ddr_heap1 goes there. The rest goes to ddr_heap2, or to ddr_heap1 if ddr_heap2 has no
  // room or does not exist.
  Allocation allocate_global(uint64_t size, Owner owner);

  // Takes a block back. Does nothing if it is not, or no longer, `owner`'s.
  void free(const Allocation& allocation, Owner owner);

  // Frees all that `owner` has.
  struct Freed {
    uint64_t blocks = 0, bytes = 0;
  };
  Freed free_all(Owner owner);
  // The same for all owners for which `is_meant` holds.
  Freed free_all(const std::function<bool(Owner)>& is_meant);

  // Its total size in bytes; 0: no such heap. Takes no lock.
  uint64_t size(HeapId heap) const;
  // Size of the largest free block: the most that a single allocation can get.
  uint64_t largest_free(HeapId heap) const;
  // A consistent picture of one heap.
  Report report(HeapId heap) const;

 private:
  const Layout layout_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_HEAP_H_
