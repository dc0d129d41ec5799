// SPDX-License-Identifier: Apache-2.0
// The table of the heaps' blocks in the segment: its entries, which of them are in use, and how
// much each process has. block_list.h makes heaps of them.
//
// The segment may contain garbage. So code that follows a link checks it, and throws Damaged if the
// table contradicts itself. heap_repair.h repairs it.
#ifndef CONCLAVE_PLATFORM_SHARE_BLOCK_TABLE_H_
#define CONCLAVE_PLATFORM_SHARE_BLOCK_TABLE_H_

#include <cstdint>
#include <type_traits>

#include "platform/share/heap.h"
#include "platform/share/heap_words.h"
#include "platform/share/layout.h"
#include "platform/share/owner.h"
#include "platform/share/segment_lock.h"

namespace conclave::share {

inline constexpr auto kHeaps = static_cast<uint32_t>(kHeapNames.size());

struct Damaged {};

// The table as the lock's holder sees and changes it. A link is the index of a block + 1; 0 is the
// end of a list.
class BlockTable {
 public:
  BlockTable(const Layout& layout, const SegmentLock& lock);

  // Stores a word. Throws Overtaken if the lock has been lost.
  template <class T>
  void put(Atomic<T>& word, std::type_identity_t<T> value) const {
    lock_.check();
    word.store(value, std::memory_order_release);
  }
  void put_bytes(CountedWord& word, uint64_t bytes) const {
    word.put(lock_, bytes / Heap::kAlignment);
  }
  // Returns the word; no other store gives the same one.
  uint64_t put(HeapBlock& block, const BlockState& state) const {
    return block.state.put(lock_, state.word());
  }
  void drop(HeapBlock& block) const { put(block, BlockState{}); }

  // Whether the lists have just been rebuilt, so that they can be trusted.
  bool is_fresh() const { return fresh_; }
  void set_fresh() { fresh_ = true; }

  HeapEntry& heap(uint32_t heap) const { return layout_.header().heaps[heap]; }
  // The entries that the segment has room for, and those that were ever used.
  uint32_t capacity() const { return capacity_; }
  uint32_t limit() const { return limit_; }

  HeapBlock& at(uint32_t link) const {
    if (link - 1 >= limit_) throw Damaged{};
    return layout_.block(link - 1);
  }
  // Walks along a list to the first block for which `wanted` holds; 0: none.
  template <class Wanted>
  uint32_t find(uint32_t link, Atomic<uint32_t> HeapBlock::* next, Wanted wanted) const {
    for (uint32_t steps = 0; link; link = get(at(link).*next)) {
      if (++steps > limit_) throw Damaged{};  // the list is a circle
      if (wanted(at(link))) return link;
    }
    return 0;
  }

  // Whether a block lies within a heap and is aligned.
  bool is_inside(uint32_t heap, const HeapBlock& block) const;
  bool is_inside(uint32_t heap, uint64_t address, uint64_t size) const;

  // Takes an entry that holds no block. Throws Error{CL_OUT_OF_RESOURCES} if all entries hold one,
  // or Damaged if that may be wrong.
  uint32_t take_unused();
  // Puts an entry out of use.
  void give_unused(uint32_t link);
  // Adds one to the entries that were ever used. Throws Damaged if there is no room.
  void append_unused();
  // Rebuilds the list of the unused entries.
  void relink_unused();

  // Whether such an owner can exist.
  bool may_own(Owner owner) const { return owner && owner.slot() < layout_.process_capacity(); }
  // Adds to the bytes that `owner` has; `change` modulo 2^64.
  void account(Owner owner, uint64_t change);
  void clear_accounts();

 private:
  const Layout& layout_;
  const SegmentLock& lock_;
  const uint32_t capacity_;
  uint32_t limit_;
  bool fresh_ = false;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_BLOCK_TABLE_H_
