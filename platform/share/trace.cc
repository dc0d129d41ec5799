// SPDX-License-Identifier: Apache-2.0
#include "platform/share/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>

#include "platform/base/clock.h"
#include "platform/base/descriptor.h"
#include "platform/base/descriptor_message.h"
#include "platform/base/log.h"
#include "platform/base/runtime_dir.h"
#include "platform/share/process_identity.h"

namespace conclave::share::trace {
namespace {

// A process that changes the word all the time must not keep others busy with looking for sockets.
constexpr uint64_t kLeastBetweenTriesNs = 10'000'000;

// What a process looks at while it has no segment.
Atomic<uint32_t> g_off{0};
// What it looks at if CONCLAVE_TRACE tells it to record.
Atomic<uint32_t> g_told{1};

// The session for which this process has a ring, or has found nobody to send it to.
std::atomic<uint32_t> g_joined{0};
std::atomic<TraceRing*> g_ring{nullptr};
std::atomic<bool> g_joining{false};
std::atomic<uint64_t> g_tried_ns{0};

const char* told_socket() {
  const char* path = secure_getenv(kVariable);
  return path && *path ? path : nullptr;
}

// Empty, with errno, if nobody of this user listens there.
Descriptor connect_to(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  errno = ENAMETOOLONG;
  if (path.size() >= sizeof address.sun_path) return Descriptor();
  path.copy(address.sun_path, path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return Descriptor();
  ucred peer = {};
  socklen_t size = sizeof peer;
  const bool known = getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  errno = EPERM;
  return known && peer.uid == geteuid() ? std::move(socket) : Descriptor();
}

// A ring in a memory file that nobody can truncate; null, with errno, if there is none to be had.
TraceRing* make_ring(Descriptor& file) {
  file = Descriptor(memfd_create("conclave-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), kTraceBytes) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return nullptr;
  void* memory = mmap(nullptr, kTraceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* ring = static_cast<TraceRing*>(memory);
  ring->name.set(process_name(getpid()));
  ring->command.set(process_command(getpid()));
  ring->magic.store(kTraceMagic);
  return ring;
}

// Makes a ring for the tool. Null, with errno, if that fails. A former ring stays mapped, for
// threads that have just looked there; its memory goes.
//
// The ring is ready before the tool hears of the process: the tool waits for who connects.
TraceRing* join(const std::string& path) {
  Descriptor file;
  TraceRing* ring = make_ring(file);
  if (!ring) return nullptr;
  if (const Descriptor socket = connect_to(path)) {
    if (TraceRing* former = g_ring.load()) madvise(former, kTraceBytes, MADV_REMOVE);
    const uint64_t hello = kTraceMagic;
    if (send_message(socket.get(), &hello, sizeof hello, file.get()) == sizeof hello) return ring;
  }
  const int error = errno;
  munmap(ring, kTraceBytes);
  errno = error;
  return nullptr;
}

// Called by one thread at a time.
void join_session(Atomic<uint32_t>& word, uint32_t session) {
  const uint64_t now = now_ns();
  if (now - g_tried_ns.load() < kLeastBetweenTriesNs) return;
  g_tried_ns.store(now);
  TraceRing* ring = nullptr;
  try {
    const bool told = &word == &g_told;
    ring = join(told ? told_socket() : socket_of(session));
    // A tool that was killed has left the word as it was.
    if (!ring && (told || errno == ECONNREFUSED || errno == ENOENT))
      word.compare_exchange_strong(session, 0);
  } catch (const std::exception& error) {
    log::debug(error.what());
  }
  g_ring.store(ring);
  g_joined.store(session, std::memory_order_release);
}

// The ring of the session; null if there is none.
TraceRing* ring_of(Atomic<uint32_t>& word, uint32_t session) {
  if (g_joined.load(std::memory_order_acquire) != session) [[unlikely]] {
    while (g_joining.exchange(true)) sched_yield();
    if (g_joined.load() != session) join_session(word, session);
    g_joining.store(false);
  }
  return g_joined.load(std::memory_order_relaxed) == session ? g_ring.load() : nullptr;
}

// Before main(): what is built before the device is used counts too.
[[gnu::constructor]] void at_start() {
  if (told_socket()) g_session.store(&g_told);
}

}  // namespace

constinit std::atomic<Atomic<uint32_t>*> g_session{&g_off};

std::string socket_of(uint32_t session) {
  char name[32];
  snprintf(name, sizeof name, "/trace.%08" PRIx32, session);
  return runtime_dir() + name;
}

void record(const TraceRecord& record) noexcept {
  Atomic<uint32_t>& word = *g_session.load(std::memory_order_relaxed);
  const uint32_t session = word.load(std::memory_order_relaxed);
  if (session == 0) return;
  TraceRing* ring = ring_of(word, session);
  if (!ring) return;
  if (ring->stopped.load(std::memory_order_relaxed)) [[unlikely]] {
    if (&word == &g_told) g_told.store(0);
    return;
  }
  ring->write(record);
}

void follow(Header& header) noexcept {
  if (g_session.load() != &g_told) g_session.store(&header.trace);
}

void forget() noexcept {
  g_ring.store(nullptr);
  g_joined.store(0);
  g_tried_ns.store(0);
  g_joining.store(false);
}

}  // namespace conclave::share::trace
