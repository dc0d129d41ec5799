// SPDX-License-Identifier: Apache-2.0
// Answers HTTP with metrics: on a Unix socket, and on a port of the loopback interface. It has a
// thread of its own, so that requests keep only the metrics busy. They are bounded in size and
// time, connections in number, and the thread rests nine times as long as a text has taken it.
#ifndef CONCLAVE_MONITOR_METRICS_SERVER_H_
#define CONCLAVE_MONITOR_METRICS_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <thread>

#include "monitor/metrics.h"
#include "platform/base/descriptor.h"

namespace conclave::monitor {

class MetricsServer {
 public:
  // Gives the segments that `user` may see. No user stands for all who can connect to the port. It
  // is called on the thread.
  using Read = std::function<std::vector<SegmentMetrics>(std::optional<uid_t> user)>;

  // `path` of the socket, in a directory that no client can write; it replaces what a killed
  // daemon has left. `port`: 0 for none. Throws Error{CL_DEVICE_NOT_AVAILABLE} if it cannot listen.
  MetricsServer(const std::string& path, uint16_t port, Read read);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;

  // Sets who may connect to the socket, as DaemonSocket::set_permissions().
  bool set_permissions(mode_t mode, gid_t group) const;

 private:
  struct Connection {
    Descriptor socket;
    std::optional<uid_t> user;
    uint64_t since = 0;
    std::string request, answer;
    size_t sent = 0;
  };

  void serve();
  void accept(const Descriptor& listener, bool local);
  // Whether the connection is over.
  bool go_on(Connection& connection);
  bool receive(Connection& connection);
  std::string answer_to(const Connection& connection);
  // Whether the server ends within this time.
  bool ends_within(int ms) const;

  const std::string path_;
  const Read read_;
  Descriptor end_, socket_, port_;
  std::list<Connection> connections_;  // the oldest first
  std::thread thread_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_METRICS_SERVER_H_
