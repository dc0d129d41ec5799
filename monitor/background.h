// SPDX-License-Identifier: Apache-2.0
// How a daemon is started: by a shell, which gets its prompt back when the daemon is ready, or by a
// service manager, which is told so.
#ifndef CONCLAVE_MONITOR_BACKGROUND_H_
#define CONCLAVE_MONITOR_BACKGROUND_H_

#include <string>

#include "platform/base/descriptor.h"

namespace conclave::monitor {

// Continues in a child in a new session, without a terminal. The parent waits for ready() and exits
// with 0, or with the child's status if the child ends before.
class Background {
 public:
  // Called while there is one thread. Throws std::runtime_error if there can be no child.
  Background();
  // Releases the parent and closes the standard streams.
  void ready();

 private:
  Descriptor to_parent_;
};

// Whether a service manager (systemd) waits to be told; sd_notify(3) explains `state`. Without one,
// telling has no effect.
bool has_service_manager();
// `attached`: a descriptor to send with it; -1: none.
void tell_service_manager(const std::string& state, int attached = -1);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_BACKGROUND_H_
