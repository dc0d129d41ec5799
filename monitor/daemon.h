// SPDX-License-Identifier: Apache-2.0
// What ti-mctd does: it gives each user a segment, says how the device is shared, passes compute
// units between the users, and removes the dead. Processes do not need it once they have a segment:
// it may be stopped, killed and started again while they run.
#ifndef CONCLAVE_MONITOR_DAEMON_H_
#define CONCLAVE_MONITOR_DAEMON_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "monitor/arbiter.h"
#include "monitor/bell.h"
#include "monitor/daemon_socket.h"
#include "monitor/device_users.h"
#include "monitor/metrics_server.h"
#include "monitor/process_watch.h"
#include "monitor/quotas.h"
#include "monitor/stream_bridge.h"
#include "monitor/tenant.h"
#include "platform/base/config.h"
#include "platform/share/daemon_protocol.h"

namespace conclave::monitor {

// The configuration in `file` ("": the default file, which may be missing). The errors include what
// only the daemon cannot do with it.
Config read_daemon_config(const std::string& file);

class Daemon {
 public:
  // `config` is what read_daemon_config(`file`) gave, without errors. `segment` is the name under
  // which processes look for it; "": the configured one, else the default.
  Daemon(Config config, std::string file, const std::string& segment);
  ~Daemon();

  // Takes back what the service manager has kept, and begins to listen. Signals with requests to
  // the daemon are kept until run(). Throws Error if another daemon has the name.
  void start();
  // Serves until SIGTERM or SIGINT; SIGHUP reads the configuration again.
  void run();

  // Where it listens.
  const std::string& path() const { return socket_->path(); }

 private:
  // A user, and the bell that the user rings. The bell is destroyed first, since it uses the
  // tenant.
  struct Client {
    Client(const std::string& name, std::unique_ptr<share::Segment> segment, const Quota& quota)
        : quota(quota), tenant(name, std::move(segment)) {}
    Quota quota;
    Tenant tenant;
    bool heaps_are_due = true;   // whether to give them the sizes of the configuration
    uint32_t registrations = 0;  // how many of them are watched
    uint32_t end_changes = 0;    // of streams; the number that the bridge knows
    std::unique_ptr<Bell> bell;
  };
  struct Connection {
    Descriptor socket;
    Peer peer;
    uint64_t since = 0;
  };

  // --- Users; under the mutex ---
  Client& client_for(const Peer& peer);
  // Whose segment a process gets: its user's, or that of a group whose members trust each other.
  struct Holder {
    std::string name;
    Quota quota;
  };
  Holder holder_for(const Peer& peer) const;
  Client& add(const Holder& holder, std::unique_ptr<share::Segment> segment);
  Client* find(const share::Segment& segment);
  void answer_bell(Client& client) noexcept;
  void apply_config(Client& client);
  void look();
  // What `user` may see; everything without one.
  std::vector<SegmentMetrics> metrics(std::optional<uid_t> user);
  // Takes out the unused ones that exceed `keep`.
  std::vector<std::unique_ptr<Client>> take_unused(size_t keep);

  // --- Connections ---
  void accept();
  bool answer(const Connection& connection);
  const Descriptor* grant(const Peer& peer, const share::DaemonRequest& request,
                          Descriptor attached);
  void drop_silent();
  void drop_oldest_of_too_many(uid_t uid);

  void listen_to(int descriptor);
  void serve_metrics();
  void set_permissions();
  void adopt_kept();
  bool handle_signals();
  void reload();
  void show_name() const;
  void leave();

  Config config_;
  Quotas quotas_;
  std::string file_, name_;
  std::optional<DaemonSocket> socket_;
  Descriptor events_, signals_, timer_;
  std::map<int, Connection> connections_;

  // Bells are answered on threads of their own.
  std::mutex mutex_;
  Arbiter arbiter_;
  uint64_t timer_ns_ = 0;  // what the timer was set to last; 0: it rests
  DeviceUsers device_users_;
  std::unique_ptr<ProcessWatch> watch_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::unique_ptr<StreamBridge> bridge_;  // ends before the clients
  std::optional<MetricsServer> metrics_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DAEMON_H_
