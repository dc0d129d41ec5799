// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_FIND_SEGMENT_H_
#define CONCLAVE_MONITOR_FIND_SEGMENT_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "platform/share/segment.h"

namespace conclave::monitor {

// The segment that processes of this user share. Its name is `name` unless that is "", else the
// configured one, else the default one: the daemon's segment for this user if a daemon runs, else
// the one in which the processes meet. Null if there is none. Throws Error if it cannot be used.
std::unique_ptr<share::Segment> find_segment(const std::string& name);

// The same for another user; only root may see it, and only if a daemon runs.
std::unique_ptr<share::Segment> find_segment_of(const std::string& name, uid_t user);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_FIND_SEGMENT_H_
