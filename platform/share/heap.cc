// SPDX-License-Identifier: Apache-2.0
#include "platform/share/heap.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "platform/base/error.h"
#include "platform/share/registry.h"
#include "platform/share/robust_lock.h"

namespace conclave::share {
namespace {

constexpr uint32_t kHeaps = 3;
constexpr time_t kPatienceSeconds = 2;
constexpr std::array<const char*, kHeaps> kSizeKeys = {"ddr-heap1-size-MiB", "ddr-heap2-size-MiB",
                                                       "msmc-heap-size-KiB"};

// What an entry of the table is; together with its heap one word, which changes at once.
enum Kind : uint32_t { kUnused, kFree, kAllocated };
constexpr uint32_t state(Kind kind, uint32_t heap) {
  return heap << 8 | kind;
}

// Thrown where the tables contradict themselves; with_tables() heals them.
struct Damaged {};

// Only the lock's holder reads and writes. Its stores are in the segment in the order in which it
// made them (which costs nothing on x86), so that its death leaves the first n of them.
template <class T>
T get(const Atomic<T>& word) {
  return word.load(std::memory_order_relaxed);
}
template <class T>
void put(Atomic<T>& word, std::type_identity_t<T> value) {
  word.store(value, std::memory_order_release);
}

// The size that a request takes.
uint64_t rounded(uint64_t size) {
  const uint64_t most = ~uint64_t{0} / Heap::kAlignment * Heap::kAlignment;
  if (size > most) return most;
  return size == 0 ? Heap::kAlignment
                   : (size + Heap::kAlignment - 1) / Heap::kAlignment * Heap::kAlignment;
}

class Lock {
 public:
  explicit Lock(Header& header) : mutex_(header.heap_lock) {
    int error = pthread_mutex_trylock(&mutex_);
    if (error == EBUSY) {
      timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += kPatienceSeconds;
      error = pthread_mutex_timedlock(&mutex_, &until);
    }
    if (error == EOWNERDEAD) {
      put(header.heaps_damaged, 1);
      error = pthread_mutex_consistent(&mutex_);
    }
    if (error == ETIMEDOUT)
      throw Error(CL_OUT_OF_RESOURCES,
                  "the device's heaps have been locked for " + std::to_string(kPatienceSeconds) +
                      " s: a process that uses the device was stopped just then; let it continue "
                      "or end it");
    if (error != 0)
      throw Error(CL_OUT_OF_RESOURCES,
                  std::string("the device's heaps cannot be locked: ") + strerror(error) +
                      "; end the processes that use the device, and restart ti-mctd where it runs");
  }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

// The tables as the lock's holder sees and changes them. A link is the index of a block + 1; 0 is
// the end of a list.
class Tables {
 public:
  explicit Tables(const Layout& layout)
      : layout_(layout),
        header_(layout.header()),
        capacity_(layout.block_capacity()),
        limit_(std::min(get(header_.blocks_in_use), capacity_)) {}

  HeapEntry& heap(uint32_t heap) const { return header_.heaps[heap]; }
  uint32_t limit() const { return limit_; }
  HeapBlock& at(uint32_t link) const {
    if (link - 1 >= limit_) throw Damaged{};
    return layout_.block(link - 1);
  }
  // Walks along a list to the first block that `wanted` holds for; 0: none.
  template <class Wanted>
  uint32_t find(uint32_t link, Atomic<uint32_t> HeapBlock::* next, Wanted wanted) const {
    for (uint32_t steps = 0; link; link = get(at(link).*next)) {
      if (++steps > limit_) throw Damaged{};  // it goes round in circles
      if (wanted(at(link))) return link;
    }
    return 0;
  }

  std::optional<Heap::Allocation> allocate(uint32_t heap, uint64_t size, Owner owner);
  // Takes back a block that is allocated.
  void free(uint32_t heap, uint32_t link);
  // Makes everything anew from the blocks that are allocated. What contradicts others is dropped.
  void rebuild();

