// SPDX-License-Identifier: Apache-2.0
#include "platform/share/heap.h"

#include <array>
#include <optional>
#include <string>

#include "platform/base/error.h"
#include "platform/share/block_list.h"
#include "platform/share/block_table.h"
#include "platform/share/heap_lock.h"
#include "platform/share/heap_repair.h"
#include "platform/share/heap_words.h"
#include "platform/share/robust_lock.h"

namespace conclave::share {
namespace {

constexpr std::array<const char*, kHeaps> kSizeKeys = {"ddr-heap1-size-MiB", "ddr-heap2-size-MiB",
                                                       "msmc-heap-size-KiB"};

// The size that a request takes.
uint64_t rounded(uint64_t size) {
  const uint64_t most = ~uint64_t{0} / Heap::kAlignment * Heap::kAlignment;
  if (size > most) return most;
  return size == 0 ? Heap::kAlignment
                   : (size + Heap::kAlignment - 1) / Heap::kAlignment * Heap::kAlignment;
}

// Calls `body` with the table, locked and whole; once more where it finds damage. What it has freed
// by then stays free, and allocate() finds damage only before it allocates.
template <class Body>
auto with_table(const Layout& layout, Body body) {
  HeapLock lock(layout.header());
  BlockTable table(layout);
  for (bool again = false;; again = true) {
    if (get(layout.header().heaps_damaged)) rebuild_heaps(table, layout.header());
    try {
      return body(table);
    } catch (const Damaged&) {
      put(layout.header().heaps_damaged, 1);
      require(!again, CL_OUT_OF_RESOURCES,
              "the table of the device's heaps is damaged again and again; end the processes that "
              "use the device, and restart ti-mctd where it runs");
    }
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
  initialize_robust(layout.header().heap_lock);
  BlockTable table(layout);
  rebuild_heaps(table, layout.header());
}

// ddr_heap1 last: while it has no size the heaps are not configured.
bool Heap::configure(const Sizes& sizes) {
  return with_table(layout_, [&](BlockTable& table) {
    for (uint32_t heap = 0; heap < kHeaps; ++heap)
      if (get(table.heap(heap).available) != get(table.heap(heap).size)) return false;
    put(layout_.header().heaps_damaged, 1);
    for (uint32_t heap : {2, 1, 0}) put(table.heap(heap).size, sizes.bytes[heap]);
    rebuild_heaps(table, layout_.header());
    return true;
  });
}

Heap::Allocation Heap::allocate(HeapId heap, uint64_t size, Owner owner) {
  return with_blocks(layout_, heap, [&](BlockList& blocks) {
    const auto allocation = blocks.allocate(rounded(size), owner);
    if (!allocation) no_room(size, room_in(blocks, heap));
    return *allocation;
  });
}

Heap::Allocation Heap::allocate_global(uint64_t size, Owner owner) {
  return with_table(layout_, [&](BlockTable& table) {
    BlockList first(table, static_cast<uint32_t>(HeapId::kDdr1));
    BlockList second(table, static_cast<uint32_t>(HeapId::kDdr2));
    const uint64_t bytes = rounded(size);
    const bool has_second = second.size() != 0;
    std::optional<Allocation> allocation;
    if (has_second && !first.is_small(bytes)) allocation = second.allocate(bytes, owner);
    if (!allocation) allocation = first.allocate(bytes, owner);
    if (!allocation)
      no_room(size, has_second
                        ? room_in(first, HeapId::kDdr1) + ", " + room_in(second, HeapId::kDdr2)
                        : room_in(first, HeapId::kDdr1));
    return *allocation;
  });
}

void Heap::free(const Allocation& allocation, Owner owner) {
  const auto heap = static_cast<uint32_t>(allocation.heap);
  with_table(layout_, [&](BlockTable& table) {
    if (heap >= kHeaps || allocation.block >= table.limit()) return;
    const uint32_t link = allocation.block + 1;
    const HeapBlock& block = table.at(link);
    if (get(block.state) == block_state(kAllocated, heap) && get(block.owner) == owner.bits() &&
        get(block.address) == allocation.address && get(block.size) == allocation.size)
      BlockList(table, heap).free(link);
  });
}

Heap::Freed Heap::free_all(Owner owner) {
  Freed freed;
  with_table(layout_, [&](BlockTable& table) {
    for (uint32_t link = 1; link <= table.limit(); ++link) {
      const HeapBlock& block = table.at(link);
      for (uint32_t heap = 0; heap < kHeaps; ++heap) {
        if (get(block.state) != block_state(kAllocated, heap) || get(block.owner) != owner.bits())
          continue;
        const uint64_t size = get(block.size);
        BlockList(table, heap).free(link);
        freed.blocks += 1;
        freed.bytes += size;
      }
    }
  });
  return freed;
}

uint64_t Heap::size(HeapId heap) const {
  return get(layout_.header().heaps[static_cast<uint32_t>(heap)].size);
}

uint64_t Heap::largest_free(HeapId heap) const {
  return with_blocks(layout_, heap, [](const BlockList& blocks) { return blocks.largest_free(); });
}

Heap::Report Heap::report(HeapId heap) const {
  return with_blocks(layout_, heap, [](const BlockList& blocks) { return blocks.report(); });
}

}  // namespace conclave::share
