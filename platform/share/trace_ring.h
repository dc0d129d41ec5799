// SPDX-License-Identifier: Apache-2.0
// The memory into which a process writes what it does while somebody traces it (trace.h), and which
// the tool that traces reads meanwhile:
//
//   TraceRing | slot[capacity]
//
// The oldest records are overwritten. Either side must expect garbage from the other one.
#ifndef CONCLAVE_PLATFORM_SHARE_TRACE_RING_H_
#define CONCLAVE_PLATFORM_SHARE_TRACE_RING_H_

#include <cstdint>
#include <cstring>
#include <optional>

#include "platform/share/layout.h"

namespace conclave::share {

inline constexpr uint64_t kTraceMagic = 0x31'65'63'61'72'74'6c'63;  // "cltrace1"
inline constexpr uint32_t kTraceSlots = 1 << 16;

// What happened. Times are nanoseconds of CLOCK_MONOTONIC, like those of CL_QUEUE_PROFILING.
struct TraceRecord {
  enum Kind : uint32_t {
    kNone,
    kRun,       // a compute unit took part in a command
    kCommand,   // a command of a queue with profiling, with its four times
    kWait,      // a command waited for a compute unit, and got this one
    kCompile,   // the compiler built something
    kCacheHit,  // it was found in the cache on disk
    kFault,     // a kernel ended with a fault
    kKinds
  };
  enum Flag : uint32_t { kGuest = 1, kDeviceWork = 2 };

  uint64_t begin_ns = 0, end_ns = 0;
  uint64_t queued_ns = 0, submitted_ns = 0;  // of a kCommand
  uint64_t number = 0;                       // of the command, within its process
  uint64_t work_groups = 0;
  Kind kind = kNone;
  uint32_t unit = 0;  // of the shared device
  uint32_t type = 0;  // of the command, a cl_command_type
  uint32_t flags = 0;
  char name[56] = {};

  void set_name(const char* text) { std::strncpy(name, text, sizeof name - 1); }
};
inline constexpr size_t kTraceWords = sizeof(TraceRecord) / 8;
static_assert(sizeof(TraceRecord) == 120 && std::is_trivially_copyable_v<TraceRecord>);

struct alignas(128) TraceSlot {
  Atomic<uint64_t> sequence;  // 0 while it is written, else 1 + the record's place among all
  Atomic<uint64_t> words[kTraceWords];
};
static_assert(sizeof(TraceSlot) == 128);

struct alignas(4096) TraceRing {
  Atomic<uint64_t> magic;
  Atomic<uint64_t> next;     // how many records have been written, including those being written
  Atomic<uint32_t> stopped;  // 1: nobody reads any more
  SharedText<16> name;       // of the process
  SharedText<96> command;

  TraceSlot& slot(uint64_t place) {
    return reinterpret_cast<TraceSlot*>(this + 1)[place % kTraceSlots];
  }

  void write(const TraceRecord& record) {
    const uint64_t place = next.fetch_add(1, std::memory_order_relaxed);
    TraceSlot& to = slot(place);
    uint64_t words[kTraceWords];
    std::memcpy(words, &record, sizeof words);
    to.sequence.store(0, std::memory_order_relaxed);
    for (size_t i = 0; i < kTraceWords; ++i) to.words[i].store(words[i], std::memory_order_release);
    to.sequence.store(place + 1, std::memory_order_release);
  }
  // Nothing if the record is being written, or has been overwritten.
  std::optional<TraceRecord> read(uint64_t place) {
    const TraceSlot& from = slot(place);
    uint64_t words[kTraceWords];
    if (from.sequence.load(std::memory_order_acquire) != place + 1) return std::nullopt;
    for (size_t i = 0; i < kTraceWords; ++i)
      words[i] = from.words[i].load(std::memory_order_acquire);
    if (from.sequence.load(std::memory_order_relaxed) != place + 1) return std::nullopt;
    TraceRecord record;
    std::memcpy(static_cast<void*>(&record), words, sizeof words);
    record.name[sizeof record.name - 1] = 0;
    return record;
  }
};
inline constexpr size_t kTraceBytes = sizeof(TraceRing) + kTraceSlots * sizeof(TraceSlot);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_TRACE_RING_H_