  uint64_t largest_free(uint32_t heap) const;
  // Whether `size` is below an eighth of the heap's largest free block.
  bool is_small(uint32_t heap, uint64_t size) const;
  Heap::Report report(uint32_t heap) const;
  bool is_inside(uint32_t heap, const HeapBlock& block) const;

 private:
  // The words that lead to the block after, or before, another one; 0: the ends of the lists.
  Atomic<uint32_t>& next(uint32_t heap, uint32_t link) const {
    return link ? at(link).next : this->heap(heap).first;
  }
  Atomic<uint32_t>& next_free(uint32_t heap, uint32_t link) const {
    return link ? at(link).next_free : this->heap(heap).first_free;
  }
  Atomic<uint32_t>& previous_free(uint32_t heap, uint32_t link) const {
    return link ? at(link).previous_free : this->heap(heap).last_free;
  }
  bool is_free(uint32_t heap, uint32_t link) const {
    return link && get(at(link).state) == state(kFree, heap);
  }

  // The blocks before and after one, which must adjoin it. Throws Damaged.
  struct Neighbours {
    uint32_t below, above;
  };
  Neighbours neighbours(uint32_t heap, uint32_t link) const;

  uint32_t first_fit(uint32_t heap, uint64_t size) const;
  uint32_t take_unused();
  void append_unused();
  uint32_t free_before(uint32_t heap, uint32_t link) const;
  void insert_free(uint32_t heap, uint32_t link);
  void remove_free(uint32_t heap, uint32_t link);
  void remove(uint32_t heap, uint32_t link);
  void account(Owner owner, uint64_t change);

  // Steps of rebuild().
  using Links = std::vector<uint32_t>;
  Links keep_allocated(uint32_t heap);
  size_t gaps(uint32_t heap, const Links& kept) const;
  void chain(uint32_t heap, const Links& kept, uint32_t& spare);

