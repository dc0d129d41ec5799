// SPDX-License-Identifier: Apache-2.0
// Access to the heaps' words in the segment. Only the lock's holder reads and writes. Its stores
// reach the segment in the order in which it made them (which costs nothing on x86), so its death
// leaves the first n of them. A holder that was stopped, lost the lock and goes on may make one
// more store. That store changes a CountedWord only if nobody has stored it since, but any other
// word in any case. Therefore other words are never believed without a check, and are rebuilt.
#ifndef CONCLAVE_PLATFORM_SHARE_HEAP_WORDS_H_
#define CONCLAVE_PLATFORM_SHARE_HEAP_WORDS_H_

#include <atomic>
#include <type_traits>

#include "platform/share/atomic.h"
#include "platform/share/heap.h"
#include "platform/share/layout.h"
#include "platform/share/owner.h"

namespace conclave::share {

template <class T>
T get(const Atomic<T>& word) {
  return word.load(std::memory_order_relaxed);
}

// Addresses and sizes, which are multiples of Heap::kAlignment.
inline uint64_t get_bytes(const CountedWord& word) {
  return word.get() * Heap::kAlignment;
}

// What an entry of the table is.
enum BlockKind : uint32_t { kUnused, kFree, kAllocated };

// The state of a block: what it is, of which heap, and whose. All of it changes at once.
struct BlockState {
  BlockKind kind = kUnused;
  uint32_t heap = 0;
  Owner owner;  // of an allocated block

  static BlockState of(const HeapBlock& block) {
    const uint64_t word = block.state.get();
    return {static_cast<BlockKind>(word & 0xf), static_cast<uint32_t>(word >> 4 & 0xf),
            Owner::from_bits(static_cast<uint32_t>(word >> 8))};
  }
  uint64_t word() const { return uint64_t{owner.bits()} << 8 | heap << 4 | kind; }
  bool is(BlockKind wanted, uint32_t of_heap) const { return kind == wanted && heap == of_heap; }
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_HEAP_WORDS_H_
