// SPDX-License-Identifier: Apache-2.0
// A heap from which kernels allocate (TI's __malloc_ddr and its relatives), in memory that the
// program provides, mostly a buffer. It lives as long as that memory. The lists of blocks are kept
// elsewhere, so kernels that write beyond their blocks cannot damage the heap.
#ifndef CONCLAVE_PLATFORM_EXEC_KERNEL_HEAP_H_
#define CONCLAVE_PLATFORM_EXEC_KERNEL_HEAP_H_

#include <cstdint>
#include <map>
#include <mutex>

namespace conclave {

// First fit in the order of addresses; neighbours merge when freed. All members may be called by
// several threads at once. Addresses are numbers, as kernels give them; 0 is none.
class KernelHeap {
 public:
  static constexpr uint64_t kAlignment = 16;

  // From now on the heap is [address, address + bytes), all of it free.
  void init(uint64_t address, uint64_t bytes);
  // The memory in [address, address + bytes) is going away, and the heap with it if it is there.
  void forget(uint64_t address, uint64_t bytes);

  // 0 if there is no room, or if the alignment is not a power of two.
  uint64_t allocate(uint64_t bytes, uint64_t alignment);
  // As C's realloc: `address` may be 0; the block stays as it was if 0 is returned.
  uint64_t reallocate(uint64_t address, uint64_t bytes);
  // Does nothing if `address` is no block of this heap.
  void free(uint64_t address);

 private:
  using Blocks = std::map<uint64_t, uint64_t>;  // address -> bytes

  uint64_t take(uint64_t bytes, uint64_t alignment);
  void give_back(Blocks::iterator block);

  std::mutex mutex_;
  uint64_t begin_ = 0, end_ = 0;
  Blocks free_, used_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_KERNEL_HEAP_H_
