// SPDX-License-Identifier: Apache-2.0
// The shared segment, byte by byte. Words have fixed widths, and indices replace pointers. Readers
// must expect garbage. Any change here needs a new kLayoutVersion.
//
//   Header | CuEntry[256] | XclbinUnit[256] | ProcessEntry[process_capacity]
//          | HeapBlock[...] up to `size` | graphs
//
// Behind these tables lies the memory of graphs and streams (graph_area.h).
#ifndef CONCLAVE_PLATFORM_SHARE_LAYOUT_H_
#define CONCLAVE_PLATFORM_SHARE_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "platform/base/printable.h"
#include "platform/share/atomic.h"
#include "platform/share/counted_word.h"

namespace conclave::share {

inline constexpr uint64_t kMagic = 0x65'76'61'6c'63'6e'6f'63;  // "conclave"
inline constexpr uint32_t kLayoutVersion = 14;
inline constexpr uint32_t kCuEntries = 256;
inline constexpr uint32_t kMaxProcesses = 1024;
inline constexpr uint32_t kRequests = 4;
inline constexpr uint32_t kSetWords = kCuEntries / 64;
inline constexpr size_t kXclbinNameBytes = 63;
// Access modes (access_modes.h): of the array and of 256 graphs.
inline constexpr uint32_t kModesPerWord = 24;
inline constexpr uint32_t kModeWords = 11;

// A text of at most N - 1 bytes that others may read while it is written. N is a multiple of 8.
template <size_t N>
class SharedText {
 public:
  void set(std::string_view text) {
    char bytes[N] = {};
    std::memcpy(bytes, text.data(), text.size() < N ? text.size() : N - 1);
    for (size_t i = 0; i < N / 8; ++i) {
      uint64_t word;
      std::memcpy(&word, bytes + 8 * i, 8);
      words_[i].store(word, std::memory_order_relaxed);
    }
  }
  std::string get() const {
    char bytes[N + 1] = {};
    for (size_t i = 0; i < N / 8; ++i) {
      uint64_t word = words_[i].load(std::memory_order_relaxed);
      std::memcpy(bytes + 8 * i, &word, 8);
    }
    return printable(bytes);
  }

