// SPDX-License-Identifier: Apache-2.0
// How a command is dealt out: how many compute units it is worth, and how many of its parts
// (work-groups) a compute unit takes at a time.
#ifndef CONCLAVE_PLATFORM_EXEC_CHUNKS_H_
#define CONCLAVE_PLATFORM_EXEC_CHUNKS_H_

#include <algorithm>
#include <cstdint>

#include "platform/base/checked_size.h"
#include "platform/exec/command.h"

namespace conclave {

// The time that a chunk should take: long compared with the atomic addition that claims it, short
// compared with the time for which uneven chunks could leave other compute units without work.
inline constexpr uint64_t kChunkNs = 20'000;

// How many of `compute_units` are worth using for a command of `parts` that takes `whole_ns` on one
// of them, if waking another one costs `wake_ns`; at least 1.
inline uint64_t useful_compute_units(uint64_t compute_units, uint64_t parts, uint64_t whole_ns,
                                     uint64_t wake_ns) {
  return std::min({compute_units, parts, whole_ns / wake_ns + 1});
}

// How many of `parts`, which take `ns`, make a chunk.
inline uint64_t parts_in_chunk(uint64_t parts, uint64_t ns) {
  return (CheckedSize(parts) * kChunkNs).saturated() / std::max<uint64_t>(ns, 1);
}

// How a command is cut by what is known beforehand.
struct Cut {
  uint64_t chunk;  // parts at once
  uint64_t most;   // the largest chunk, so that each useful compute unit gets several

  // `useful`: the number of compute units that the command is worth. If it is one, others may still
  // come when the command turns out to be longer than before.
  Cut(uint64_t parts, uint64_t whole_ns, uint64_t useful)
      : chunk(std::max<uint64_t>(1, parts / (useful > 1 ? 4 * useful : 2))), most(chunk) {
    if (whole_ns != Command::kUnknown)
      chunk = std::clamp<uint64_t>(parts_in_chunk(parts, whole_ns), 1, most);
  }
};

// The size of one compute unit's next chunk. A kernel's time may depend on its arguments. So what
// was learned from other launches is checked against the first part, and the chunks of long
// commands follow the time that they take.
class ChunkSize {
 public:
  ChunkSize(uint64_t planned, uint64_t most, uint64_t least, bool timed)
      : most_(most),
        least_(std::min(least, most)),
        planned_(std::max(planned, least_)),
        parts_(least_),
        timed_(timed) {}

  uint64_t parts() const { return parts_; }
  // Whether the next chunk has to be timed.
  bool timed() const { return timed_ || first_; }
  // The chunk took `ns`; 0 if nobody looked.
  void took(uint64_t ns) {
    first_ = false;
    if (ns > kChunkNs) {
      timed_ = true;
      parts_ = std::max(least_, parts_in_chunk(parts_, ns));
    } else if (!timed_) {
      parts_ = planned_;
    } else if (ns < kChunkNs / 2) {
      parts_ = std::min(2 * parts_, most_);
    }
  }

 private:
  const uint64_t most_, least_, planned_;
  uint64_t parts_;
  bool timed_, first_ = true;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_CHUNKS_H_
