// SPDX-License-Identifier: Apache-2.0
#include "platform/share/heap_repair.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "platform/share/heap_words.h"

namespace conclave::share {
namespace {

// A copy of a block: others may write the segment at any time, and a value must not change while
// this code decides about it.
struct Block {
  uint32_t link;
  uint64_t address, size;
  Owner owner;

  uint64_t end() const { return address + size; }
};
// The allocated blocks of a heap by address.
using Blocks = std::vector<Block>;
using KeptBlocks = std::array<Blocks, kHeaps>;

// Repairs what is known of the heaps themselves; without room for blocks there are none.
void repair_entries(const BlockTable& table) {
  for (uint32_t heap = 0; heap < kHeaps; ++heap) {
    HeapEntry& entry = table.heap(heap);
    table.put(entry.base, Heap::kRanges[heap].base);
    table.put(entry.align, Heap::kAlignment);
    const uint64_t size = std::min(get_bytes(entry.size), Heap::kRanges[heap].most);
    table.put_bytes(entry.size, table.capacity() < kHeaps ? 0 : size);
  }
}

// Drops the blocks of a heap that overlap others or cannot be anybody's, and returns the rest.
Blocks keep_allocated(const BlockTable& table, uint32_t heap) {
  Blocks blocks, kept;
  for (uint32_t link = 1; link <= table.limit(); ++link) {
    const HeapBlock& block = table.at(link);
    const BlockState state = BlockState::of(block);
    if (state.is(kAllocated, heap))
      blocks.push_back({link, get_bytes(block.address), get_bytes(block.size), state.owner});
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.address < b.address; });
  uint64_t end = Heap::kRanges[heap].base;
  for (const Block& block : blocks) {
    if (table.is_inside(heap, block.address, block.size) && block.address >= end &&
        table.may_own(block.owner)) {
      kept.push_back(block);
      end = block.end();
    } else {
      table.drop(table.at(block.link));
    }
  }
  return kept;
}

// How many free blocks there are between and behind the kept ones.
size_t gaps(const BlockTable& table, uint32_t heap, const Blocks& kept) {
  size_t count = 0;
  uint64_t end = Heap::kRanges[heap].base;
  for (const Block& block : kept) {
    count += block.address != end;
    end = block.end();
  }
  return count + (end != Heap::kRanges[heap].base + get_bytes(table.heap(heap).size));
}

// The blocks of all heaps that are kept.
KeptBlocks keep_allocated(const BlockTable& table) {
  KeptBlocks kept;
  size_t needed = 0;
  for (uint32_t heap = 0; heap < kHeaps; ++heap) {
    kept[heap] = keep_allocated(table, heap);
    needed += kept[heap].size() + gaps(table, heap, kept[heap]);
  }
  // Only garbage can need more entries than there are. Then nothing can be trusted.
  if (needed > table.capacity())
    for (Blocks& blocks : kept) blocks.clear();
  return kept;
}

// Puts all other entries out of use.
void drop_others(const BlockTable& table, const KeptBlocks& kept) {
  std::vector<bool> is_kept(table.limit() + 1);
  for (const Blocks& blocks : kept)
    for (const Block& block : blocks) is_kept[block.link] = true;
  for (uint32_t link = 1; link <= table.limit(); ++link)
    if (!is_kept[link]) table.drop(table.at(link));
}

// Writes a heap's lists from its lowest address to its highest, with free blocks in the gaps.
class ListWriter {
 public:
  // `spare`: the entries up to this one are taken.
  ListWriter(BlockTable& table, uint32_t heap, uint32_t& spare)
      : table_(table), entry_(table.heap(heap)), heap_(heap), spare_(spare) {}

  void write(const Blocks& kept) {
    put(entry_.first, 0);
    put(entry_.first_free, 0);
    for (const Block& block : kept) {
      fill_up_to(block.address);
      append(block.link);
      end_ = block.end();
    }
    fill_up_to(Heap::kRanges[heap_].base + get_bytes(entry_.size));
    put(entry_.last_free, last_free_);
    put(entry_.available, available_);
  }

 private:
  HeapBlock& at(uint32_t link) const { return table_.at(link); }
  template <class T>
  void put(Atomic<T>& word, std::type_identity_t<T> value) const {
    table_.put(word, value);
  }

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
    } while (BlockState::of(at(spare_)).kind != kUnused);
    HeapBlock& block = at(spare_);
    table_.put_bytes(block.address, end_);
    table_.put_bytes(block.size, address - end_);
    table_.put(block, {kFree, heap_, Owner()});
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
  const uint32_t damages = get(header.heaps_damaged);
  repair_entries(table);
  const KeptBlocks kept = keep_allocated(table);
  drop_others(table, kept);
  uint32_t spare = 0;
  for (uint32_t heap = 0; heap < kHeaps; ++heap) ListWriter(table, heap, spare).write(kept[heap]);
  table.relink_unused();
  table.clear_accounts();
  for (const Blocks& blocks : kept)
    for (const Block& block : blocks) table.account(block.owner, block.size);
  table.put(header.heaps_repaired, damages);
  table.set_fresh();
}

}  // namespace conclave::share
