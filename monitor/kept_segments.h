// SPDX-License-Identifier: Apache-2.0
// The service manager keeps the daemon's segments while the daemon is restarted (sd_notify(3),
// FDSTORE; sd_listen_fds(3)).
#ifndef CONCLAVE_MONITOR_KEPT_SEGMENTS_H_
#define CONCLAVE_MONITOR_KEPT_SEGMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "platform/base/descriptor.h"

namespace conclave::monitor {

// Gives the service manager a copy of `file` to keep under `name`, or takes it back. Does nothing
// without a service manager.
void keep_with_service_manager(const std::string& name, const Descriptor& file);
void drop_at_service_manager(const std::string& name);

// What the service manager has kept, by name.
std::vector<std::pair<std::string, Descriptor>> kept_by_service_manager();

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_KEPT_SEGMENTS_H_
