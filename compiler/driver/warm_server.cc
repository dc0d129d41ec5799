// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/warm_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include "compiler/base/build_limits.h"
#include "compiler/driver/build_process.h"
#include "compiler/driver/listening_socket.h"
#include "compiler/driver/warm_up.h"
#include "conclave/compile_protocol.h"
#include "platform/base/descriptor.h"
#include "platform/base/process_rights.h"

namespace conclave::compiler {
namespace {

constexpr int kIdleMilliseconds = 600'000;
// How long no build runs before a spare is made: a program often builds several times in a row.
constexpr int kPauseMilliseconds = 100;
// What a spare tells the server.
constexpr char kReady = 'r', kTaken = 't';
constexpr int kMostBuilds = 64;
constexpr int kPeerPidfd = 77;          // SO_PEERPIDFD, which Debian 12's headers lack
constexpr timeval kPatience = {10, 0};  // with a requester who sends nothing

std::optional<ucred> peer_of(int connection) {
  ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

// Whether this process may work for the one that has connected: it reads files that the source names,
// and takes its own part of the machine.
bool has_our_rights(int connection, const ucred& peer) {
  // Where the system has them: as long as it is alive, nobody else can have its number.
  int alive = -1;
  socklen_t size = sizeof alive;
  if (getsockopt(connection, SOL_SOCKET, kPeerPidfd, &alive, &size) != 0) alive = -1;
  const Descriptor closer(alive);
  const std::string rights = rights_of(peer.pid);
  pollfd end = {alive, POLLIN, 0};
  const bool is_alive = alive < 0 || poll(&end, 1, 0) == 0;
  return is_alive && peer.uid == geteuid() && !rights.empty() && rights == rights_of(getpid());
}

// A build may use the CPUs that its requester may use.
void take_cpus_of(pid_t requester) {
  cpu_set_t cpus;
  if (requester > 0 && sched_getaffinity(requester, sizeof cpus, &cpus) == 0)
    sched_setaffinity(0, sizeof cpus, &cpus);
}

// In a process of its own. The requester waits for the number of the protocol, and then sends the
// request. A requester who gets nothing asks a server of its own.
[[noreturn]] void serve_connection(int connection) {
  const std::optional<ucred> peer = peer_of(connection);
  if (!peer || !has_our_rights(connection, *peer)) _exit(1);
  take_cpus_of(peer->pid);
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  const uint32_t hello = protocol::kProtocolVersion;
  if (send(connection, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello) _exit(1);
  serve_request(connection);
}

class WarmServer {
 public:
  WarmServer(ListeningSocket socket, Descriptor daemon)
      : socket_(std::move(socket)), daemon_(std::move(daemon)) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &signals_before_);
    ends_ = Descriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  void run() {
    while (wait_for_event()) {
      reap();
      if (!spare_is_ready_) serve_next();
    }
    socket_.remove();
  }

 private:
  // False when it is time to end. Makes a spare when there is nothing else to do.
  bool wait_for_event() {
    // While a spare waits for requests, this process leaves them to it. poll() ignores -1.
    pollfd events[] = {{daemon_.get(), POLLIN, 0},
                       {ends_.get(), POLLIN, 0},
                       {spare_.get(), POLLIN, 0},
                       {spare_is_ready_ ? -1 : socket_.descriptor(), POLLIN, 0}};
    const bool may_make_spare = !spare_ && builds_ == 0 && !has_lost_spare_;
    const int ready =
        poll(events, std::size(events), may_make_spare ? kPauseMilliseconds : kIdleMilliseconds);
    if (ready < 0) return errno == EINTR;
    if (events[0].revents) return false;
    if (events[2].revents) hear_spare();
    if (ready > 0) return true;
    if (may_make_spare) make_spare();
    return may_make_spare || builds_ > 0;
  }

  void reap() {
    signalfd_siginfo info;
    while (read(ends_.get(), &info, sizeof info) > 0) {
    }
    for (pid_t child; (child = waitpid(-1, nullptr, WNOHANG)) > 0; --builds_)
      while (child == spare_process_) hear_spare();
  }

  // The next request, in a child that this process forks now.
  void serve_next() {
    const Descriptor connection = socket_.accept();
    if (!connection || builds_ >= kMostBuilds) return;
    const pid_t child = fork_child();
    if (child > 0) ++builds_;
    if (child != 0) return;  // without a child the requester sees the end of file
    socket_.close();
    serve_connection(connection.get());
  }

  void make_spare() {
    if (!is_warm_) warm_up();
    is_warm_ = true;
    auto [ours, theirs] = make_socket_pair();
    const pid_t child = fork_child();
    if (child == 0) {
      ours.close();
      wait_as_spare(theirs);
    }
    has_lost_spare_ = child < 0;
    if (child < 0) return;
    spare_process_ = child;
    spare_ = std::move(ours);
  }

  // In the spare.
  [[noreturn]] void wait_as_spare(Descriptor& server) {
    warm_up();
    tell(server, kReady);
    Descriptor connection;
    while (!connection) {
      pollfd event = {socket_.descriptor(), POLLIN, 0};
      poll(&event, 1, -1);
      connection = socket_.accept();
    }
    tell(server, kTaken);
    server.close();
    socket_.close();
    serve_connection(connection.get());
  }

  static void tell(const Descriptor& server, char word) {
    if (send(server.get(), &word, 1, MSG_NOSIGNAL) != 1) _exit(1);
  }

  // The spare is ready, has a request, or is dead.
  void hear_spare() {
    char word = 0;
    const bool has_spoken = read(spare_.get(), &word, 1) == 1;
    if (has_spoken && word == kReady)
      spare_is_ready_ = true;
    else
      release_spare(has_spoken);
  }

  // After a spare that died of itself there are no more: making them again and again would take CPU
  // time without end.
  void release_spare(bool has_request) {
    has_lost_spare_ = !has_request;
    spare_is_ready_ = false;
    spare_.close();
    spare_process_ = 0;
    ++builds_;
  }

  pid_t fork_child() {
    const pid_t server = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    end_with_server(server);
    sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
    daemon_.close();
    ends_.close();
    return 0;
  }

  ListeningSocket socket_;
  Descriptor daemon_, ends_;
  sigset_t signals_before_;
  int builds_ = 0;  // children, but for the spare
  bool is_warm_ = false;
  Descriptor spare_;  // the other end is the spare's
  pid_t spare_process_ = 0;
  bool spare_is_ready_ = false;
  bool has_lost_spare_ = false;
};

}  // namespace

int serve_user(const std::string& path, pid_t daemon) {
  if (fcntl(protocol::kControlFd, F_GETFD) < 0) return 2;
  // Ctrl-C at a terminal is not for it, and no file system is kept busy.
  setpgid(0, 0);
  if (chdir("/") != 0) return 1;
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_NAME, "clocl-warm");
  Descriptor alive(static_cast<int>(syscall(SYS_pidfd_open, daemon, 0)));
  if (!alive) return 0;
  std::optional<ListeningSocket> socket = ListeningSocket::at(path);
  close(protocol::kControlFd);
  if (!socket) return 0;
  be_first_to_be_killed();  // its users can do without it
  WarmServer(std::move(*socket), std::move(alive)).run();
  return 0;
}

}  // namespace conclave::compiler
