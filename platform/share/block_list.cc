// SPDX-License-Identifier: Apache-2.0
#include "platform/share/block_list.h"

#include <algorithm>

namespace conclave::share {

BlockList::Neighbours BlockList::neighbours(uint32_t link) const {
  const HeapBlock& block = at(link);
  const uint32_t below = get(block.previous), above = get(block.next);
  const auto end = [&](const HeapBlock& b) { return get_bytes(b.address) + get_bytes(b.size); };
  const bool whole =
      table_.is_inside(heap_, block) && get(next(below)) == link &&
      (!below || end(at(below)) == get_bytes(block.address)) &&
      (!above || (get(at(above).previous) == link && get_bytes(at(above).address) == end(block)));
  if (!whole) throw Damaged{};
  return {below, above};
}

uint32_t BlockList::first_fit(uint64_t size) const {
  return table_.find(get(entry_.first_free), &HeapBlock::next_free, [&](HeapBlock& block) {
    if (!BlockState::of(block).is(kFree, heap_)) throw Damaged{};
    return get_bytes(block.size) >= size;
  });
}

// Stores all of the block's words, also those that have the right value already. Then a former
// holder of the lock cannot change them any more.
void BlockList::allocate(uint64_t size, Owner owner, std::optional<MadeAllocation>& made) {
  const uint32_t found = first_fit(size);
  if (!found) {
    if (!table_.is_fresh()) throw Damaged{};  // the list may lack something
    return;
  }
  HeapBlock& from = at(found);
  const uint32_t before = neighbours(found).below;
  const uint64_t address = get_bytes(from.address), room = get_bytes(from.size);
  if (room < size) throw Damaged{};
  const uint64_t rest = room - size;
  uint32_t link = found;
  if (rest == 0) {
    remove_free(found);
  } else {
    Atomic<uint32_t>& way_here = next(before);
    link = table_.take_unused();
    put(at(link).previous, before);
    put(at(link).next, found);
    put(way_here, link);
    put(from.previous, link);
  }
  HeapBlock& block = at(link);
  table_.put_bytes(block.address, address);
  table_.put_bytes(block.size, size);
  const uint64_t state = table_.put(block, {kAllocated, heap_, owner});
  made = {{HeapId(heap_), link - 1, address, size}, state};
  if (rest != 0) {
    table_.put_bytes(from.address, address + size);
    table_.put_bytes(from.size, rest);
  }
  put(entry_.available, get(entry_.available) - size);
  table_.account(owner, size);
}

void BlockList::free(uint32_t link, Heap::Freed& freed) {
  HeapBlock& block = at(link);
  const auto [below, above] = neighbours(link);
  const uint64_t size = get_bytes(block.size);
  const Owner owner = BlockState::of(block).owner;
  table_.put(block, {kFree, heap_, Owner()});  // from here on nobody's, whatever happens
  freed.blocks += 1;
  freed.bytes += size;
  put(entry_.available, get(entry_.available) + size);
  table_.account(owner, -size);

  if (is_free(below)) {
    uint64_t joined = get_bytes(at(below).size) + size;
    if (is_free(above)) {
      joined += get_bytes(at(above).size);
      remove_free(above);
      remove(above);
    }
    table_.put_bytes(at(below).size, joined);
    remove(link);
  } else if (is_free(above)) {
    table_.put_bytes(at(above).address, get_bytes(block.address));
    table_.put_bytes(at(above).size, get_bytes(at(above).size) + size);
    remove(link);
  } else {
    insert_free(link);
  }
}

// The free block below an allocated one. Looks for it in four directions at once: one of them is
// short in all but contrived cases.
uint32_t BlockList::free_before(uint32_t link) const {
  const uint64_t address = get_bytes(at(link).address);
  uint32_t left = get(at(link).previous), right = get(at(link).next);
  uint32_t head = get(entry_.first_free), tail = get(entry_.last_free);
  for (uint32_t steps = 0; steps <= table_.limit(); ++steps) {
    if (!left || is_free(left)) return left;
    if (!right) return get(entry_.last_free);
    if (is_free(right)) return get(at(right).previous_free);
    if (!tail || get_bytes(at(tail).address) < address) return tail;
    if (!head) throw Damaged{};  // although there is a tail
    if (get_bytes(at(head).address) > address) return get(at(head).previous_free);
    left = get(at(left).previous);
    right = get(at(right).next);
    head = get(at(head).next_free);
    tail = get(at(tail).previous_free);
  }
  throw Damaged{};
}

void BlockList::insert_free(uint32_t link) {
  const uint32_t before = free_before(link);
  const uint32_t after = get(next_free(before));
  put(at(link).previous_free, before);
  put(at(link).next_free, after);
  put(next_free(before), link);
  put(previous_free(after), link);
}

void BlockList::remove_free(uint32_t link) {
  const uint32_t before = get(at(link).previous_free), after = get(at(link).next_free);
  Atomic<uint32_t>&way_here = next_free(before), &way_back = previous_free(after);
  put(way_here, after);
  put(way_back, before);
}

// Takes a block that another one has absorbed out of the list, and its entry out of use.
void BlockList::remove(uint32_t link) {
  HeapBlock& block = at(link);
  const uint32_t before = get(block.previous), after = get(block.next);
  put(next(before), after);
  if (after) put(at(after).previous, before);
  table_.give_unused(link);
}

uint64_t BlockList::largest_free() const {
  uint64_t largest = 0;
  table_.find(get(entry_.first_free), &HeapBlock::next_free, [&](HeapBlock& block) {
    largest = std::max(largest, get_bytes(block.size));
    return false;
  });
  return largest;
}

// Begins at the end, where the memory is that was never allocated.
bool BlockList::is_small(uint64_t size) const {
  return table_.find(get(entry_.last_free), &HeapBlock::previous_free,
                     [&](HeapBlock& block) { return size < get_bytes(block.size) / 8; }) != 0;
}

Heap::Report BlockList::report() const {
  Heap::Report report;
  report.base = Heap::kRanges[heap_].base;
  report.size = get_bytes(entry_.size);
  report.align = Heap::kAlignment;
  uint64_t end = report.base;
  table_.find(get(entry_.first), &HeapBlock::next, [&](HeapBlock& block) {
    const BlockState state = BlockState::of(block);
    const bool free = state.is(kFree, heap_);
    const uint64_t size = get_bytes(block.size);
    if ((!free && !state.is(kAllocated, heap_)) || get_bytes(block.address) != end ||
        !table_.is_inside(heap_, end, size))
      throw Damaged{};
    report.blocks.push_back({end, size, free ? Owner() : state.owner});
    if (free) report.available += size;
    end += size;
    return false;
  });
  if (end != report.base + report.size || report.available != get(entry_.available))
    throw Damaged{};
  return report;
}

}  // namespace conclave::share
