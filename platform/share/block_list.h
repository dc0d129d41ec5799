// SPDX-License-Identifier: Apache-2.0
// One heap's blocks: a list of all of them by address, which covers the heap without gaps, and a
// list of the free ones. Allocation is first fit, and a freed block merges with its free
// neighbours.
//
// All members may throw Damaged, and Overtaken if the lock is lost. Members that change something
// check everything before they set a block's state. From then on the block is its owner's, or
// nobody's, whatever happens to the process that changes it.
#ifndef CONCLAVE_PLATFORM_SHARE_BLOCK_LIST_H_
#define CONCLAVE_PLATFORM_SHARE_BLOCK_LIST_H_

#include <cstdint>
#include <optional>

#include "platform/share/block_table.h"
#include "platform/share/heap.h"
#include "platform/share/heap_words.h"
#include "platform/share/layout.h"
#include "platform/share/owner.h"

namespace conclave::share {

// An allocation that has been made, whatever has happened to the lock since.
struct MadeAllocation {
  Heap::Allocation allocation;
  uint64_t state;  // of the block, with its count
};

class BlockList {
 public:
  BlockList(BlockTable& table, uint32_t heap)
      : table_(table), entry_(table.heap(heap)), heap_(heap) {}

  // Finds the first free block of that many bytes, which must be aligned. It is in `made` as soon
  // as it is the owner's; `made` stays empty if there is none.
  void allocate(uint64_t size, Owner owner, std::optional<MadeAllocation>& made);
  // Takes an allocated block back, and adds it to `freed` as soon as it is nobody's.
  void free(uint32_t link, Heap::Freed& freed);

  uint64_t size() const { return get_bytes(entry_.size); }
  uint64_t available() const { return get(entry_.available); }
  uint64_t largest_free() const;
  // Whether `size` is below an eighth of the largest free block.
  bool is_small(uint64_t size) const;
  Heap::Report report() const;

 private:
  // The words that lead to the block after, or before, another one. For 0 they are the ends of the
  // lists.
  Atomic<uint32_t>& next(uint32_t link) const { return link ? at(link).next : entry_.first; }
  Atomic<uint32_t>& next_free(uint32_t link) const {
    return link ? at(link).next_free : entry_.first_free;
  }
  Atomic<uint32_t>& previous_free(uint32_t link) const {
    return link ? at(link).previous_free : entry_.last_free;
  }
  HeapBlock& at(uint32_t link) const { return table_.at(link); }
  bool is_free(uint32_t link) const { return link && BlockState::of(at(link)).is(kFree, heap_); }
  template <class T>
  void put(Atomic<T>& word, std::type_identity_t<T> value) const {
    table_.put(word, value);
  }

  // The blocks before and after one, which must adjoin it.
  struct Neighbours {
    uint32_t below, above;
  };
  Neighbours neighbours(uint32_t link) const;

  uint32_t first_fit(uint64_t size) const;
  uint32_t free_before(uint32_t link) const;
  void insert_free(uint32_t link);
  void remove_free(uint32_t link);
  void remove(uint32_t link);

  BlockTable& table_;
  HeapEntry& entry_;
  const uint32_t heap_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_BLOCK_LIST_H_
