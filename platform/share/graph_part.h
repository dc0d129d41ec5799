// SPDX-License-Identifier: Apache-2.0
// Where a stream or a parameter of the resident xclbin lies in the graphs' memory. The processes of
// a user tell that to the daemon, which moves bytes between users' segments. The daemon does not
// trust it: a part counts if it lies within the area, behind the header, and both users say the
// same. So a process that forges one harms only its own user's area.
#ifndef CONCLAVE_PLATFORM_SHARE_GRAPH_PART_H_
#define CONCLAVE_PLATFORM_SHARE_GRAPH_PART_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "platform/base/align.h"
#include "platform/share/graph_area.h"

namespace conclave::share {

struct GraphPart {
  enum class Kind : uint8_t { kNone, kStream, kParameter };
  // Each part begins at a multiple of this.
  static constexpr uint32_t kAlignment = 64;
  static constexpr uint32_t kMinStreamBytes = 64, kMaxStreamBytes = 1 << 20;
  static constexpr uint32_t kMaxParameterBytes = 64 << 10;

  Kind kind = Kind::kNone;
  uint8_t graph = 0;    // number of the graph of a parameter
  uint32_t offset = 0;  // from the area's beginning
  uint32_t bytes = 0;   // of the stream's buffer, or of the value

  bool operator==(const GraphPart&) const = default;

  // A single word, so that nobody reads it half written.
  uint64_t word() const {
    return uint64_t{offset} << 40 | uint64_t{bytes} << 16 | uint64_t{graph} << 8 |
           static_cast<uint8_t>(kind);
  }
  static GraphPart of(uint64_t word) {
    return {static_cast<Kind>(word), static_cast<uint8_t>(word >> 8),
            static_cast<uint32_t>(word >> 40), static_cast<uint32_t>(word >> 16) & 0xff'ffff};
  }

  // Whether all of it is memory of graphs.
  bool is_sound() const {
    if (offset < sizeof(GraphHeader) || offset % kAlignment != 0) return false;
    switch (kind) {
      case Kind::kStream:
        return std::has_single_bit(bytes) && bytes >= kMinStreamBytes && bytes <= kMaxStreamBytes &&
               ends_by(sizeof(Stream) + bytes);
      case Kind::kParameter:
        return bytes > 0 && bytes <= kMaxParameterBytes &&
               ends_by(sizeof(Parameter) + 2 * align_up(bytes, kAlignment));
      default:
        return false;
    }
  }

 private:
  bool ends_by(size_t size) const { return offset + size <= kGraphAreaBytes; }
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_GRAPH_PART_H_
