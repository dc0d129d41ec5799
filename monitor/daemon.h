// SPDX-License-Identifier: Apache-2.0
// What ti-mctd does: makes or adopts the segment that all users' processes share, says how the
// device is shared, and removes the dead. Processes do not need it once they have the segment: it
// may be stopped, killed and started again while they run.
#ifndef CONCLAVE_MONITOR_DAEMON_H_
#define CONCLAVE_MONITOR_DAEMON_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/daemon_lock.h"
#include "platform/base/config.h"
#include "platform/share/segment.h"

namespace conclave::monitor {

// The configuration in `file` ("": the default file, which may be missing). What the daemon in
// particular cannot do with it is among the errors.
Config read_daemon_config(const std::string& file);

class Daemon {
 public:
  // `config` is what read_daemon_config(`file`) gave, without errors. `segment` is the name of the
  // segment; "": the configured one, else the system's.
  Daemon(Config config, std::string file, const std::string& segment);

  // Makes or adopts the segment and begins to watch the processes in it. Signals that ask the
  // daemon for something are kept until run(). Throws Error where another daemon serves the segment
  // or it cannot be used.
  void start();
  // Serves until SIGTERM or SIGINT; SIGHUP reads the configuration again.
  void run();

  const std::string& segment() const { return name_; }

 private:
  share::Segment& current() { return *segments_.back(); }
  void take_segment();
  void serve_segment();
  void apply_config();
  void set_permissions();
  void grow();
  void configure_heaps();
  void reload();
  void replace_removed();
  void leave();
  // Removes the dead and returns how many processes live.
  size_t living();

  Config config_;
  std::string file_, name_;
  // The last one is served. Those before were removed by somebody, and are watched for as long as
  // there are processes that have them.
  std::vector<std::unique_ptr<share::Segment>> segments_;
  std::optional<DaemonLock> lock_;
  Descriptor signals_, removal_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DAEMON_H_
