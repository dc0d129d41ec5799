// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_FIND_SEGMENT_H_
#define CONCLAVE_MONITOR_FIND_SEGMENT_H_

#include <memory>
#include <string>

#include "platform/share/segment.h"

namespace conclave::monitor {

// Opens the segment that processes of this user share: `name` where it is not "", else the
// configured one, else the daemon's, else the user's own. One of the daemon's that this user may
// not use is passed over with a note on stderr, as processes do. Null where there is none. Throws
// Error where it cannot be used.
std::unique_ptr<share::Segment> find_segment(const std::string& name);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_FIND_SEGMENT_H_
