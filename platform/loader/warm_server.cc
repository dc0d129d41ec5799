// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/warm_server.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/process_rights.h"
#include "platform/base/runtime_dir.h"
#include "platform/loader/content_hash.h"
#include "platform/loader/quiet_process.h"
#include "platform/share/process_identity.h"

namespace conclave {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartLimit{2};
constexpr int kHelloMs = 1'000;             // from a connection to the server's first bytes
constexpr std::chrono::seconds kPause{10};  // after a server that could not be had
constexpr int kOthersStartMs = 50;

void add_file(FieldHasher& hasher, const char* path) {
  struct stat status{};
  stat(path, &status);
  hasher.add(static_cast<uint64_t>(status.st_dev));
  hasher.add(static_cast<uint64_t>(status.st_ino));
  hasher.add(static_cast<uint64_t>(status.st_size));
  hasher.add(static_cast<uint64_t>(status.st_mtim.tv_sec));
  hasher.add(static_cast<uint64_t>(status.st_mtim.tv_nsec));
}

// How much of the machine it may take.
void add_limits(FieldHasher& hasher) {
  for (int resource = 0; resource < RLIMIT_NLIMITS; ++resource) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
    hasher.add(static_cast<uint64_t>(limit.rlim_cur));
    hasher.add(static_cast<uint64_t>(limit.rlim_max));
  }
  // The main thread's: compute units run at other priorities.
  hasher.add(static_cast<uint64_t>(getpriority(PRIO_PROCESS, getpid())));
  hasher.add(static_cast<uint64_t>(sched_getscheduler(getpid())));
}

// Whether this process has more rights than its user, or keeps some for later.
bool is_privileged() {
  uid_t real = 0, effective = 0, saved = 0;
  getresuid(&real, &effective, &saved);
  return getauxval(AT_SECURE) != 0 || real != effective || saved != effective;
}

// A connection to the server; empty if none listens there, or if it is not this user's.
Descriptor connect_to(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Descriptor();
  path.copy(address.sun_path, path.size());
  // Non-blocking: where too many wait already, this process does not.
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ucred peer;
  socklen_t size = sizeof peer;
  const int on = 1;  // each message says who has sent it
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
    return Descriptor();
  return socket;
}

// Whether the process runs `program`, with this process's rights.
bool is_builder(pid_t process, const std::string& program) {
  struct stat theirs{}, ours{};
  const std::string path = "/proc/" + std::to_string(process) + "/exe";
  if (stat(path.c_str(), &theirs) != 0 || stat(program.c_str(), &ours) != 0) return false;
  const std::string rights = rights_of(process);
  return theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino && !rights.empty() &&
         rights == rights_of(getpid());
}

// Waits for the number of the protocol, and returns the process that has sent it; nobody (0) if it
// does not come, or does not come from a compiler.
share::ProcessIdentity meet_builder(const Descriptor& connection, const std::string& program) {
  pollfd event = {connection.get(), POLLIN, 0};
  if (poll(&event, 1, kHelloMs) <= 0) return {};
  uint32_t hello = 0;
  iovec bytes = {&hello, sizeof hello};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  // A descriptor that comes with it has no room here, and the system closes it.
  if (recvmsg(connection.get(), &message, MSG_CMSG_CLOEXEC) != sizeof hello ||
      hello != protocol::kProtocolVersion)
    return {};
  const cmsghdr* part = CMSG_FIRSTHDR(&message);
  if (!part || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) return {};
  ucred sender;
  memcpy(&sender, CMSG_DATA(part), sizeof sender);
  if (sender.pid <= 0 || !is_builder(sender.pid, program)) return {};
  return share::identity_of(sender.pid);
}

void start(const std::string& program, const std::string& path, pid_t daemon) {
  auto [ours, theirs] = make_socket_pair();
  QuietProcess::start_orphan(program, {"--warm-server", path, std::to_string(daemon)}, theirs.get(),
                             QuietProcess::Pace::kUsual);
  theirs.close();
  std::string nothing;
  receive_from_compiler(ours, 1, nothing, Clock::now() + kStartLimit);
}

Descriptor connect_or_start(const std::string& program, const std::string& path, pid_t daemon) {
  Descriptor connection = connect_to(path);
  if (connection || QuietProcess::adopts_orphans()) return connection;
  start(program, path, daemon);
  // Another process may have started one at the same moment, which listens only now.
  connection = connect_to(path);
  for (int i = 0; !connection && i < kOthersStartMs; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    connection = connect_to(path);
  }
  return connection;
}

std::atomic<Clock::rep> next_try{0};

std::optional<CompileResult> nothing_from(const std::string& why) {
  log::debug("warm compile server: " + why);
  next_try = (Clock::now() + kPause).time_since_epoch().count();
  return std::nullopt;
}

}  // namespace

std::string warm_server_path(const std::string& program) {
  FieldHasher hasher;
  hasher.add(program);
  add_file(hasher, program.c_str());
  hasher.add(uint64_t{protocol::kProtocolVersion});
  // What the compiler, and the translators that it calls for SPIR-V, look at.
  for (const char* name : {"LD_LIBRARY_PATH", "PATH", "SOURCE_DATE_EPOCH", "TZ"}) {
    const char* value = getenv(name);
    hasher.add(std::string_view(value ? value : ""));
  }
  hasher.add(rights_of(getpid()));
  add_limits(hasher);
  return runtime_dir() + "/clocl-" + hasher.result();
}

std::optional<CompileResult> ask_warm_server(const std::string& program, pid_t daemon,
                                             const protocol::Request& request,
                                             CompileDeadline deadline) {
  // A privileged program does not let the user's server build what it runs.
  if (is_privileged() || rights_of(getpid()).empty() ||
      Clock::now().time_since_epoch().count() < next_try.load())
    return std::nullopt;
  try {
    const Descriptor connection = connect_or_start(program, warm_server_path(program), daemon);
    if (!connection) return nothing_from("there is none");
    const share::ProcessIdentity builder = meet_builder(connection, program);
    if (builder.pid == 0) return nothing_from("no compiler of equal rights answers");
    CompileResult result = exchange(connection, request, deadline, builder);
    if (result.outcome == CompileOutcome::kAnswered || result.outcome == CompileOutcome::kTimedOut)
      return result;
    return nothing_from(result.response.log);
  } catch (const Error& error) {
    return nothing_from(error.text());
  } catch (const std::exception& error) {
    return nothing_from(error.what());
  }
}

}  // namespace conclave
