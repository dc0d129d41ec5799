// SPDX-License-Identifier: Apache-2.0
#include "platform/share/daemon_client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/base/descriptor_message.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/runtime_dir.h"
#include "platform/share/daemon_protocol.h"
#include "platform/share/process_identity.h"

namespace conclave::share {
namespace {

// A daemon answers within microseconds, unless it has been stopped or shares the CPUs with a
// hundred busy processes.
constexpr timeval kPatience = {4, 0};

// Pauses before a request is repeated: 1 ms, 2 ms and so on up to this.
constexpr useconds_t kLongestPauseUs = 256'000;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(CL_DEVICE_NOT_AVAILABLE, "ti-mctd at " + path + ": " + why);
}

// A connection to the daemon; empty if none listens. `path`: in a directory that no other
// user can write.
Descriptor connect_to(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Descriptor();
  path.copy(address.sun_path, path.size());
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) return Descriptor();
  Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) fail(path, std::string("no socket: ") + strerror(errno));
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) return Descriptor();
  fail(path, errno == EACCES   ? "this user may not use it (segment-mode, segment-group)"
             : errno == EAGAIN ? "it does not answer; has it been stopped?"
                               : strerror(errno));
}

// Whether only root, or the user for whom root has made it, can put sockets there.
bool is_trusted(const char* directory) {
  struct stat status;
  return lstat(directory, &status) == 0 && S_ISDIR(status.st_mode) && (status.st_mode & 022) == 0;
}

// The daemon that serves `name`: the system's, or one of this user.
struct Daemon {
  std::string path;
  Descriptor connection;
};
Daemon find_daemon(const std::string& name) {
  Daemon daemon{system_socket(name), {}};
  if (is_trusted(kSystemSockets)) daemon.connection = connect_to(daemon.path);
  if (daemon.connection) return daemon;
  try {
    daemon.path = user_socket(name);
  } catch (const Error&) {  // a user without a directory has no daemon
    return daemon;
  }
  daemon.connection = connect_to(daemon.path);
  return daemon;
}

struct Reply {
  DaemonAnswer answer;
  Descriptor file;
};

// How many bytes of an answer have come; -1, with errno, on failure.
ssize_t exchange(const Descriptor& connection, const DaemonRequest& request, int attached,
                 Reply& reply) {
  if (send_message(connection.get(), &request, sizeof request, attached) < 0) return -1;
  return receive_message(connection.get(), &reply.answer, sizeof reply.answer, reply.file);
}

// The segment that the answer carries; null if it carries none.
std::unique_ptr<Segment> ask(const std::string& name, DaemonRequest request, int attached = -1) {
  request.pid_namespace = pid_namespace();
  Reply reply;
  Daemon daemon;
  ssize_t size = 0;
  for (useconds_t pause_us = 1000;; pause_us *= 2) {
    daemon = find_daemon(name);
    if (!daemon.connection) return nullptr;
    size = exchange(daemon.connection, request, attached, reply);
    // If a user has too many connections that say nothing, the daemon drops the oldest one. In a
    // crowd that may be one that was about to speak.
    const bool dropped = size == 0 || (size < 0 && (errno == ECONNRESET || errno == EPIPE));
    if (!dropped || pause_us > kLongestPauseUs) break;
    usleep(pause_us);
  }
  auto& [answer, file] = reply;
  if (size < 0)
    fail(daemon.path,
         errno == EAGAIN ? "it does not answer; has it been stopped?" : strerror(errno));
  if (size == 0) fail(daemon.path, "it has closed the connection: too many at once");
  if (size < ssize_t{sizeof answer} || answer.version != kLayoutVersion)
    fail(daemon.path, "it is of another version than this program; start it again");
  answer.reason[sizeof answer.reason - 1] = '\0';
  if (!answer.granted) fail(daemon.path, answer.reason);
  return file ? Segment::adopt(name, std::move(file)) : nullptr;
}

}  // namespace

std::string system_socket(const std::string& name) {
  return std::string(kSystemSockets) + "/" + name + ".socket";
}

std::string user_socket(const std::string& name) {
  return runtime_dir() + "/" + name + ".socket";
}

std::unique_ptr<Segment> join_daemon(const std::string& name) {
  return ask(name, {.kind = DaemonRequest::kJoin});
}

std::unique_ptr<Segment> look_at_daemon(const std::string& name, uid_t uid) {
  return ask(name, {.kind = DaemonRequest::kLook, .uid = uid});
}

bool offer_to_daemon(const std::string& name, const Segment& segment) noexcept {
  try {
    if (!segment.file().is_ours()) return false;
    const DaemonRequest request{.kind = DaemonRequest::kAdopt};
    return ask(name, request, segment.file().get()) != nullptr;
  } catch (const std::exception& error) {
    log::debug(error.what());
    return false;
  }
}

}  // namespace conclave::share