 private:
  Atomic<uint64_t> words_[N / 8];
};

// A compute unit. leases.h describes the words `lease`, `guest` and `reliever`.
struct alignas(64) CuEntry {
  Atomic<uint64_t> lease;
  Atomic<uint64_t> guest;
  Atomic<uint64_t> reliever;
  // Changes with every wake-up. The workers of all processes sleep on it; a bit for each tells them
  // apart.
  Atomic<uint32_t> wake;
  Atomic<uint32_t> turn_began_us;  // when the holder took up what was handed to it
  // Statistics: how often it was handed on, and the CU time of all who have used it.
  Atomic<uint64_t> hand_overs, busy_ns;
};
static_assert(sizeof(CuEntry) == 64);

// A compute unit of the resident xclbin, by its number there (xclbin_slot.h).
struct XclbinUnit {
  struct Content {
    uint64_t units[kSetWords];    // the device's compute units that it is on
    char name[kXclbinNameBytes];  // "kernel:name", filled up with zeros
  };
  CountedBytes<offsetof(Content, name) + kXclbinNameBytes> content;
};
static_assert(sizeof(XclbinUnit) == 128);

// A request for a lease: the process waits for any of these compute units. `ticket` is 0 while
// there is no request. Until somebody has drawn its number it is kNotDrawn and what tells this
// request from the owner's others: who was interrupted while drawing for one of them must not give
// that old number to the next. Only the owner writes, except for the number.
struct Request {
  static constexpr uint64_t kNotDrawn = uint64_t{1} << 63;
  Atomic<uint64_t> ticket;
  Atomic<uint64_t> units[kSetWords];
};

// A process that uses the device.
struct alignas(128) ProcessEntry {
  enum State : uint32_t { kFree, kClaimed, kLive, kRemoving };
  // pid in the upper half, generation, State: see registry.h.
  Atomic<uint64_t> state;
  Atomic<uint64_t> start_time;  // of the process, clock ticks since boot
  Atomic<uint64_t> since_ns;    // CLOCK_REALTIME of the registration
  Atomic<uint32_t> uid;
  Atomic<uint32_t> contexts;          // cl_contexts alive; the device is in use while there is one
  Atomic<uint64_t> units[kSetWords];  // compute units in the process's list
  // The scheduler's account, weighted by priority (recent_use.h).
  Atomic<uint64_t> recent_use;
  Request requests[kRequests];
  // Counters, written by the owner.
  Atomic<uint64_t> launches;
  Atomic<uint64_t> work_groups;
  Atomic<uint64_t> busy_ns;
  Atomic<uint64_t> wait_ns;
  Atomic<uint64_t> heap_bytes;
  SharedText<16> name;
  SharedText<96> command;
  SharedText<40> kernel;  // the last one launched
  // Its contexts on the resident xclbin (xclbin_slot.h): all contexts, the compute units they
  // are on, and those that are exclusive. Only the owner adds.
  Atomic<uint64_t> xclbin_contexts;  // xclbin_slot.cc
  Atomic<uint64_t> xclbin_units[kSetWords];
  Atomic<uint64_t> xclbin_units_alone[kSetWords];
  // What it has open of the device's array and of the graphs, and in which mode (access_modes.h).
  // Only the owner adds.
  Atomic<uint64_t> access_modes[kModeWords];
  // More counters, written by the owner: programs and kernels that the compiler has built, those
  // that came from the cache on disk, launches that a fault has ended.
  Atomic<uint64_t> compiles, cache_hits, faults;
  // What its CU time was charged with: a fourth of it at high priority, four times of it at low.
  Atomic<uint64_t> cost_ns;
  Atomic<uint32_t> queued;   // how many of its commands are in its run queue
  Atomic<uint32_t> turn_us;  // how long it lately kept a compute unit that others waited for
};
static_assert(sizeof(ProcessEntry) == 640);

// A part of a heap, allocated or free. The heap's blocks cover it in the order of addresses
// (heap.h).
struct HeapBlock {
  CountedWord address, size;                  // heap_words.h
  CountedWord state;                          // the same
  Atomic<uint32_t> next, previous;            // by address
  Atomic<uint32_t> next_free, previous_free;  // by address, among the free ones
};
static_assert(sizeof(HeapBlock) == 40);

struct HeapEntry {
  Atomic<uint64_t> base, align;
  CountedWord size;  // heap_words.h; 0: there is no such heap
  Atomic<uint64_t> available;
  // Index + 1 of a block, 0: none.
  Atomic<uint32_t> first, first_free, last_free;
  uint32_t reserved0;
  uint64_t reserved1[2];
};
static_assert(sizeof(HeapEntry) == 64);

struct alignas(4096) Header {
  Atomic<uint64_t> magic;  // written last
  Atomic<uint32_t> layout_version;
  Atomic<uint32_t> process_capacity;
  Atomic<uint64_t> size;            // bytes
  Atomic<uint64_t> pid_namespace;   // the namespace of the pids
  Atomic<uint64_t> created_ns;      // CLOCK_REALTIME; tells segments of one name apart
  Atomic<uint32_t> daemon_pid;      // of the ti-mctd that serves it; 0: none
  Atomic<uint32_t> registrations;   // futex; changes with every new process
  Atomic<uint32_t> entries_in_use;  // high-water mark: process entries beyond were never used
  Atomic<uint32_t> daemon;          // Owner: the daemon's entry (daemon_bell.h); 0: none
  Atomic<uint32_t> bell;            // futex that the daemon sleeps on
  Atomic<uint32_t> most_contexts;   // how many the user may have; 0: any number

  // What the daemon tells of other users (other_users.h). Only the daemon writes this.
  Atomic<uint32_t> other_users;     // how many there are
  Atomic<uint32_t> answered;        // futex; the value of the bell that the daemon answered last
  Atomic<uint32_t> questions;       // by the users: how often they have consulted the daemon
  Atomic<uint32_t> trace;           // the session of the tool that records (trace.h); 0: none
  Atomic<uint64_t> last_xclbin[2];  // UUID of the xclbin that any user has loaded last

  // Scheduling.
  alignas(64) Atomic<uint32_t> policy;  // leases.h
  Atomic<uint32_t> time_slice_us;
  Atomic<uint32_t> exclusive;  // Owner that has the device alone; 0: none
  alignas(64) Atomic<uint64_t> next_ticket;
  alignas(64) Atomic<uint64_t> waiting[kMaxProcesses / 64];  // entries that may have requests

  // The xclbin (xclbin_slot.h). All but `xclbin_changes` changes under `xclbin_lock`.
  alignas(64) CountedWord xclbin_resident;  // 0: there is none, or it is being replaced
  CountedWord xclbin_compute_units;
  CountedBytes<16> xclbin_uuid;
  CountedBytes<8> xclbin_since_ns;  // CLOCK_REALTIME of the load
  CountedWord xclbin_loader;        // pid
  Atomic<uint32_t> xclbin_changes;  // futex; changes when a context, the xclbin or a mode goes away
  Atomic<uint64_t> xclbin_lock;     // segment_lock.h
  Atomic<uint64_t> access_lock;     // the same; access_modes.h

