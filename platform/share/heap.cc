// SPDX-License-Identifier: Apache-2.0
#include "platform/share/heap.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "platform/base/checked_size.h"
#include "platform/base/error.h"
#include "platform/share/block_list.h"
#include "platform/share/block_table.h"
#include "platform/share/heap_repair.h"
#include "platform/share/heap_words.h"
#include "platform/share/segment_lock.h"

namespace conclave::share {
namespace {

constexpr std::array<const char*, kHeaps> kSizeKeys = {"ddr-heap1-size-MiB", "ddr-heap2-size-MiB",
                                                       "msmc-heap-size-KiB"};

// The size that a request takes; more than there is if it does not fit.
uint64_t rounded(uint64_t size) {
  return CheckedSize(size == 0 ? 1 : size).aligned(Heap::kAlignment).saturated();
}

void mark_damaged(Header& header) {
  header.heaps_damaged.fetch_add(1);
}

// Calls `body` with the intact table, and once more if it finds damage. What it has freed by then
// stays free, and allocate() finds damage only before it allocates.
template <class Body>
auto with_locked_table(const Layout& layout, const SegmentLock& lock, Body& body) {
  Header& header = layout.header();
  BlockTable table(layout, lock);
  for (bool again = false;; again = true) {
    try {
      if (get(header.heaps_damaged) != get(header.heaps_repaired)) rebuild_heaps(table, header);
      return body(table);
    } catch (const Damaged&) {
      mark_damaged(header);
      if (again) throw DamagedSegment("the table of the device's heaps is damaged again and again");
    }
  }
}

// The same under the lock. This process may be stopped for so long that another one takes the lock
// over. Then only blocks count that have become somebody's or nobody's. Everything is marked as
// damaged, since one more store may have been made, and `body` is called again.
template <class Body>
auto with_table(const Layout& layout, Body body) {
  for (Patience patience;; patience.attempt("the lock of the heaps is lost again and again")) {
    SegmentLock lock(layout.header().heap_lock, patience);
    if (lock.taken_over()) mark_damaged(layout.header());
    try {
      auto result = with_locked_table(layout, lock, body);
      if (lock.release()) return result;
    } catch (const Error&) {
      if (lock.release()) throw;
    } catch (const Overtaken&) {
    }
    mark_damaged(layout.header());
  }
}

// The same with the blocks of one heap.
template <class Body>
auto with_blocks(const Layout& layout, HeapId heap, Body body) {
  return with_table(layout, [&](BlockTable& table) {
    BlockList blocks(table, static_cast<uint32_t>(heap));
    return body(blocks);
  });
}

std::string room_in(const BlockList& blocks, HeapId id) {
  const auto heap = static_cast<uint32_t>(id);
  if (blocks.size() == 0)
    return std::string("there is no ") + kHeapNames[heap] + " (" + kSizeKeys[heap] + " is 0)";
  return std::string(kHeapNames[heap]) + " has " + std::to_string(blocks.available()) + " of " +
         std::to_string(blocks.size()) + " bytes left, " + std::to_string(blocks.largest_free()) +
         " in one piece (" + kSizeKeys[heap] + " sets its size)";
}

[[noreturn]] void no_room(uint64_t size, const std::string& room) {
  throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
              "no device memory for " + std::to_string(size) + " bytes: " + room +
                  "; ti-mct-heap-check shows which processes have it");
}

}  // namespace

void Heap::initialize(const Layout& layout) {
  SegmentLock lock(layout.header().heap_lock);
  BlockTable table(layout, lock);
  rebuild_heaps(table, layout.header());
}

// ddr_heap1 comes last: the heaps are not configured while it has no size.
bool Heap::configure(const Sizes& sizes) {
  return with_table(layout_, [&](BlockTable& table) {
    for (uint32_t heap = 0; heap < kHeaps; ++heap)
      if (get(table.heap(heap).available) != get_bytes(table.heap(heap).size)) return false;
    mark_damaged(layout_.header());
    for (uint32_t heap : {2, 1, 0})
      table.put_bytes(table.heap(heap).size, std::min(sizes.bytes[heap], kRanges[heap].most));
    rebuild_heaps(table, layout_.header());
    return true;
  });
}

