// SPDX-License-Identifier: Apache-2.0
// What processes and the daemon say to each other over its socket: a request of one packet
// (SOCK_SEQPACKET) and an answer of one packet; then the connection ends. The kernel tells who asks
// (SO_PEERCRED), not the request.
#ifndef CONCLAVE_PLATFORM_SHARE_DAEMON_PROTOCOL_H_
#define CONCLAVE_PLATFORM_SHARE_DAEMON_PROTOCOL_H_

#include <cstdint>

#include "platform/share/layout.h"

namespace conclave::share {

struct DaemonRequest {
  enum Kind : uint32_t {
    kJoin,   // the segment of the process's user; the answer carries it
    kAdopt,  // the request carries a segment that an earlier daemon made: serve it again
    kLook,   // the segment of user `uid`, for root and that user; is not made if there is none
  };

  uint32_t version = kLayoutVersion;
  uint32_t kind = kJoin;
  uint64_t pid_namespace = 0;
  uint32_t uid = 0;
  uint32_t reserved = 0;
};
static_assert(sizeof(DaemonRequest) == 24);

struct DaemonAnswer {
  uint32_t version = kLayoutVersion;
  uint32_t granted = 0;  // 0: refused, and `reason` says why
  char reason[248] = {};
};
static_assert(sizeof(DaemonAnswer) == 256);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_DAEMON_PROTOCOL_H_