  const Layout& layout_;
  Header& header_;
  const uint32_t capacity_;  // entries that the segment has room for
  uint32_t limit_;           // entries that were ever used
};

bool Tables::is_inside(uint32_t heap, const HeapBlock& block) const {
  const uint64_t offset = get(block.address) - Heap::kRanges[heap].base;
  const uint64_t size = get(block.size), all = get(this->heap(heap).size);
  return size > 0 && size <= all && offset <= all - size && offset % Heap::kAlignment == 0 &&
         size % Heap::kAlignment == 0;
}

Tables::Neighbours Tables::neighbours(uint32_t heap, uint32_t link) const {
  const HeapBlock& block = at(link);
  const uint32_t below = get(block.previous), above = get(block.next);
  const auto end = [&](const HeapBlock& b) { return get(b.address) + get(b.size); };
  const bool whole =
      is_inside(heap, block) && get(next(heap, below)) == link &&
      (!below || end(at(below)) == get(block.address)) &&
      (!above || (get(at(above).previous) == link && get(at(above).address) == end(block)));
  if (!whole) throw Damaged{};
  return {below, above};
}

uint32_t Tables::first_fit(uint32_t heap, uint64_t size) const {
  return find(get(this->heap(heap).first_free), &HeapBlock::next_free, [&](HeapBlock& block) {
    if (get(block.state) != state(kFree, heap)) throw Damaged{};
    return get(block.size) >= size;
  });
}

// What can be wrong is found out before the state is set: from then on the block is the owner's.
std::optional<Heap::Allocation> Tables::allocate(uint32_t heap, uint64_t size, Owner owner) {
  const uint32_t found = first_fit(heap, size);
  if (!found) return std::nullopt;
  HeapBlock& from = at(found);
  const uint32_t before = neighbours(heap, found).below;
  const uint64_t address = get(from.address), rest = get(from.size) - size;
  uint32_t link = found;
  if (rest == 0) {
    remove_free(heap, found);
    put(from.owner, owner.bits());
    put(from.state, state(kAllocated, heap));
  } else {
    Atomic<uint32_t>& way_here = next(heap, before);
    link = take_unused();
    HeapBlock& block = at(link);
    put(block.address, address);
    put(block.size, size);
    put(block.owner, owner.bits());
    put(block.previous, before);
    put(block.next, found);
    put(way_here, link);
    put(from.previous, link);
    put(block.state, state(kAllocated, heap));
    put(from.address, address + size);
    put(from.size, rest);
  }
  put(this->heap(heap).available, get(this->heap(heap).available) - size);
  account(owner, size);
  return Heap::Allocation{HeapId(heap), link - 1, address, size};
}

void Tables::free(uint32_t heap, uint32_t link) {
  HeapBlock& block = at(link);
  const auto [below, above] = neighbours(heap, link);
  const uint64_t size = get(block.size);
  put(block.state, state(kFree, heap));  // from here on nobody's, whatever happens
  put(this->heap(heap).available, get(this->heap(heap).available) + size);
  account(Owner::from_bits(get(block.owner)), -size);

  if (is_free(heap, below)) {
    uint64_t joined = get(at(below).size) + size;
    if (is_free(heap, above)) {
      joined += get(at(above).size);
      remove_free(heap, above);
      remove(heap, above);
    }
    put(at(below).size, joined);
    remove(heap, link);
  } else if (is_free(heap, above)) {
    put(at(above).address, get(block.address));
    put(at(above).size, get(at(above).size) + size);
    remove(heap, link);
  } else {
    insert_free(heap, link);
  }
}

// An entry of the table that holds no block.
uint32_t Tables::take_unused() {
  const uint32_t link = get(header_.unused_blocks);
  if (link) {
    if (get(at(link).state) != kUnused) throw Damaged{};
    put(header_.unused_blocks, get(at(link).next));
    return link;
  }
  if (limit_ >= capacity_)
    throw Error(CL_OUT_OF_RESOURCES,
                "the shared segment has room for " + std::to_string(capacity_) +
                    " blocks of the device's heaps and as many are in use; raise "
                    "linux-shmem-size-KB in the configuration (it is " +
                    std::to_string(get(header_.size) >> 10) +
                    "), and restart ti-mctd where it runs");
  append_unused();
  return limit_;
}

void Tables::append_unused() {
  put(layout_.block(limit_).state, kUnused);
  put(header_.blocks_in_use, ++limit_);
}

// The free block below an allocated one. Looks for it from four places at once: one of them is near
// in all but contrived cases.
uint32_t Tables::free_before(uint32_t heap, uint32_t link) const {
  const uint64_t address = get(at(link).address);
  uint32_t left = get(at(link).previous), right = get(at(link).next);
  uint32_t head = get(this->heap(heap).first_free), tail = get(this->heap(heap).last_free);
  for (uint32_t steps = 0; steps <= limit_; ++steps) {
    if (!left || is_free(heap, left)) return left;
    if (!right) return get(this->heap(heap).last_free);
    if (is_free(heap, right)) return get(at(right).previous_free);
    if (!tail || get(at(tail).address) < address) return tail;
    if (!head) throw Damaged{};  // although there is a tail
    if (get(at(head).address) > address) return get(at(head).previous_free);
    left = get(at(left).previous);
    right = get(at(right).next);
    head = get(at(head).next_free);
    tail = get(at(tail).previous_free);
  }
  throw Damaged{};
}

void Tables::insert_free(uint32_t heap, uint32_t link) {
  const uint32_t before = free_before(heap, link);
  const uint32_t after = get(next_free(heap, before));
  put(at(link).previous_free, before);
  put(at(link).next_free, after);
  put(next_free(heap, before), link);
  put(previous_free(heap, after), link);
}

void Tables::remove_free(uint32_t heap, uint32_t link) {
  const uint32_t before = get(at(link).previous_free), after = get(at(link).next_free);
  Atomic<uint32_t>&way_here = next_free(heap, before), &way_back = previous_free(heap, after);
  put(way_here, after);
  put(way_back, before);
}

// Takes a block that another one has swallowed out of the list, and its entry out of use.
void Tables::remove(uint32_t heap, uint32_t link) {
  HeapBlock& block = at(link);
  const uint32_t before = get(block.previous), after = get(block.next);
  put(next(heap, before), after);
  if (after) put(at(after).previous, before);
  put(block.state, kUnused);
  put(block.next, get(header_.unused_blocks));
  put(header_.unused_blocks, link);
}

// Keeps the owner's sum; `change` modulo 2^64.
void Tables::account(Owner owner, uint64_t change) {
  if (owner.slot() >= layout_.process_capacity()) return;
  ProcessEntry& entry = layout_.process(owner.slot());
  if (EntryState::of(get(entry.state)).generation == owner.generation())
    put(entry.heap_bytes, get(entry.heap_bytes) + change);
}

// The allocated blocks of a heap by address, without those that overlap others.
Tables::Links Tables::keep_allocated(uint32_t heap) {
  Links links, kept;
  for (uint32_t link = 1; link <= limit_; ++link)
    if (get(at(link).state) == state(kAllocated, heap)) links.push_back(link);
  std::sort(links.begin(), links.end(),
            [&](uint32_t a, uint32_t b) { return get(at(a).address) < get(at(b).address); });
  uint64_t end = Heap::kRanges[heap].base;
  for (uint32_t link : links) {
    HeapBlock& block = at(link);
    const Owner owner = Owner::from_bits(get(block.owner));
    if (is_inside(heap, block) && get(block.address) >= end && owner &&
        owner.slot() < layout_.process_capacity()) {
      kept.push_back(link);
      end = get(block.address) + get(block.size);
    } else {
      put(block.state, kUnused);
    }
  }
  return kept;
}

// How many free blocks there are between and behind those.
size_t Tables::gaps(uint32_t heap, const Links& kept) const {
  size_t count = 0;
  uint64_t end = Heap::kRanges[heap].base;
  for (uint32_t link : kept) {
    count += get(at(link).address) != end;
    end = get(at(link).address) + get(at(link).size);
  }
  return count + (end != Heap::kRanges[heap].base + get(this->heap(heap).size));
}

// Makes a heap's lists. `spare`: entries up to this one are taken.
void Tables::chain(uint32_t heap, const Links& kept, uint32_t& spare) {
  HeapEntry& entry = this->heap(heap);
  uint32_t last = 0, last_free = 0;
  uint64_t end = Heap::kRanges[heap].base, available = 0;
  const auto append = [&](uint32_t link) {
    put(at(link).previous, last);
    put(at(link).next, 0);
    put(next(heap, last), link);
    last = link;
  };
  const auto fill_up_to = [&](uint64_t address) {
    if (end == address) return;
    do {
      if (++spare > limit_) append_unused();
    } while (get(at(spare).state) != kUnused);
    HeapBlock& block = at(spare);
    put(block.address, end);
    put(block.size, address - end);
    put(block.owner, 0);
    put(block.state, state(kFree, heap));
    append(spare);
    put(block.previous_free, last_free);
    put(block.next_free, 0);
    put(next_free(heap, last_free), spare);
    last_free = spare;
    available += address - end;
  };
  put(entry.first, 0);
  put(entry.first_free, 0);
  for (uint32_t link : kept) {
    fill_up_to(get(at(link).address));
    append(link);
    end = get(at(link).address) + get(at(link).size);
  }
  fill_up_to(Heap::kRanges[heap].base + get(entry.size));
  put(entry.last_free, last_free);
  put(entry.available, available);
}

void Tables::rebuild() {
  for (uint32_t heap = 0; heap < kHeaps; ++heap) {
    HeapEntry& entry = this->heap(heap);
    put(entry.base, Heap::kRanges[heap].base);
    put(entry.align, Heap::kAlignment);
    const uint64_t size = std::min(get(entry.size), Heap::kRanges[heap].most);
    put(entry.size, capacity_ < kHeaps ? 0 : size / Heap::kAlignment * Heap::kAlignment);
  }
  std::array<Links, kHeaps> kept;
  size_t needed = 0;
  for (uint32_t heap = 0; heap < kHeaps; ++heap) {
    kept[heap] = keep_allocated(heap);
    needed += kept[heap].size() + gaps(heap, kept[heap]);
  }
  // Only garbage can need more entries than there are; nothing in it can be trusted then.
  if (needed > capacity_)
    for (Links& links : kept) links.clear();
  std::vector<bool> is_kept(limit_ + 1);
  for (const Links& links : kept)
    for (uint32_t link : links) is_kept[link] = true;
  for (uint32_t link = 1; link <= limit_; ++link)
    if (!is_kept[link]) put(at(link).state, kUnused);

  uint32_t spare = 0;
  for (uint32_t heap = 0; heap < kHeaps; ++heap) chain(heap, kept[heap], spare);
  put(header_.unused_blocks, 0);
  for (uint32_t link = limit_; link > 0; --link) {
    if (get(at(link).state) != kUnused) continue;
    put(at(link).next, get(header_.unused_blocks));
    put(header_.unused_blocks, link);
  }
  for (uint32_t slot = 0; slot < layout_.process_capacity(); ++slot)
    put(layout_.process(slot).heap_bytes, 0);
  for (const Links& links : kept)
    for (uint32_t link : links) account(Owner::from_bits(get(at(link).owner)), get(at(link).size));
  put(header_.heaps_damaged, 0);
}

uint64_t Tables::largest_free(uint32_t heap) const {
  uint64_t largest = 0;
  find(get(this->heap(heap).first_free), &HeapBlock::next_free, [&](HeapBlock& block) {
    largest = std::max(largest, get(block.size));
    return false;
  });
  return largest;
}

// Begins at the end, since what was never allocated is there.
bool Tables::is_small(uint32_t heap, uint64_t size) const {
  return find(get(this->heap(heap).last_free), &HeapBlock::previous_free,
              [&](HeapBlock& block) { return size < get(block.size) / 8; }) != 0;
}

Heap::Report Tables::report(uint32_t heap) const {
  const HeapEntry& entry = this->heap(heap);
  Heap::Report report;
  report.base = Heap::kRanges[heap].base;
  report.size = get(entry.size);
  report.align = Heap::kAlignment;
  uint64_t end = report.base;
  find(get(entry.first), &HeapBlock::next, [&](HeapBlock& block) {
    const bool free = get(block.state) == state(kFree, heap);
    if ((!free && get(block.state) != state(kAllocated, heap)) || get(block.address) != end ||
        !is_inside(heap, block))
      throw Damaged{};
    const uint64_t size = get(block.size);
    report.blocks.push_back({end, size, free ? Owner() : Owner::from_bits(get(block.owner))});
    if (free) report.available += size;
    end += size;
    return false;
  });
  if (end != report.base + report.size || report.available != get(entry.available)) throw Damaged{};
  return report;
}

// Calls `body` with the tables, locked and whole; once more where it finds damage. What it has
// freed by then stays free, and allocate() finds damage only before it allocates.
template <class Body>
auto with_tables(const Layout& layout, Body body) {
  Lock lock(layout.header());
  Tables tables(layout);
  for (bool again = false;; again = true) {
    if (get(layout.header().heaps_damaged)) tables.rebuild();
    try {
      return body(tables);
    } catch (const Damaged&) {
      put(layout.header().heaps_damaged, 1);
      require(!again, CL_OUT_OF_RESOURCES,
              "the table of the device's heaps is damaged again and again; end the processes that "
              "use the device, and restart ti-mctd where it runs");
    }
  }
}

std::string room_in(const Tables& tables, HeapId id) {
  const auto heap = static_cast<uint32_t>(id);
  const HeapEntry& entry = tables.heap(heap);
  if (get(entry.size) == 0)
    return std::string("there is no ") + kHeapNames[heap] + " (" + kSizeKeys[heap] + " is 0)";
  return std::string(kHeapNames[heap]) + " has " + std::to_string(get(entry.available)) + " of " +
         std::to_string(get(entry.size)) + " bytes left, " +
         std::to_string(tables.largest_free(heap)) + " in one piece (" + kSizeKeys[heap] +
         " sets its size)";
}

[[noreturn]] void no_room(uint64_t size, const std::string& room) {
  throw Error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
              "no device memory for " + std::to_string(size) + " bytes: " + room +
                  "; ti-mct-heap-check shows which processes have it");
}

}  // namespace

void Heap::initialize(const Layout& layout) {
  initialize_robust(layout.header().heap_lock);
  Tables(layout).rebuild();
}

// ddr_heap1 last: while it has no size the heaps are not configured.
bool Heap::configure(const Sizes& sizes) {
  return with_tables(layout_, [&](Tables& tables) {
    for (uint32_t heap = 0; heap < kHeaps; ++heap)
      if (get(tables.heap(heap).available) != get(tables.heap(heap).size)) return false;
    put(layout_.header().heaps_damaged, 1);
    for (uint32_t heap : {2, 1, 0}) put(tables.heap(heap).size, sizes.bytes[heap]);
    tables.rebuild();
    return true;
  });
}

Heap::Allocation Heap::allocate(HeapId heap, uint64_t size, Owner owner) {
  return with_tables(layout_, [&](Tables& tables) {
    const auto allocation = tables.allocate(static_cast<uint32_t>(heap), rounded(size), owner);
    if (!allocation) no_room(size, room_in(tables, heap));
    return *allocation;
  });
}

Heap::Allocation Heap::allocate_global(uint64_t size, Owner owner) {
  constexpr auto first = static_cast<uint32_t>(HeapId::kDdr1);
  constexpr auto second = static_cast<uint32_t>(HeapId::kDdr2);
  return with_tables(layout_, [&](Tables& tables) {
    const uint64_t bytes = rounded(size);
    const bool has_second = get(tables.heap(second).size) != 0;
    std::optional<Allocation> allocation;
    if (has_second && !tables.is_small(first, bytes))
      allocation = tables.allocate(second, bytes, owner);
    if (!allocation) allocation = tables.allocate(first, bytes, owner);
    if (!allocation)
      no_room(size, has_second
                        ? room_in(tables, HeapId::kDdr1) + ", " + room_in(tables, HeapId::kDdr2)
                        : room_in(tables, HeapId::kDdr1));
    return *allocation;
  });
}

void Heap::free(const Allocation& allocation, Owner owner) {
  const auto heap = static_cast<uint32_t>(allocation.heap);
  with_tables(layout_, [&](Tables& tables) {
    if (heap >= kHeaps || allocation.block >= tables.limit()) return;
    const HeapBlock& block = layout_.block(allocation.block);
    if (get(block.state) == state(kAllocated, heap) && get(block.owner) == owner.bits() &&
        get(block.address) == allocation.address && get(block.size) == allocation.size)
      tables.free(heap, allocation.block + 1);
  });
}

Heap::Freed Heap::free_all(Owner owner) {
  Freed freed;
  with_tables(layout_, [&](Tables& tables) {
    for (uint32_t link = 1; link <= tables.limit(); ++link) {
      const HeapBlock& block = tables.at(link);
      for (uint32_t heap = 0; heap < kHeaps; ++heap) {
        if (get(block.state) != state(kAllocated, heap) || get(block.owner) != owner.bits())
          continue;
        const uint64_t size = get(block.size);
        tables.free(heap, link);
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
  return with_tables(
      layout_, [&](Tables& tables) { return tables.largest_free(static_cast<uint32_t>(heap)); });
}

Heap::Report Heap::report(HeapId heap) const {
  return with_tables(layout_,
                     [&](Tables& tables) { return tables.report(static_cast<uint32_t>(heap)); });
}

}  // namespace conclave::share
