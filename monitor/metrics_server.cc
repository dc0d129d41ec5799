// SPDX-License-Identifier: Apache-2.0
#include "monitor/metrics_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "monitor/daemon_socket.h"
#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/log.h"

namespace conclave::monitor {
namespace {

constexpr int kWaiting = 16;             // connections that have not been accepted
constexpr size_t kMostConnections = 32;  // further ones are refused
constexpr size_t kMostOfAUser = 8;       // a further one costs the user the oldest
constexpr size_t kMostRequestBytes = 4096;
constexpr uint64_t kPatienceNs = 2'000'000'000;
constexpr uint64_t kMostRestNs = 1'000'000'000;

[[noreturn]] void fail(const std::string& where) {
  throw Error(CL_DEVICE_NOT_AVAILABLE, "metrics at " + where + ": " + strerror(errno));
}

Descriptor new_socket(int family) {
  return Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Descriptor listen_at(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  errno = ENAMETOOLONG;
  if (path.size() >= sizeof address.sun_path) fail(path);
  path.copy(address.sun_path, path.size());
  Descriptor socket = new_socket(AF_UNIX);
  unlink(path.c_str());
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), kWaiting) != 0)
    fail(path);
  return socket;
}

Descriptor listen_at(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Descriptor socket = new_socket(AF_INET);
  const int yes = 1;
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), kWaiting) != 0)
    fail("127.0.0.1:" + std::to_string(port));
  return socket;
}

std::string http(const std::string& status, const char* type, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}
std::string refusal(const std::string& status) {
  return http(status, "text/plain; charset=utf-8", status + "\n");
}

bool is_complete(const std::string& request) {
  return request.find("\r\n\r\n") != request.npos || request.find("\n\n") != request.npos;
}

}  // namespace

MetricsServer::MetricsServer(const std::string& path, uint16_t port, Read read)
    : path_(path), read_(std::move(read)), end_(eventfd(0, EFD_CLOEXEC)), socket_(listen_at(path)) {
  if (!end_) fail(path);
  if (port) port_ = listen_at(port);
  thread_ = std::thread([this] { serve(); });
}

MetricsServer::~MetricsServer() {
  const uint64_t one = 1;
  write_file(end_.get(), &one, sizeof one);
  thread_.join();
  unlink(path_.c_str());
}

bool MetricsServer::set_permissions(mode_t mode, gid_t group) const {
  return DaemonSocket::permit(path_, mode, group);
}

bool MetricsServer::ends_within(int ms) const {
  pollfd end = {end_.get(), POLLIN, 0};
  return poll(&end, 1, ms) > 0;
}

void MetricsServer::serve() {
  while (!ends_within(0)) {
    std::vector<pollfd> ready = {{end_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
    if (port_) ready.push_back({port_.get(), POLLIN, 0});
    for (const Connection& connection : connections_)
      ready.push_back({connection.socket.get(),
                       static_cast<short>(connection.answer.empty() ? POLLIN : POLLOUT), 0});
    if (poll(ready.data(), ready.size(), connections_.empty() ? -1 : 1000) < 0 && errno != EINTR) {
      log::error(std::string("metrics: ") + strerror(errno));
      return;
    }
    const uint64_t now = now_ns();
    // Descriptors that are not ready say so themselves.
    std::erase_if(connections_, [&](Connection& connection) {
      return now - connection.since > kPatienceNs || go_on(connection);
    });
    accept(socket_, true);
    if (port_) accept(port_, false);
  }
}

void MetricsServer::accept(const Descriptor& listener, bool local) {
  for (int i = 0; i < kWaiting; ++i) {
    Connection connection;
    connection.socket =
        Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.socket) {
      // Without descriptors the listener would stay ready.
      if (errno == EMFILE || errno == ENFILE) ends_within(100);
      return;
    }
    if (local) {
      const std::optional<Peer> peer = Peer::of(connection.socket);
      if (!peer) continue;
      connection.user = peer->uid;
    }
    connection.since = now_ns();
    const auto theirs = [&](const Connection& other) { return other.user == connection.user; };
    if (std::ranges::count_if(connections_, theirs) >= static_cast<long>(kMostOfAUser))
      connections_.erase(std::ranges::find_if(connections_, theirs));
    if (connections_.size() < kMostConnections) connections_.push_back(std::move(connection));
  }
}

bool MetricsServer::go_on(Connection& connection) {
  if (connection.answer.empty()) {
    if (receive(connection)) return true;
    if (!is_complete(connection.request)) {
      if (connection.request.size() < kMostRequestBytes) return false;
      connection.answer = refusal("431 Request Header Fields Too Large");
    } else {
      connection.answer = answer_to(connection);
    }
  }
  const std::string& answer = connection.answer;
  const ssize_t sent = send(connection.socket.get(), answer.data() + connection.sent,
                            answer.size() - connection.sent, MSG_NOSIGNAL);
  if (sent < 0) return errno != EAGAIN && errno != EINTR;
  connection.sent += static_cast<size_t>(sent);
  return connection.sent == answer.size();
}

// Whether the other end has gone.
bool MetricsServer::receive(Connection& connection) {
  char bytes[kMostRequestBytes];
  const size_t room = kMostRequestBytes - connection.request.size();
  const ssize_t size = recv(connection.socket.get(), bytes, room, 0);
  if (size < 0) return errno != EAGAIN && errno != EINTR;
  connection.request.append(bytes, static_cast<size_t>(size));
  return size == 0;
}

std::string MetricsServer::answer_to(const Connection& connection) {
  const std::string& request = connection.request;
  if (!request.starts_with("GET ")) return refusal("405 Method Not Allowed");
  const std::string target = request.substr(4, request.find_first_of(" ?\r\n", 4) - 4);
  if (target != "/metrics") return refusal("404 Not Found");
  const auto format = request.find("application/openmetrics-text") == request.npos
                          ? MetricsFormat::kPrometheus
                          : MetricsFormat::kOpenMetrics;
  const uint64_t start = now_ns();
  std::string answer;
  try {
    answer = http("200 OK", media_type(format), metrics_text(read_(connection.user), format));
  } catch (const std::exception& error) {
    log::warn(std::string("metrics: ") + error.what());
    answer = refusal("503 Service Unavailable");
  }
  const uint64_t rest_ns = std::min(9 * (now_ns() - start), kMostRestNs);
  ends_within(static_cast<int>(rest_ns / 1'000'000));
  return answer;
}

}  // namespace conclave::monitor
