// SPDX-License-Identifier: Apache-2.0
#include "platform/share/block_table.h"

#include <algorithm>
#include <string>

#include "platform/base/error.h"
#include "platform/share/registry.h"

namespace conclave::share {

BlockTable::BlockTable(const Layout& layout, const SegmentLock& lock)
    : layout_(layout),
      lock_(lock),
      capacity_(layout.block_capacity()),
      limit_(std::min(get(layout.header().blocks_in_use), capacity_)) {}

bool BlockTable::is_inside(uint32_t heap, const HeapBlock& block) const {
  return is_inside(heap, get_bytes(block.address), get_bytes(block.size));
}

bool BlockTable::is_inside(uint32_t heap, uint64_t address, uint64_t size) const {
  const uint64_t offset = address - Heap::kRanges[heap].base;
  const uint64_t all = get_bytes(this->heap(heap).size);
  return size > 0 && size <= all && offset <= all - size && offset % Heap::kAlignment == 0 &&
         size % Heap::kAlignment == 0;
}

uint32_t BlockTable::take_unused() {
  Header& header = layout_.header();
  const uint32_t link = get(header.unused_blocks);
  if (link) {
    if (BlockState::of(at(link)).kind != kUnused) throw Damaged{};
    put(header.unused_blocks, get(at(link).next));
    return link;
  }
  if (limit_ >= capacity_ && !is_fresh()) throw Damaged{};
  if (limit_ >= capacity_)
    throw Error(CL_OUT_OF_RESOURCES,
                "the shared segment has room for " + std::to_string(capacity_) +
                    " blocks of the device's heaps and as many are in use; raise "
                    "linux-shmem-size-KB in the configuration (it is " +
                    std::to_string(layout_.bytes() >> 10) + "), and restart ti-mctd where it runs");
  append_unused();
  return limit_;
}

void BlockTable::give_unused(uint32_t link) {
  Header& header = layout_.header();
  HeapBlock& block = at(link);
  drop(block);
  put(block.next, get(header.unused_blocks));
  put(header.unused_blocks, link);
}

void BlockTable::append_unused() {
  if (limit_ >= capacity_) throw Damaged{};
  drop(layout_.block(limit_++));
  // This only ever rises, even by a process that has lost the lock: no block may be forgotten.
  lock_.check();
  uint32_t before = limit_ - 1;
  layout_.header().blocks_in_use.compare_exchange_strong(before, limit_);
}

void BlockTable::relink_unused() {
  Header& header = layout_.header();
  put(header.unused_blocks, 0);
  for (uint32_t link = limit_; link > 0; --link) {
    if (BlockState::of(at(link)).kind != kUnused) continue;
    put(at(link).next, get(header.unused_blocks));
    put(header.unused_blocks, link);
  }
}

void BlockTable::account(Owner owner, uint64_t change) {
  if (owner.slot() >= layout_.process_capacity()) return;
  ProcessEntry& entry = layout_.process(owner.slot());
  if (EntryState::of(get(entry.state)).generation == owner.generation())
    put(entry.heap_bytes, get(entry.heap_bytes) + change);
}

void BlockTable::clear_accounts() {
  for (uint32_t slot = 0; slot < layout_.processes(); ++slot)
    put(layout_.process(slot).heap_bytes, 0);
}

}  // namespace conclave::share
