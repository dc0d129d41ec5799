// SPDX-License-Identifier: Apache-2.0
#include "vandal.h"

#include <unistd.h>

#include <cstring>

#include "platform/base/clock.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/process_identity.h"
#include "platform/share/registry.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::test {

using share::CuEntry;
using share::EntryState;
using share::GraphPart;
using share::HeapBlock;
using share::Layout;
using share::Lease;
using share::LockWord;
using share::Owner;
using share::ProcessEntry;
using share::Request;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;

// Sizes of the segment's header, which every process reads when it opens it.
constexpr size_t kSizesBytes = offsetof(share::Header, registrations);

}  // namespace

void Vandal::attack(const Layout& layout) {
  static constexpr Attack kAttacks[] = {
      &Vandal::garbage,       &Vandal::tables_of_garbage,
      &Vandal::leases,        &Vandal::leases,
      &Vandal::requests,      &Vandal::requests,
      &Vandal::entries,       &Vandal::crowd,
      &Vandal::accounts,      &Vandal::texts,
      &Vandal::heaps,         &Vandal::heap_blocks,
      &Vandal::schedule,      &Vandal::xclbin,
      &Vandal::locks,         &Vandal::hammer,
      &Vandal::hammer,        &Vandal::hammer,
      &Vandal::sleepers,      &Vandal::access_modes,
      &Vandal::attack_graphs,
  };
  // What makes everybody leave the segment is rare, or nothing else would be tested.
  if (chance(250)) return header(layout);
  (this->*kAttacks[number(std::size(kAttacks))])(layout);
}

uint64_t Vandal::some_word() {
  return any<uint64_t>({0, 1, number(16), random_(), random_() & UINT32_MAX, UINT64_MAX,
                        UINT64_MAX - 1, uint64_t{1} << 63, random_() << 32});
}

