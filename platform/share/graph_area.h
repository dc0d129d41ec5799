// SPDX-License-Identifier: Apache-2.0
// The part of the shared segment behind its tables: the memory of the graphs and streams of the
// device image that is resident. What of it is used depends on the image's layout, which each
// process takes from the image's file and nobody reads here (graph_plan.h), the daemon excepted,
// which has no image: for it the processes write down what lies where (graph_part.h). Pages that no
// image needs are never touched, and cost nothing.
#ifndef CONCLAVE_PLATFORM_SHARE_GRAPH_AREA_H_
#define CONCLAVE_PLATFORM_SHARE_GRAPH_AREA_H_

#include <cstddef>
#include <cstdint>

#include "platform/share/atomic.h"

namespace conclave::share {

inline constexpr size_t kGraphAreaBytes = size_t{16} << 20;
inline constexpr uint32_t kBells = 1024;  // as many as entries of the process table at most
// Of an image's streams and parameters, those that other users may have a part in.
inline constexpr uint32_t kGraphParts = 1024;

struct alignas(4096) GraphHeader {
  // UUID of the image that what follows belongs to; changed under the image's lock (image_slot.h).
  Atomic<uint64_t> image[2];
  Atomic<uint64_t> ends_lock;  // while an end of a stream is taken; segment_lock.h
  // Changes when one is taken or given back whose other end another user may have.
  Atomic<uint32_t> end_changes;
  // By entry of the process table: the futex that the process sleeps on while its kernels wait for
  // streams, and whether it does.
  Atomic<uint32_t> bells[kBells];
  Atomic<uint32_t> sleeps[kBells];
  // For the daemon: what lies where (graph_part.h), written with `image`; and, a bit for each of
  // them, the parameters whose values a process waits for (fetched_value.h).
  Atomic<uint64_t> parts[kGraphParts];
  Atomic<uint64_t> wanted[kGraphParts / 64];

  bool is_of_same_image(const GraphHeader& other) const {
    return image[0].load() == other.image[0].load() && image[1].load() == other.image[1].load();
  }
};
static_assert(sizeof(GraphHeader) == 5 * 4096);

// One direction of a stream's traffic. Only the end that `owner` has writes `position`.
struct alignas(64) StreamSide {
  Atomic<uint64_t> position;  // bytes that this end has moved
  Atomic<uint32_t> owner;     // Owner of the process whose kernel has this end; 0: none
  Atomic<uint32_t> waits;     // whether it sleeps until the other end has moved something
};

// A stream from one kernel to another, in front of its buffer. Between `written.position` and
// `read.position` lie the bytes that are in it.
struct Stream {
  StreamSide written, read;

  // While nobody has it open.
  void empty() { read.position.store(written.position.load()); }
};
static_assert(sizeof(Stream) == 128);

// A graph, for those who look on; its driver alone writes it.
struct alignas(64) GraphState {
  Atomic<uint32_t> driver;  // Owner of the process that runs it; 0: none
  Atomic<uint32_t> state;
  Atomic<uint64_t> iterations;  // that have ended since the last reset
  Atomic<uint64_t> started_ns;  // CLOCK_MONOTONIC of the first iteration; 0: there was none
};

// A run-time parameter, in front of its two values. `version` counts the writes; the value that it
// counted last is number `version` & 1, so a writer that dies in between leaves the former one.
struct alignas(64) Parameter {
  Atomic<uint64_t> version;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_GRAPH_AREA_H_