  // The process that holds this lock watches the others (guardian.h).
  alignas(64) Atomic<uint64_t> guardian;

  // The heaps (heap.h).
  alignas(64) Atomic<uint64_t> heap_lock;
  Atomic<uint32_t> unused_blocks;   // index + 1 of the first of the list through next, 0: none
  Atomic<uint32_t> blocks_in_use;   // high-water mark: blocks beyond were never used
  Atomic<uint32_t> heaps_damaged;   // how often; while it differs from heaps_repaired,
  Atomic<uint32_t> heaps_repaired;  // the lists must be rebuilt before use
  alignas(64) HeapEntry heaps[3];
};
static_assert(sizeof(Header) == 4096);

inline constexpr size_t kXclbinUnitsOffset = sizeof(Header) + kCuEntries * sizeof(CuEntry);
inline constexpr size_t kProcessesOffset = kXclbinUnitsOffset + kCuEntries * sizeof(XclbinUnit);
// With less there is no room for 16 processes and some blocks.
inline constexpr uint32_t kMinSegmentKb = 64;
inline constexpr uint32_t kMaxSegmentKb = 64 << 10;

// Stands for the entry of a process that is not in the table. Nobody else sees it.
inline constinit ProcessEntry nowhere{};

// The segment as this process has mapped it. This is a view; the mapping belongs to Segment.
//
// Others may change any word at any time, also between two reads. So the sizes are read once, when
// the view is made, and bounded by what is mapped; nobody reads them in the header again. Indices
// are checked where they are used.
struct Layout {
  std::byte* base = nullptr;
  std::byte* graphs = nullptr;  // the graphs' memory (graph_area.h); null: there is none

  // `bytes` are mapped, and there is memory behind all of them.
  static Layout of(std::byte* base, size_t bytes) {
    Layout layout;
    layout.base = base;
    const uint64_t size = layout.header().size.load();
    const size_t usable = size < bytes ? size : bytes;
    if (usable < kProcessesOffset) return layout;
    const size_t room = (usable - kProcessesOffset) / sizeof(ProcessEntry);
    const size_t most = room < kMaxProcesses ? room : kMaxProcesses;
    const uint32_t processes = layout.header().process_capacity.load();
    layout.processes_ = processes < most ? processes : static_cast<uint32_t>(most);
    layout.blocks_ = static_cast<uint32_t>((usable - layout.blocks_offset()) / sizeof(HeapBlock));
    return layout;
  }
  // Whether the header still says what every process has read there. Nothing changes it by
  // accident.
  bool is_intact() const {
    return header().magic.load(std::memory_order_relaxed) == kMagic &&
           header().layout_version.load(std::memory_order_relaxed) == kLayoutVersion &&
           header().process_capacity.load(std::memory_order_relaxed) == processes_;
  }

  Header& header() const { return *reinterpret_cast<Header*>(base); }
  // `i` < kCuEntries
  CuEntry& unit(uint32_t i) const { return reinterpret_cast<CuEntry*>(base + sizeof(Header))[i]; }
  // `i` < kCuEntries
  XclbinUnit& xclbin_unit(uint32_t i) const {
    return reinterpret_cast<XclbinUnit*>(base + kXclbinUnitsOffset)[i];
  }
  uint32_t process_capacity() const { return processes_; }
  // How many entries have ever been used and must be looked at.
  uint32_t processes() const {
    const uint32_t n = header().entries_in_use.load();
    return n < processes_ ? n : processes_;
  }
  // `nowhere` if there is no such entry.
  ProcessEntry& process(uint32_t slot) const {
    if (slot >= processes_) [[unlikely]]
      return nowhere;
    return reinterpret_cast<ProcessEntry*>(base + kProcessesOffset)[slot];
  }
  // `i` < block_capacity()
  HeapBlock& block(uint32_t i) const {
    return reinterpret_cast<HeapBlock*>(base + blocks_offset())[i];
  }
  uint32_t block_capacity() const { return blocks_; }
  // The size of the tables.
  size_t bytes() const { return blocks_offset() + blocks_ * sizeof(HeapBlock); }

 private:
  size_t blocks_offset() const { return kProcessesOffset + processes_ * sizeof(ProcessEntry); }

  uint32_t processes_ = 0;
  uint32_t blocks_ = 0;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_LAYOUT_H_
