// SPDX-License-Identifier: Apache-2.0
// The part of the shared segment behind its tables: the memory of the graphs and streams of the
// resident xclbin. The xclbin's layout says which of it is used. Each process takes the layout
// from the xclbin's file and never from here (graph_plan.h). Only the daemon has no xclbin: for it
// the processes write down what lies where (graph_part.h). Pages that no xclbin needs are never
// touched and cost nothing.
#ifndef CONCLAVE_PLATFORM_SHARE_GRAPH_AREA_H_
#define CONCLAVE_PLATFORM_SHARE_GRAPH_AREA_H_

#include <cstddef>
#include <cstdint>

#include "platform/share/atomic.h"

namespace conclave::share {

inline constexpr size_t kGraphAreaBytes = size_t{16} << 20;
inline constexpr uint32_t kBells = 1024;  // at most one per entry of the process table
// The streams and parameters of an xclbin in which other users may have a part.
inline constexpr uint32_t kGraphParts = 1024;

struct alignas(4096) GraphHeader {
  // UUID of the xclbin to which the following belongs; changed under the xclbin's lock
  // (xclbin_slot.h).
  Atomic<uint64_t> xclbin[2];
  Atomic<uint64_t> ends_lock;  // while an end of a stream is taken; segment_lock.h
  // Changes when a process takes or gives back an end whose other end another user may have.
  Atomic<uint32_t> end_changes;
  // One per entry of the process table: the futex on which the process sleeps while its kernels
  // wait for streams, and whether it sleeps.
  Atomic<uint32_t> bells[kBells];
  Atomic<uint32_t> sleeps[kBells];
  // For the daemon: what lies where (graph_part.h), written together with `xclbin`; and one bit for
  // each parameter whose value a process waits for (fetched_value.h).
  Atomic<uint64_t> parts[kGraphParts];
  Atomic<uint64_t> wanted[kGraphParts / 64];

  bool is_of_same_xclbin(const GraphHeader& other) const {
    return xclbin[0].load() == other.xclbin[0].load() && xclbin[1].load() == other.xclbin[1].load();
  }
};
static_assert(sizeof(GraphHeader) == 5 * 4096);

// One direction of a stream's traffic. Only the end that `owner` has writes `position`.
struct alignas(64) StreamSide {
  Atomic<uint64_t> position;  // bytes that this end has moved
  Atomic<uint32_t> owner;     // Owner of the process whose kernel has this end; 0: none
  Atomic<uint32_t> waits;     // whether it sleeps until the other end has moved something
};

// A stream from one kernel to another; its buffer follows. Its content lies between `read.position`
// and `written.position`.
struct Stream {
  StreamSide written, read;

  // Called while nobody has it open.
  void empty() { read.position.store(written.position.load()); }
};
static_assert(sizeof(Stream) == 128);

// A graph's state for observers; only its driver writes it.
struct alignas(64) GraphState {
  Atomic<uint32_t> driver;  // Owner of the process that runs it; 0: none
  Atomic<uint32_t> state;
  Atomic<uint64_t> iterations;  // how many have ended since the last reset
  Atomic<uint64_t> started_ns;  // CLOCK_MONOTONIC of the first iteration; 0: there was none
};

// A run-time parameter; its two values follow. `version` counts the writes, and the last value is
// number `version` & 1. So a writer that dies in the middle leaves the former value.
struct alignas(64) Parameter {
  Atomic<uint64_t> version;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_GRAPH_AREA_H_
