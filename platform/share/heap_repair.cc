// SPDX-License-Identifier: Apache-2.0
#include "platform/share/heap_repair.h"

#include <algorithm>
#include <array>
#include <vector>

#include "platform/share/heap_words.h"

namespace conclave::share {
namespace {

// The allocated blocks of a heap by address.
using Links = std::vector<uint32_t>;
using KeptLinks = std::array<Links, kHeaps>;

uint64_t end_of(const HeapBlock& block) {
  return get(block.address) + get(block.size);
}

// Brings what is known of the heaps themselves in order; without room for blocks there are none.
void repair_entries(const BlockTable& table) {
  for (uint32_t heap = 0; heap < kHeaps; ++heap) {
    HeapEntry& entry = table.heap(heap);
    put(entry.base, Heap::kRanges[heap].base);
    put(entry.align, Heap::kAlignment);
    const uint64_t size = std::min(get(entry.size), Heap::kRanges[heap].most);
    put(entry.size, table.capacity() < kHeaps ? 0 : size / Heap::kAlignment * Heap::kAlignment);
  }
}

// Drops the blocks of a heap that overlap others or cannot be anybody's, and returns the rest.
Links keep_allocated(const BlockTable& table, uint32_t heap) {
  Links links, kept;
  for (uint32_t link = 1; link <= table.limit(); ++link)
    if (get(table.at(link).state) == block_state(kAllocated, heap)) links.push_back(link);
  std::sort(links.begin(), links.end(), [&](uint32_t a, uint32_t b) {
    return get(table.at(a).address) < get(table.at(b).address);
  });
  uint64_t end = Heap::kRanges[heap].base;
  for (uint32_t link : links) {
    HeapBlock& block = table.at(link);
    const Owner owner = Owner::from_bits(get(block.owner));
    if (table.is_inside(heap, block) && get(block.address) >= end && table.may_own(owner)) {
      kept.push_back(link);
      end = end_of(block);
    } else {
      put(block.state, kUnused);
    }
  }
  return kept;
}

// How many free blocks there are between and behind those.
size_t gaps(const BlockTable& table, uint32_t heap, const Links& kept) {
  size_t count = 0;
  uint64_t end = Heap::kRanges[heap].base;
  for (uint32_t link : kept) {
    count += get(table.at(link).address) != end;
    end = end_of(table.at(link));
  }
  return count + (end != Heap::kRanges[heap].base + get(table.heap(heap).size));
}

// The blocks of all heaps that stay.
KeptLinks keep_allocated(const BlockTable& table) {
  KeptLinks kept;
  size_t needed = 0;
  for (uint32_t heap = 0; heap < kHeaps; ++heap) {
    kept[heap] = keep_allocated(table, heap);
    needed += kept[heap].size() + gaps(table, heap, kept[heap]);
  }
  // Only garbage can need more entries than there are; nothing in it can be trusted then.
  if (needed > table.capacity())
    for (Links& links : kept) links.clear();
  return kept;
}

// Puts all other entries out of use.
void drop_others(const BlockTable& table, const KeptLinks& kept) {
  std::vector<bool> is_kept(table.limit() + 1);
  for (const Links& links : kept)
    for (uint32_t link : links) is_kept[link] = true;
  for (uint32_t link = 1; link <= table.limit(); ++link)
    if (!is_kept[link]) put(table.at(link).state, kUnused);
}

// Writes a heap's lists from its lowest address to its highest, with free blocks in the gaps.
class ListWriter {
 public:
  // `spare`: the entries up to this one are taken.
  ListWriter(BlockTable& table, uint32_t heap, uint32_t& spare)
      : table_(table), entry_(table.heap(heap)), heap_(heap), spare_(spare) {}

  void write(const Links& kept) {
    put(entry_.first, 0);
    put(entry_.first_free, 0);
    for (uint32_t link : kept) {
      fill_up_to(get(at(link).address));
      append(link);
      end_ = end_of(at(link));
    }
    fill_up_to(Heap::kRanges[heap_].base + get(entry_.size));
    put(entry_.last_free, last_free_);
    put(entry_.available, available_);
  }

 private:
  HeapBlock& at(uint32_t link) const { return table_.at(link); }

  void append(uint32_t link) {
    put(at(link).previous, last_);
    put(at(link).next, 0);
    put(last_ ? at(last_).next : entry_.first, link);
    last_ = link;
  }

  void append_free(uint32_t link) {
    append(link);
    put(at(link).previous_free, last_free_);
    put(at(link).next_free, 0);
    put(last_free_ ? at(last_free_).next_free : entry_.first_free, link);
    last_free_ = link;
  }

  void fill_up_to(uint64_t address) {
    if (end_ == address) return;
    do {
      if (++spare_ > table_.limit()) table_.append_unused();
    } while (get(at(spare_).state) != kUnused);
    HeapBlock& block = at(spare_);
    put(block.address, end_);
    put(block.size, address - end_);
    put(block.owner, 0);
    put(block.state, block_state(kFree, heap_));
    append_free(spare_);
    available_ += address - end_;
  }

  BlockTable& table_;
  HeapEntry& entry_;
  const uint32_t heap_;
  uint32_t& spare_;
  uint32_t last_ = 0, last_free_ = 0;         // of the lists so far
  uint64_t end_ = Heap::kRanges[heap_].base;  // up to which they cover the heap
  uint64_t available_ = 0;
};

}  // namespace

void rebuild_heaps(BlockTable& table, Header& header) {
  repair_entries(table);
  const KeptLinks kept = keep_allocated(table);
  drop_others(table, kept);
  uint32_t spare = 0;
  for (uint32_t heap = 0; heap < kHeaps; ++heap) ListWriter(table, heap, spare).write(kept[heap]);
  table.relink_unused();
  table.clear_accounts();
  for (const Links& links : kept)
    for (uint32_t link : links)
      table.account(Owner::from_bits(get(table.at(link).owner)), get(table.at(link).size));
  put(header.heaps_damaged, 0);
}

}  // namespace conclave::share
