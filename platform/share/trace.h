// SPDX-License-Identifier: Apache-2.0
// `conclave trace` asks processes to record what they do. It listens on a socket in the directory
// that only this user can enter (runtime_dir.h), and says so in the segment's header: the word
// `trace` is then the number of the session, and part of the socket's name. A process sees the word
// when it does something that would be recorded, makes a memory file (trace_ring.h), sends the
// tool its descriptor, and writes there. So the records outlive the process, and while nobody
// traces, all of this costs two loads. A process with CONCLAVE_TRACE=<socket> records from its
// start.
#ifndef CONCLAVE_PLATFORM_SHARE_TRACE_H_
#define CONCLAVE_PLATFORM_SHARE_TRACE_H_

#include <string>

#include "platform/share/layout.h"
#include "platform/share/trace_ring.h"

namespace conclave::share::trace {

inline constexpr char kVariable[] = "CONCLAVE_TRACE";

// Throws Error{CL_DEVICE_NOT_AVAILABLE} if the user has no directory for it.
std::string socket_of(uint32_t session);

// The word that says whether to record; 0: do not.
extern std::atomic<Atomic<uint32_t>*> g_session;

inline bool is_on() {
  return g_session.load(std::memory_order_relaxed)->load(std::memory_order_relaxed) != 0;
}

// Does nothing where nobody listens.
void record(const TraceRecord& record) noexcept;

// The process has entered the segment with this header. The segment stays mapped.
void follow(Header& header) noexcept;
// In a forked child: the parent's memory is not the child's.
void forget() noexcept;

}  // namespace conclave::share::trace

#endif  // CONCLAVE_PLATFORM_SHARE_TRACE_H_