// Often one that exists.
Owner Vandal::some_owner(const Layout& layout) {
  const auto slot = static_cast<uint32_t>(number(chance(4) ? 70'000 : 12));
  const uint16_t generation = EntryState::of(layout.process(slot).state.load()).generation;
  return Owner(slot, static_cast<uint16_t>(generation + (chance(3) ? number(3) - 1 : 0)));
}

share::Atomic<uint64_t>& Vandal::some_lock(const Layout& layout) {
  share::Header& header = layout.header();
  return *any({&header.heap_lock, &header.xclbin_lock, &header.access_lock, &header.guardian});
}

void Vandal::store(const Word& word, uint64_t value) {
  if (word.bytes == 8)
    static_cast<share::Atomic<uint64_t>*>(word.at)->store(value);
  else
    static_cast<share::Atomic<uint32_t>*>(word.at)->store(static_cast<uint32_t>(value));
}

// The words that honest processes wait for, change by compare-and-swap, or walk along.
Vandal::Word Vandal::some_word_of_interest(const Layout& layout) {
  CuEntry& unit = layout.unit(static_cast<uint32_t>(number(4)));
  ProcessEntry& entry = layout.process(static_cast<uint32_t>(number(12)));
  share::Header& header = layout.header();
  HeapBlock& block = layout.block(static_cast<uint32_t>(number(40)));
  return any<Word>({{&unit.lease, 8},
                    {&unit.lease, 8},
                    {&unit.guest, 8},
                    {&unit.wake, 4},
                    {&entry.state, 8},
                    {&entry.recent_use, 8},
                    {&entry.requests[0].ticket, 8},
                    {&entry.requests[0].units[0], 8},
                    {&entry.xclbin_contexts, 8},
                    {&entry.access_modes[0], 8},
                    {&entry.access_modes[share::kModeWords - 1], 8},
                    {&header.next_ticket, 8},
                    {&header.waiting[0], 8},
                    {&header.entries_in_use, 4},
                    {&header.heap_lock, 8},
                    {&header.xclbin_lock, 8},
                    {&header.access_lock, 8},
                    {&header.heaps_damaged, 4},
                    {&header.blocks_in_use, 4},
                    {&header.unused_blocks, 4},
                    {&header.heaps[0].first_free, 4},
                    {&block.state, 8},
                    {&block.address, 8},
                    {&block.size, 8},
                    {&block.next, 4}});
}

void Vandal::garbage(const Layout& layout) {
  for (uint64_t left = 1 + number(2000); left > 0; --left) {
    const size_t at = kSizesBytes + number((layout.bytes() - kSizesBytes) / 8) * 8;
    store({layout.base + at / 8 * 8, 8}, some_word());
  }
}

// In those parts that are in use.
void Vandal::tables_of_garbage(const Layout& layout) {
  const auto fill = [&](void* table, size_t bytes) {
    for (size_t at = 0; at + 8 <= bytes; at += 8)
      if (chance(3)) store({static_cast<std::byte*>(table) + at, 8}, some_word());
  };
  switch (number(4)) {
    case 0:
      return fill(&layout.unit(0), 8 * sizeof(CuEntry));
    case 1:
      return fill(&layout.process(0), 12 * sizeof(ProcessEntry));
    case 2:
      return fill(&layout.block(0), 64 * sizeof(HeapBlock));
    case 3:
      return fill(&layout.header().policy, sizeof(share::Header) - offsetof(share::Header, policy));
  }
}

void Vandal::leases(const Layout& layout) {
  for (uint32_t unit = 0; unit < 8; ++unit) {
    if (chance(3)) continue;
    const Lease lease{
        some_owner(layout),
        any({Lease::kFree, Lease::kIdle, Lease::kGranted, Lease::kActive, Lease::kActive}),
        chance(2), static_cast<uint32_t>(number(1u << 29))};
    layout.unit(unit).lease.store(lease.word());
    if (chance(3)) layout.unit(unit).guest.store(lease.word());
    if (chance(3)) layout.unit(unit).reliever.store(lease.word());
  }
}

void Vandal::requests(const Layout& layout) {
  for (uint32_t slot = 0; slot < 12; ++slot) {
    for (Request& request : layout.process(slot).requests) {
      if (chance(2)) request.ticket.store(any<uint64_t>({0, 0, 1, Request::kNotDrawn, random_()}));
      if (chance(2)) request.units[0].store(any<uint64_t>({0, UINT64_MAX, random_()}));
    }
  }
  layout.header().waiting[0].store(any<uint64_t>({0, UINT64_MAX, random_()}));
}

void Vandal::entries(const Layout& layout) {
  for (uint32_t slot = 0; slot < 12; ++slot) {
    if (chance(2)) continue;
    EntryState state = EntryState::of(layout.process(slot).state.load());
    if (chance(2)) state.pid = some_pid();
    if (chance(3)) state.generation = static_cast<uint16_t>(state.generation + number(3) - 1);
    if (chance(2)) state.state = static_cast<uint16_t>(number(6));
    layout.process(slot).state.store(state.word());
    if (chance(3)) layout.process(slot).start_time.store(some_word());
  }
}

// Fills the table with processes that live, and are not in it.
void Vandal::crowd(const Layout& layout) {
  for (uint32_t slot = 8; slot < layout.process_capacity(); ++slot) {
    const uint32_t pid = some_pid();
    ProcessEntry& entry = layout.process(slot);
    entry.start_time.store(share::identity_of(static_cast<pid_t>(pid)).start_time);
    entry.state.store(
        EntryState{pid, static_cast<uint16_t>(number(100)), ProcessEntry::kLive}.word());
    entry.contexts.store(1);
  }
  share::Header& header = layout.header();
  header.entries_in_use.store(layout.process_capacity());
  header.registrations.fetch_add(1);
  share::XclbinSlot::announce_change(layout);
  // Long enough to be met, not so long that nobody else can ever enter.
  usleep(20'000);
  for (uint32_t slot = 8; slot < layout.process_capacity(); ++slot)
    layout.process(slot).state.store(0);
}

void Vandal::accounts(const Layout& layout) {
  for (uint32_t slot = 0; slot < 12; ++slot) {
    ProcessEntry& entry = layout.process(slot);
    entry.recent_use.store(some_word());
    entry.heap_bytes.store(some_word());
    entry.busy_ns.store(some_word());
    entry.cost_ns.store(some_word());
    entry.queued.store(static_cast<uint32_t>(some_word()));
    entry.since_ns.store(some_word());
    entry.units[0].store(some_word());
    entry.contexts.store(static_cast<uint32_t>(some_word()));
  }
}

void Vandal::texts(const Layout& layout) {
  for (uint32_t slot = 0; slot < 12; ++slot) {
    ProcessEntry& entry = layout.process(slot);
    entry.command.set(
        "\x1b]0;owned\x07\x1b[2J\xc2\x9b"
        "31m\xff\xfe" +
        std::string(80, '\x9b'));
    entry.kernel.set("\r\n\t\x7f");
    entry.name.set(std::string(40, '\n'));
  }
}

void Vandal::heaps(const Layout& layout) {
  share::Header& header = layout.header();
  const auto link = [&] {
    return static_cast<uint32_t>(any<uint64_t>(
        {0, number(64), layout.block_capacity(), layout.block_capacity() + 1, UINT32_MAX}));
  };
  for (share::HeapEntry& heap : header.heaps) {
    if (chance(2)) heap.first.store(link());
    if (chance(2)) heap.first_free.store(link());
    if (chance(2)) heap.last_free.store(link());
    if (chance(4)) heap.available.store(some_word());
    if (chance(4)) store({&heap.size, 8}, some_word());
    if (chance(4)) heap.base.store(some_word());
  }
  if (chance(2)) header.unused_blocks.store(link());
  if (chance(2)) header.blocks_in_use.store(link());
  if (chance(2)) header.heaps_damaged.fetch_add(1);
  if (chance(4)) header.heaps_repaired.store(header.heaps_damaged.load());
}

void Vandal::heap_blocks(const Layout& layout) {
  const auto state = [&] {
    const uint64_t kind = number(4), heap = number(4);
    return uint64_t{some_owner(layout).bits()} << 8 | heap << 4 | kind;
  };
  // The values are above the 24 bits of the count.
  for (uint64_t i = number(4); i < 200 && i < layout.block_capacity(); i += 1 + number(8)) {
    HeapBlock& block = layout.block(static_cast<uint32_t>(i));
    if (chance(2)) store({&block.state, 8}, state() << 24);
    if (chance(3)) store({&block.address, 8}, (0xa2000000 / 128 + number(1u << 20)) << 24);
    if (chance(3)) store({&block.size, 8}, number(1u << 16) << 24);
    if (chance(3)) block.next.store(static_cast<uint32_t>(number(200)));
    if (chance(3)) block.previous.store(static_cast<uint32_t>(number(200)));
    if (chance(3)) block.next_free.store(static_cast<uint32_t>(number(200)));
    if (chance(3)) block.previous_free.store(static_cast<uint32_t>(number(200)));
  }
}

void Vandal::schedule(const Layout& layout) {
  share::Header& header = layout.header();
  header.policy.store(any<uint32_t>({0, 1, 2, UINT32_MAX}));
  header.time_slice_us.store(any<uint32_t>({0, 1, 4000, UINT32_MAX}));
  header.trace.store(any<uint32_t>({0, 1, UINT32_MAX, static_cast<uint32_t>(random_())}));
  header.next_ticket.store(any<uint64_t>({0, UINT64_MAX, UINT64_MAX - 1, random_()}));
  header.entries_in_use.store(any<uint32_t>({0, 1, UINT32_MAX}));
  header.exclusive.store(any<uint32_t>({0, 0, some_owner(layout).bits(), UINT32_MAX}));
}

void Vandal::xclbin(const Layout& layout) {
  share::Header& header = layout.header();
  for (void* word : {static_cast<void*>(&header.xclbin_resident),
                     static_cast<void*>(&header.xclbin_compute_units),
                     static_cast<void*>(&header.xclbin_loader)})
    if (chance(2)) store({word, 8}, some_word());
  for (uint32_t unit = 0; unit < 8; ++unit)
    for (size_t at = 0; at < sizeof(share::XclbinUnit); at += 8)
      if (chance(2))
        store({reinterpret_cast<std::byte*>(&layout.xclbin_unit(unit)) + at, 8}, some_word());
  for (uint32_t slot = 0; slot < 12; ++slot)
    if (chance(2)) layout.process(slot).xclbin_contexts.store(some_word());
}

// In the names of those whose entries they are, or of their predecessors.
void Vandal::access_modes(const Layout& layout) {
  for (uint32_t slot = 0; slot < 12; ++slot) {
    ProcessEntry& entry = layout.process(slot);
    const uint64_t generation = EntryState::of(entry.state.load()).generation;
    for (share::Atomic<uint64_t>& word : entry.access_modes)
      if (chance(2)) word.store((generation + number(2)) << 48 | (some_word() & 0xffff'ffff'ffff));
  }
  if (chance(2)) share::XclbinSlot::announce_change(layout);
}

// What the daemon reads of streams and parameters; with the words of a part exchanged, garbled, or
// such as others might have.
void Vandal::attack_graphs(const Layout& layout) {
  auto& header = *reinterpret_cast<share::GraphHeader*>(layout.graphs);
  const auto some_offset = [&] { return static_cast<uint32_t>(number(share::kGraphAreaBytes)); };
  for (int i = 0; i < 20; ++i) {
    const size_t at = number(chance(4) ? share::kGraphParts : 40);
    const GraphPart part = GraphPart::of(header.parts[at].load());
    const GraphPart forged{any({GraphPart::Kind::kStream, GraphPart::Kind::kParameter}),
                           static_cast<uint8_t>(number(12)),
                           chance(2) ? some_offset() : some_offset() / 64 * 64,
                           any({0u, 63u, 64u, 1u << 20, 1u << 24})};
    switch (number(5)) {
      case 0:
        header.parts[at].store(chance(3) ? forged.word() : some_word());
        break;
      case 1:
        header.parts[at].store(header.parts[number(40)].load());
        break;
      case 2:
        header.wanted[number(share::kGraphParts / 64)].store(some_word());
        header.end_changes.fetch_add(1);
        break;
      case 3:
        header.bells[number(12)].fetch_add(1);
        header.sleeps[number(12)].store(static_cast<uint32_t>(number(2)));
        break;
      default:
        if (part.is_sound() && part.kind == GraphPart::Kind::kStream) stream_words(layout, part);
    }
  }
  if (chance(10)) share::strike_bell(layout);
}

void Vandal::stream_words(const Layout& layout, const GraphPart& part) {
  auto& stream = *reinterpret_cast<share::Stream*>(layout.graphs + part.offset);
  for (share::StreamSide* side : {&stream.read, &stream.written}) {
    if (chance(2))
      side->position.store(chance(2) ? some_word() : side->position.load() + number(part.bytes));
    if (chance(2)) side->owner.store(chance(3) ? 0 : some_owner(layout).bits());
    if (chance(2)) side->waits.store(static_cast<uint32_t>(number(2)));
  }
}

LockWord Vandal::some_holder() {
  const uint32_t start = static_cast<uint32_t>(share::identity_of(getpid()).start_time);
  const uint32_t other = start << LockWord::kPidBits | some_pid();
  return {any({LockWord::self(), LockWord::self(), other, uint32_t{1}, UINT32_MAX}),
          static_cast<uint32_t>(random_()) >> 1, chance(2)};
}

// Takes locks, and keeps them.
void Vandal::locks(const Layout& layout) {
  for (int i = 0; i < 3; ++i) some_lock(layout).store(some_holder().word());
}

// Stores to one word all the time.
void Vandal::hammer(const Layout& layout) {
  const Word word = some_word_of_interest(layout);
  const bool same = chance(2);
  const uint64_t first = word.bytes == 8 && chance(3)
                             ? static_cast<share::Atomic<uint64_t>*>(word.at)->load()
                             : some_word();
  for (const uint64_t end = now_ns() + number(30 * kMillisecond); now_ns() < end;)
    for (int i = 0; i < 100; ++i) store(word, same ? first : some_word());
}

// Keeps those who go to sleep from being woken, and wakes those who sleep.
void Vandal::sleepers(const Layout& layout) {
  for (const uint64_t end = now_ns() + number(20 * kMillisecond); now_ns() < end;)
    for (uint32_t unit = 0; unit < 4; ++unit) {
      layout.unit(unit).wake.store(7);
      if (chance(50)) share::Leases(layout, Owner()).wake(unit, some_owner(layout));
    }
}

void Vandal::header(const Layout& layout) {
  for (const uint64_t end = now_ns() + number(50 * kMillisecond); now_ns() < end;)
    for (size_t at = 0; at < kSizesBytes; at += 4) store({layout.base + at, 4}, some_word());
}

}  // namespace conclave::test
