// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_FIND_SEGMENT_H_
#define CONCLAVE_MONITOR_FIND_SEGMENT_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "platform/share/segment.h"

namespace conclave::monitor {

// The segment that processes of this user share: of the name `name` where it is not "", else of the
// configured one, else of the default: the daemon's for this user where one runs, else that in
// which the processes meet. Null where there is none. Throws Error where it cannot be used.
std::unique_ptr<share::Segment> find_segment(const std::string& name);

// The same of another user, which only root may see, and only where a daemon runs.
std::unique_ptr<share::Segment> find_segment_of(const std::string& name, uid_t user);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_FIND_SEGMENT_H_
