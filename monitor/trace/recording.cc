// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "platform/base/descriptor_message.h"
#include "platform/base/error.h"
#include "platform/base/printable.h"

namespace conclave::monitor {
namespace {

using share::TraceRecord;
using share::TraceRing;

constexpr int kWaiting = 128;  // connections that have not been accepted
// A process sends its message right after it has connected.
constexpr int kPatienceMs = 250;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw Error(CL_DEVICE_NOT_AVAILABLE, path + ": the name is too long for a socket");
  path.copy(address.sun_path, path.size());
  return address;
}

// Whether nobody can take the file's memory away while it is mapped.
bool is_ring(const Descriptor& file) {
  struct stat status;
  constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_GROW;
  return file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size == static_cast<off_t>(share::kTraceBytes) &&
         (fcntl(file.get(), F_GET_SEALS) & kNeeded) == kNeeded;
}

// Whether a record may be shown: those who draw it rely on this.
bool makes_sense(const TraceRecord& record) {
  return record.kind > TraceRecord::kNone && record.kind < TraceRecord::kKinds &&
         record.begin_ns <= record.end_ns && record.unit < share::kCuEntries &&
         record.begin_ns != 0;
}

}  // namespace

struct Recording::Ring {
  ~Ring() {
    ring->stopped.store(1);
    madvise(ring, share::kTraceBytes, MADV_REMOVE);
    munmap(ring, share::kTraceBytes);
  }

  TraceRing* ring = nullptr;
  uint64_t read = 0;  // how many records
  TracedProcess process;
};

Recording::Recording(const std::string& path) : path_(path) {
  const sockaddr_un address = address_of(path);
  socket_ = Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(path.c_str());
  if (!socket_ ||
      bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(socket_.get(), kWaiting) != 0)
    throw Error(CL_DEVICE_NOT_AVAILABLE, path + ": " + strerror(errno));
}

Recording::~Recording() {
  if (socket_) unlink(path_.c_str());
}

bool Recording::is_listening(const std::string& path) {
  const sockaddr_un address = address_of(path);
  const Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return socket &&
         connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

void Recording::collect(int milliseconds) {
  pollfd newcomer = {socket_.get(), POLLIN, 0};
  for (int i = 0; i < kWaiting && poll(&newcomer, 1, i == 0 ? milliseconds : 0) > 0; ++i) accept();
  for (const auto& ring : rings_) read(*ring, false);
}

void Recording::accept() {
  const Descriptor connection(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (!connection || rings_.size() >= kMostProcesses ||
      getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != geteuid())
    return;
  pollfd message = {connection.get(), POLLIN, 0};
  uint64_t hello = 0;
  Descriptor file;
  if (poll(&message, 1, kPatienceMs) <= 0 ||
      receive_message(connection.get(), &hello, sizeof hello, file) != sizeof hello ||
      hello != share::kTraceMagic || !is_ring(file))
    return;
  void* memory =
      mmap(nullptr, share::kTraceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return;
  auto ring = std::make_unique<Ring>();
  ring->ring = static_cast<TraceRing*>(memory);
  ring->process.pid = static_cast<uint32_t>(peer.pid);
  ring->process.name = ring->ring->name.get();
  ring->process.command = ring->ring->command.get();
  rings_.push_back(std::move(ring));
}

void Recording::read(Ring& ring, bool is_last) {
  const uint64_t next = ring.ring->next.load(std::memory_order_acquire);
  if (next < ring.read) return;  // no process of ours does that
  if (next - ring.read > share::kTraceSlots) {
    ring.process.lost += next - share::kTraceSlots - ring.read;
    ring.read = next - share::kTraceSlots;
  }
  for (; ring.read < next; ++ring.read) {
    std::optional<TraceRecord> record = ring.ring->read(ring.read);
    if (!record) {
      // The newest ones may still be being written.
      if (!is_last && next - ring.read < 64 &&
          ring.ring->slot(ring.read).sequence.load() <= ring.read)
        break;
      ++ring.process.lost;
      continue;
    }
    if (!makes_sense(*record)) continue;
    if (records_ >= kMostRecords) {
      ++ring.process.lost;
      continue;
    }
    const std::string name = printable(record->name);
    record->name[0] = 0;
    record->set_name(name.c_str());
    ring.process.records.push_back(*record);
    ++records_;
  }
}

void Recording::stop() {
  for (const auto& ring : rings_) {
    ring->ring->stopped.store(1);
    read(*ring, true);
  }
}

std::vector<TracedProcess> Recording::take() {
  std::vector<TracedProcess> processes;
  for (const auto& ring : rings_) {
    // A process that has recorded before, and was told again by another segment.
    const auto same = std::find_if(processes.begin(), processes.end(), [&](const auto& process) {
      return process.pid == ring->process.pid && process.command == ring->process.command;
    });
    if (same == processes.end()) {
      processes.push_back(std::move(ring->process));
    } else {
      same->records.insert(same->records.end(), ring->process.records.begin(),
                           ring->process.records.end());
      same->lost += ring->process.lost;
    }
  }
  std::erase_if(processes,
                [](const auto& process) { return process.records.empty() && process.lost == 0; });
  return processes;
}

}  // namespace conclave::monitor