namespace {

// What an earlier attempt allocated before it lost the lock is the owner's, unless a process that
// has rebuilt the lists meanwhile did not see it.
bool is_still_made(const BlockTable& table, const std::optional<MadeAllocation>& made) {
  return made && made->allocation.block < table.limit() &&
         table.at(made->allocation.block + 1).state.counted() == made->state;
}

}  // namespace

Heap::Allocation Heap::allocate(HeapId heap, uint64_t size, Owner owner) {
  std::optional<MadeAllocation> made;
  return with_table(layout_, [&](BlockTable& table) {
    if (is_still_made(table, made)) return made->allocation;
    made.reset();
    BlockList blocks(table, static_cast<uint32_t>(heap));
    blocks.allocate(rounded(size), owner, made);
    if (!made) no_room(size, room_in(blocks, heap));
    return made->allocation;
  });
}

Heap::Allocation Heap::allocate_global(uint64_t size, Owner owner) {
  std::optional<MadeAllocation> made;
  return with_table(layout_, [&](BlockTable& table) {
    if (is_still_made(table, made)) return made->allocation;
    made.reset();
    BlockList first(table, static_cast<uint32_t>(HeapId::kDdr1));
    BlockList second(table, static_cast<uint32_t>(HeapId::kDdr2));
    const uint64_t bytes = rounded(size);
    const bool has_second = second.size() != 0;
    if (has_second && !first.is_small(bytes)) second.allocate(bytes, owner, made);
    if (!made) first.allocate(bytes, owner, made);
    if (!made)
      no_room(size, has_second
                        ? room_in(first, HeapId::kDdr1) + ", " + room_in(second, HeapId::kDdr2)
                        : room_in(first, HeapId::kDdr1));
    return made->allocation;
  });
}

void Heap::free(const Allocation& allocation, Owner owner) {
  const auto heap = static_cast<uint32_t>(allocation.heap);
  Freed freed;
  with_table(layout_, [&](BlockTable& table) {
    if (freed.blocks != 0 || heap >= kHeaps || allocation.block >= table.limit()) return false;
    const uint32_t link = allocation.block + 1;
    const HeapBlock& block = table.at(link);
    const BlockState state = BlockState::of(block);
    if (state.is(kAllocated, heap) && state.owner == owner &&
        get_bytes(block.address) == allocation.address && get_bytes(block.size) == allocation.size)
      BlockList(table, heap).free(link, freed);
    return true;
  });
}

Heap::Freed Heap::free_all(Owner owner) {
  return free_all([owner](Owner of_block) { return of_block == owner; });
}

Heap::Freed Heap::free_all(const std::function<bool(Owner)>& is_meant) {
  Freed freed;
  with_table(layout_, [&](BlockTable& table) {
    for (uint32_t link = 1; link <= table.limit(); ++link) {
      const BlockState state = BlockState::of(table.at(link));
      if (state.kind == kAllocated && state.heap < kHeaps && is_meant(state.owner))
        BlockList(table, state.heap).free(link, freed);
    }
    return true;
  });
  return freed;
}

uint64_t Heap::size(HeapId heap) const {
  const auto id = static_cast<uint32_t>(heap);
  return std::min(get_bytes(layout_.header().heaps[id].size), kRanges[id].most);
}

uint64_t Heap::largest_free(HeapId heap) const {
  const uint64_t bytes =
      with_blocks(layout_, heap, [](const BlockList& blocks) { return blocks.largest_free(); });
  return std::min(bytes, kRanges[static_cast<uint32_t>(heap)].most);
}

Heap::Report Heap::report(HeapId heap) const {
  return with_blocks(layout_, heap, [](const BlockList& blocks) { return blocks.report(); });
}

}  // namespace conclave::share
